//! The documents by which others verify tokens: the issuer's configuration and its key set.

use http::Response;
use http::header::{CACHE_CONTROL, HeaderValue};
use ordain_value::{Value, json, value};

use super::ServiceAccounts;
use crate::response::{self, Body};

const KEYS_PATH: &str = "/openid/v1/jwks";
const CACHE: &str = "public, max-age=3600";

impl ServiceAccounts {
    /// The configuration of the issuer, for a server at this host; `None` for an issuer that
    /// others cannot look up.
    pub(crate) fn configuration(&self, host: &str) -> Option<Response<Body>> {
        let issuer = self.published_issuer()?;
        let uri = self.jwks_uri.clone().unwrap_or_else(|| format!("https://{host}{KEYS_PATH}"));
        let mut algorithms: Vec<&str> =
            self.keys.iter().map(|key| key.algorithm.as_str()).collect();
        algorithms.sort_unstable();
        algorithms.dedup();
        let algorithms: Vec<Value> = algorithms.into_iter().map(Value::from).collect();
        let document = value!({
            "issuer": issuer,
            "jwks_uri": (uri),
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": (algorithms)
        });
        Some(answer(&document, "application/json"))
    }

    /// The keys that verify tokens.
    pub(crate) fn key_set(&self) -> Option<Response<Body>> {
        self.published_issuer()?;
        let keys: Vec<Value> = self.keys.iter().map(super::PublicKey::encode).collect();
        Some(answer(&value!({"keys": (keys)}), "application/jwk-set+json"))
    }

    fn published_issuer(&self) -> Option<&str> {
        let issuer = self.issuers.first()?;
        (issuer.starts_with("https://") && !issuer.contains(['?', '#'])).then_some(issuer)
    }
}

fn answer(document: &Value, media_type: &'static str) -> Response<Body> {
    let mut response = response::bytes(200, json::encode(document).into(), media_type);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(CACHE));
    response
}
