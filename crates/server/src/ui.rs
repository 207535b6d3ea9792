//! The explorer at `/ui`: its files for everybody, its questions for authenticated users.
//!
//! The files say nothing about this server, so they need no credentials; a browser that has none
//! must be able to load the page that asks for them. The questions under `/ui/api/` are answered
//! from what is posted, so every authenticated user may ask them; limits hold as for any other
//! request.

use std::sync::{Arc, LazyLock};

use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{Response, StatusCode};
use ordain_explorer::page::{self, File};
use ordain_explorer::{Question, Served};
use ordain_meta::Status;
use ordain_registry::Warnings;
use ordain_registry::gates::Gate;
use ordain_value::{Value, value};

use crate::access::Access;
use crate::app::App;
use crate::digest;
use crate::negotiate::Accepted;
use crate::request_info::RequestInfo;
use crate::response::{self, Body};
use crate::router::Exchange;

/// What the explorer shows besides the server itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ui {
    /// There is none.
    Off,
    /// The server that serves it.
    Server,
    /// A server in memory with what these files hold.
    Files(Vec<String>),
}

impl Ui {
    fn about(&self) -> Value {
        match self {
            Self::Off | Self::Server => value!({"mode": "server"}),
            Self::Files(paths) => {
                let paths: Vec<Value> = paths.iter().map(|it| Value::str(it.as_str())).collect();
                value!({"mode": "files", "paths": paths})
            }
        }
    }
}

/// Names by content of the files, in their order.
static TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let tag = |file: &File| format!("\"{}\"", digest::sha512_hex(file.plain));
    page::FILES.iter().map(tag).collect()
});

/// A file of the page, if that is what is asked for.
pub(crate) fn file(parts: &Parts, info: &RequestInfo) -> Option<Response<Body>> {
    if !matches!(parts.method.as_str(), "GET" | "HEAD") {
        return None;
    }
    match info.segments.as_slice() {
        [first] if first == "ui" => answer_file(parts, ""),
        [first, name] if first == "ui" => answer_file(parts, name),
        _ => None,
    }
}

fn answer_file(parts: &Parts, name: &str) -> Option<Response<Body>> {
    let file = page::find(name)?;
    let tag = page::FILES.iter().zip(TAGS.iter()).find(|(it, _)| it.name == file.name);
    let tag = tag.map_or("", |(_, tag)| tag.as_str());
    let header = |name| parts.headers.get(name).and_then(|it: &HeaderValue| it.to_str().ok());
    let known = header(IF_NONE_MATCH).is_some_and(|it| it.split(',').any(|it| it.trim() == tag));
    let zipped = header(ACCEPT_ENCODING).is_some_and(accepts_gzip);
    let bytes = match (known, zipped) {
        (true, _) => &[],
        (false, true) => file.gzip,
        (false, false) => file.plain,
    };
    let mut response = Response::new(response::full(bytes));
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    if !known {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.media_type));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        if zipped {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
    }
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    let policy = HeaderValue::from_static(page::CONTENT_SECURITY_POLICY);
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    Some(response)
}

/// Whether gzip is welcome: named, and not with a weight of nothing.
fn accepts_gzip(accepted: &str) -> bool {
    accepted.split(',').any(|it| {
        let (name, weight) = it.split_once(';').unwrap_or((it, ""));
        let refused = matches!(weight.trim().trim_end_matches(['0', '.']), "q=");
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

/// Whether a request is a question of the page, which every authenticated user may ask.
pub(crate) fn is_question(app: &App, info: &RequestInfo) -> bool {
    let mut segments = info.segments.iter().map(|it| it.as_str());
    app.ui != Ui::Off && segments.next() == Some("ui") && segments.next() == Some("api")
}

/// Answers a question of the page.
pub(crate) async fn answer(exchange: &mut Exchange<'_>, name: &str) -> Response<Body> {
    if exchange.app.ui == Ui::Off {
        return response::page_not_found();
    }
    match (name, exchange.method.as_str()) {
        ("about", "GET") => give(&about(exchange)),
        ("outline", "GET") => outline(exchange),
        (name, "POST") => match Question::named(name) {
            Some(question) => match exchange.read_body().await {
                Ok(posted) => {
                    ask(question, &posted, &|group, name| served(exchange.app, group, name))
                }
                Err(status) => response::plain_status(&status),
            },
            None => response::page_not_found(),
        },
        _ => response::plain_status(&Status::method_not_allowed()),
    }
}

/// A kind that this server serves.
fn served(app: &App, group: &str, resource: &str) -> Option<Served> {
    let resource = Arc::clone(app.registry.catalog().get(group, resource)?);
    Some(Served { resource, gates: Arc::clone(app.registry.gates()) })
}

/// The answer to a question, or why there is none.
pub(crate) fn ask(
    question: Question,
    posted: &[u8],
    served: &dyn Fn(&str, &str) -> Option<Served>,
) -> Response<Body> {
    match question.answer(posted, served) {
        Ok(answer) => give(&answer),
        Err(why) => response::plain_status(&Status::bad_request(why.to_string())),
    }
}

pub(crate) fn give(answer: &Value) -> Response<Body> {
    response::value(200, answer, Accepted::default(), &Warnings::default())
}

/// Who looks at what.
fn about(exchange: &Exchange<'_>) -> Value {
    let app = exchange.app;
    let groups: Vec<Value> =
        exchange.user.groups.iter().map(|it| Value::str(it.as_str())).collect();
    let mut about = app.ui.about();
    about.set_path(&["version"], Value::str(env!("CARGO_PKG_VERSION")));
    about.set_path(&["open"], Value::Bool(matches!(app.access, Access::Open)));
    let gates = app.registry.gates();
    let gate = |it: &Gate| {
        let on = gates.is_on(&it.name);
        value!({"name": (it.name.as_str()), "stage": (it.stage.name()), "on": on})
    };
    about.set_path(&["gates"], gates.iter().map(gate).collect::<Vec<_>>().into());
    let user = value!({"name": (exchange.user.name.as_str()), "groups": groups});
    about.set_path(&["user"], user);
    about
}

/// What the declaration of a kind says beside its published schema.
fn outline(exchange: &Exchange<'_>) -> Response<Body> {
    let given = |name: &str| exchange.query.get(name).unwrap_or("");
    let catalog = exchange.app.registry.catalog();
    let found = catalog.get(given("group"), given("resource"));
    let Some(version) = found.and_then(|it| it.served(given("version"))) else {
        return response::page_not_found();
    };
    let rules = version.outline.rules.iter().map(|it| {
        value!({
            "path": (it.path.as_str()),
            "rule": (i64::try_from(it.rule).unwrap_or(i64::MAX)),
            "expression": (it.expression.as_str()),
            "place": (it.place.as_str())
        })
    });
    let gated = version.outline.gated.iter().map(|it| {
        let gates: Vec<Value> = it.gates.iter().map(|it| Value::str(it.as_str())).collect();
        value!({"path": (it.path.as_str()), "gates": gates})
    });
    let (rules, gated): (Vec<Value>, Vec<Value>) = (rules.collect(), gated.collect());
    give(&value!({"rules": rules, "gated": gated}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_those_who_take_it() {
        assert!(accepts_gzip("gzip, deflate, br"));
        assert!(accepts_gzip("br;q=1.0, GZIP;q=0.5"));
        assert!(!accepts_gzip("gzip;q=0"));
        assert!(!accepts_gzip("gzip;q=0.0, identity"));
        assert!(!accepts_gzip("br"));
    }
}
