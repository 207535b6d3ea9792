//! Documents about what is served: made when they are asked for, kept until the kinds change, here
//! or on other servers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::header::{ETAG, HeaderValue, IF_NONE_MATCH, VARY};
use http::{Response, StatusCode};
use ordain_meta::Status;
use ordain_registry::aggregate::Remote;
use ordain_registry::{Catalog, Registry};

use crate::digest;
use crate::response::{self, Body};
use crate::router::Exchange;

/// What documents are about.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) remotes: Arc<Vec<Remote>>,
}

impl Subject {
    pub(crate) fn of(registry: &Registry) -> Self {
        Self { catalog: registry.catalog(), remotes: registry.remotes() }
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.catalog, &other.catalog) && Arc::ptr_eq(&self.remotes, &other.remotes)
    }

    /// Who else serves a group version.
    pub(crate) fn remote(&self, group: &str, version: &str) -> Option<&Remote> {
        self.remotes.iter().find(|it| it.group == group && it.version == version)
    }
}

/// The documents of one moment.
#[derive(Default)]
pub(crate) struct Documents {
    state: Mutex<State>,
    /// Held by who makes a document. A document may be made of much more than it is, so one is made
    /// at a time, and who asks for it meanwhile gets the same.
    making: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    subject: Option<Subject>,
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
    /// A document that is made when it is first asked for.
    pub(crate) async fn made<F: Future<Output = Result<Vec<u8>, Status>>>(
        &self,
        subject: &Subject,
        name: &str,
        make: impl FnOnce() -> F,
    ) -> Result<Document, Status> {
        if let Some(document) = self.get(subject, name) {
            return Ok(document);
        }
        let _making = self.making.lock().await;
        if let Some(document) = self.get(subject, name) {
            return Ok(document);
        }
        let document = Document::new(make().await?);
        self.keep(subject, name, &document);
        Ok(document)
    }

    /// A document of this subject that was made before.
    pub(crate) fn get(&self, subject: &Subject, name: &str) -> Option<Document> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let current = state.subject.as_ref().is_some_and(|known| known.is(subject));
        state.made.get(name).filter(|_| current).cloned()
    }

    /// Keeps a document, and forgets those of another subject.
    pub(crate) fn keep(&self, subject: &Subject, name: &str, document: &Document) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.subject.as_ref().is_some_and(|known| known.is(subject)) {
            state.subject = Some(subject.clone());
            state.made.clear();
        }
        state.made.insert(name.to_owned(), document.clone());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn one_document_is_made_at_a_time_and_shared() {
        let subject = Subject { catalog: Arc::default(), remotes: Arc::default() };
        let documents = Documents::default();
        let (made, making) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let ask = async |name: &str| {
            let document = documents.made(&subject, name, async || {
                assert_eq!(making.fetch_add(1, Ordering::Relaxed), 0, "made beside another");
                tokio::task::yield_now().await;
                making.fetch_sub(1, Ordering::Relaxed);
                made.fetch_add(1, Ordering::Relaxed);
                Ok(name.as_bytes().to_vec())
            });
            document.await.unwrap().bytes
        };
        let (first, second, other) = tokio::join!(ask("a"), ask("a"), ask("b"));
        assert_eq!((&*first, &*second, &*other), (&b"a"[..], &b"a"[..], &b"b"[..]));
        assert_eq!(first.as_ptr(), second.as_ptr());
        assert_eq!(made.load(Ordering::Relaxed), 2);
    }

    #[tokio::test]
    async fn what_failed_is_made_again() {
        let subject = Subject { catalog: Arc::default(), remotes: Arc::default() };
        let documents = Documents::default();
        let failed = documents.made(&subject, "a", async || Err(Status::internal("no")));
        assert!(failed.await.is_err());
        let made = documents.made(&subject, "a", async || Ok(b"a".to_vec()));
        assert_eq!(&*made.await.unwrap().bytes, b"a");
    }
}
