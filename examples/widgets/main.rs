//! The example API from its Rust types: `cargo run -p ordain --example widgets`.

mod types;
mod v1beta1;

use ordain::field::{Error, ErrorList, Path};
use ordain::server::{Builder, ServeError};
use ordain::{Hooks, Server};
use types::Widget;

/// What no declaration can say: a list of names that belong to others.
const TAKEN: [&str; 2] = ["nobody", "everybody"];

fn owner_exists(widget: &Widget) -> ErrorList {
    let taken = widget.spec.owner.iter().filter(|it| TAKEN.contains(&it.as_str()));
    let (spec, detail) = (Path::new("spec"), "belongs to nobody in particular");
    taken.map(|it| Error::invalid(&spec.child("owner"), it.as_str(), detail)).collect()
}

/// The example API: its kind in both versions.
pub(crate) fn shop() -> Builder {
    let hooks = Hooks::new().validate(owner_exists);
    Server::builder().kind::<Widget>(hooks).kind::<v1beta1::Widget>(Hooks::new())
}

fn main() -> Result<(), ServeError> {
    shop().data_dir("widgets-data").serve()
}
