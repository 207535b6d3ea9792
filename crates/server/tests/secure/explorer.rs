//! The explorer on a guarded server: files for everybody, questions for whoever is known, and no
//! way around for pages of others.

use ordain_server::Ui;
use ordain_value::{Value, value};

use crate::client::Answer;
use crate::server::Server;

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers.get(name).and_then(|it| it.to_str().ok()).unwrap_or("")
}

#[test]
fn the_page_needs_no_credentials_and_is_locked_down() {
    let server = Server::start();
    let page = server.anonymous().get("/ui");
    assert_eq!(page.code, 200);
    assert!(page.text().contains("/ui/app.js"));
    let policy = header(&page, "content-security-policy");
    for part in ["default-src 'none'", "frame-ancestors 'none'", "script-src 'self';"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"));
    assert_eq!(header(&page, "x-content-type-options"), "nosniff");
    let script = server.anonymous().get_as("/ui/app.js", &[("accept-encoding", "gzip")]);
    assert_eq!((script.code, header(&script, "content-encoding")), (200, "gzip"));
    let tag = header(&script, "etag").to_owned();
    let again = server.anonymous().get_as("/ui/app.js", &[("if-none-match", &tag)]);
    assert_eq!(again.code, 304);
    assert_eq!(server.anonymous().get("/ui/other.js").code, 401);
}

#[test]
fn questions_are_for_whoever_is_known() {
    let server = Server::start();
    let question = value!({"expression": "1 + 1"});
    assert_eq!(server.anonymous().post("/ui/api/cel", &question).code, 401);
    assert_eq!(server.anonymous().get("/ui/api/about").code, 401);
    // Somebody without any role may ask, and learns nothing of the server's objects.
    let known = server.user("eve").post("/ui/api/cel", &question);
    assert_eq!(known.body.get("value").and_then(Value::as_str), Some("2"));
    assert_eq!(server.user("eve").get(CONFIG_MAPS).code, 403);
    let about = server.admin().get("/ui/api/about");
    assert_eq!(about.body.get("open").and_then(Value::as_bool), Some(false));
    assert_eq!(server.admin().post("/ui/api/nothing", &question).code, 404);
    assert_eq!(server.admin().post("/ui/api/cel", &value!({})).code, 400);
}

#[test]
fn without_an_explorer_there_is_none() {
    let server = Server::with(|app| app.ui = Ui::Off);
    assert_eq!(server.anonymous().get("/ui").code, 401);
    assert_eq!(server.admin().get("/ui").code, 404);
    assert_eq!(server.admin().get("/ui/api/about").code, 404);
    assert_eq!(server.admin().post("/ui/api/cel", &value!({"expression": "1"})).code, 404);
}

#[test]
fn a_certificate_in_a_browser_serves_no_page_of_others() {
    let server = Server::start();
    let admin = server.admin();
    let get = |headers: &[(&str, &str)]| admin.get_as(CONFIG_MAPS, headers).code;
    assert_eq!(get(&[]), 200);
    assert_eq!(get(&[("origin", "https://evil.example.com")]), 403);
    assert_eq!(get(&[("sec-fetch-site", "cross-site")]), 403);
    assert_eq!(get(&[("sec-fetch-site", "same-site")]), 403);
    assert_eq!(get(&[("sec-fetch-site", "same-origin")]), 200);
    assert_eq!(get(&[("sec-fetch-site", "none")]), 200);
}
