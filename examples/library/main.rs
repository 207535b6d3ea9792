//! A kind of your own in twenty lines: `cargo run -p ordain --example library`.

use ordain::{Hooks, ObjectMeta, Resource, Schema, Server};
use serde::{Deserialize, Serialize};

#[derive(Resource, Serialize, Deserialize)]
#[ordain(group = "library.example.com", version = "v1", short_name = "bk")]
struct Book {
    metadata: ObjectMeta,
    spec: BookSpec,
}

#[derive(Schema, Serialize, Deserialize)]
struct BookSpec {
    #[ordain(min_length = 1, immutable)]
    title: String,
    #[ordain(default = 1, minimum = 0, rule(rule = "self < 10", message = "no room for more"))]
    copies: Option<i32>,
}

pub(crate) fn library() -> ordain::server::Builder {
    Server::builder().kind::<Book>(Hooks::new())
}

fn main() -> Result<(), ordain::server::ServeError> {
    library().serve()
}
