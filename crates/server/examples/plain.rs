//! A server in memory over plain HTTP, for playing recordings against a small build:
//!
//!     cargo run -p ordain-server --example plain -- 127.0.0.1:8080

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "an example for development")]

use std::sync::Arc;

use ordain_rbac::Rbac;
use ordain_registry::Registry;
use ordain_server::{App, ServiceAccounts, TokenOptions};

#[tokio::main]
async fn main() {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let registry = Arc::new(Registry::repeatable());
    registry.start().await.unwrap();
    Rbac::default().bootstrap(&registry).await.unwrap();
    registry.create_system_objects("").await.unwrap();
    let listener = tokio::net::TcpListener::bind(&address).await.unwrap();
    println!("http://{address}");
    let mut app = App::new(Arc::clone(&registry));
    let accounts = ServiceAccounts::open(registry, TokenOptions::default()).unwrap();
    app.service_accounts = Some(Arc::new(accounts));
    let app = Arc::new(app);
    ordain_server::serve(app, listener, std::future::pending()).await.unwrap();
}
