//! Documents about what is served: made when they are asked for, kept until the kinds change.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::header::{ETAG, HeaderValue, IF_NONE_MATCH, VARY};
use http::{Response, StatusCode};
use ordain_registry::Catalog;

use crate::digest;
use crate::response::{self, Body};
use crate::router::Exchange;

/// The documents of one catalog.
#[derive(Default)]
pub(crate) struct Documents {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    catalog: Option<Arc<Catalog>>,
    made: BTreeMap<String, Document>,
}

/// A document with its name by content.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) bytes: Bytes,
    pub(crate) hash: Arc<str>,
}

impl Document {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        let hash = digest::sha512_hex(&bytes).into();
        Self { bytes: bytes.into(), hash }
    }

    /// The answer to a request for the document: nothing new for who has it already.
    pub(crate) fn answer(
        &self,
        exchange: &Exchange<'_>,
        media_type: &'static str,
    ) -> Response<Body> {
        let tag = format!("\"{}\"", self.hash);
        let known = exchange.header(IF_NONE_MATCH).split(',').any(|known| known.trim() == tag);
        let mut answer = if known {
            let mut answer = Response::new(response::full(""));
            *answer.status_mut() = StatusCode::NOT_MODIFIED;
            answer
        } else {
            response::bytes(200, self.bytes.clone(), media_type)
        };
        let headers = answer.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(ETAG, tag);
        }
        headers.insert(VARY, HeaderValue::from_static("Accept"));
        answer
    }
}

impl Documents {
    /// A document of this catalog that was made before.
    pub(crate) fn get(&self, catalog: &Arc<Catalog>, name: &str) -> Option<Document> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let current = state.catalog.as_ref().is_some_and(|known| Arc::ptr_eq(known, catalog));
        state.made.get(name).filter(|_| current).cloned()
    }

    /// Keeps a document, and forgets those of another catalog.
    pub(crate) fn keep(&self, catalog: &Arc<Catalog>, name: &str, document: &Document) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.catalog.as_ref().is_some_and(|known| Arc::ptr_eq(known, catalog)) {
            state.catalog = Some(Arc::clone(catalog));
            state.made.clear();
        }
        state.made.insert(name.to_owned(), document.clone());
    }
}
