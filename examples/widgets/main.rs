//! The example API from its Rust types: `cargo run -p ordain --example widgets`.

mod types;

use ordain::field::{Error, ErrorList, Path};
use ordain::{Hooks, Server};
use types::Widget;

/// What no declaration can say: a list of names that belong to others.
const TAKEN: [&str; 2] = ["nobody", "everybody"];

fn owner_exists(widget: &Widget) -> ErrorList {
    let taken = widget.spec.owner.iter().filter(|it| TAKEN.contains(&it.as_str()));
    let (spec, detail) = (Path::new("spec"), "belongs to nobody in particular");
    taken.map(|it| Error::invalid(&spec.child("owner"), it.as_str(), detail)).collect()
}

fn main() -> Result<(), ordain::server::ServeError> {
    let hooks = Hooks::new().validate(owner_exists);
    Server::builder().kind::<Widget>(hooks).data_dir("widgets-data").serve()
}
