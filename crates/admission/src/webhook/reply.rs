//! What came back from a webhook over HTTP, before it is read as an answer.

use std::any::Any;
use std::fmt::{self, Formatter};
use std::sync::Arc;

use ordain_value::{Value, go_quote, json};

/// A reply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    pub content_type: String,
    pub body: Vec<u8>,
    pub held: Held,
}

/// What is held as long as there is a reply, such as a place for one that is large.
#[derive(Clone, Default)]
pub struct Held(Option<Arc<dyn Any + Send + Sync>>);

impl Held {
    pub fn new(held: impl Any + Send + Sync) -> Self {
        Self(Some(Arc::new(held)))
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Held").field(&self.0.is_some()).finish()
    }
}

impl PartialEq for Held {
    /// It is no part of what a reply says.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Held {}

impl Reply {
    /// The body of a reply that is no refusal.
    ///
    /// # Errors
    /// When it is one, in the words of Kubernetes' client.
    pub fn accepted(&self) -> Result<&[u8], String> {
        if !(200..=206).contains(&self.status) {
            return Err(self.refusal());
        }
        if self.body.is_empty() {
            return Err(format!(
                "0-length response with status code: {} and content type: {}",
                self.status, self.content_type
            ));
        }
        Ok(&self.body)
    }

    /// The code of a reply that cannot be used: that of its refusal, or that of no reply at all.
    pub fn failure_code(&self) -> u16 {
        if (200..=206).contains(&self.status) { 503 } else { self.status }
    }

    /// The body as a `Status`: whether it is a success, and its message.
    fn status_object(&self) -> Option<(bool, String)> {
        let value = json::decode(&self.body).ok()?;
        let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or("");
        (text("kind") == "Status" && text("apiVersion") == "v1")
            .then(|| (text("status") != "Failure", text("message").to_owned()))
    }

    fn refusal(&self) -> String {
        if let Some((false, message)) = self.status_object() {
            return message;
        }
        let is_text = self.content_type.starts_with("text/");
        let body = String::from_utf8_lossy(&self.body);
        let said = if is_text { body.trim() } else { "unknown" };
        let words = match self.status {
            400 => "the server rejected our request for an unknown reason",
            401 => "the server has asked for the client to provide credentials",
            403 => said,
            404 => "the server could not find the requested resource",
            405 => "the server does not allow this method on the requested resource",
            406 | 415 => said,
            409 => "the server reported a conflict",
            422 => "the server rejected our request due to an error in our request",
            429 => "the server has received too many requests and has asked us to try again later",
            503 => "the server is currently unable to handle the request",
            504 => {
                "the server was unable to return a response in the time allotted, but may still be \
                 processing the request"
            }
            code if code >= 500 => {
                return format!(
                    "an error on the server ({}) has prevented the request from succeeding",
                    go_quote(said)
                );
            }
            code => {
                return format!(
                    "the server responded with the status code {code} but did not return more \
                     information"
                );
            }
        };
        words.to_owned()
    }
}
