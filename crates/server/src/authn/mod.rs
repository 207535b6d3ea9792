//! Authentication: who makes a request, by client certificate or bearer token.

mod bootstrap;
mod token;

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use http::header::{AUTHORIZATION, HeaderMap};
use ordain_registry::caller::User;

pub use token::Tokens;

use crate::metrics;
use crate::serve::Peer;
use crate::service_account::ServiceAccounts;
use crate::tls::ClientCertificate;

/// The paths that need no credentials.
const ANONYMOUS_PATHS: [&str; 4] = ["/healthz", "/livez", "/readyz", "/version"];

/// Credentials that mean nothing here, or none where some are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unauthenticated;

/// What tokens are recognized by.
pub(crate) struct Known<'a> {
    pub(crate) tokens: &'a Tokens,
    pub(crate) accounts: Option<&'a ServiceAccounts>,
    /// Whether bootstrap tokens are among them.
    pub(crate) bootstrap: bool,
}

impl Known<'_> {
    /// Whose token it is, whatever it is for.
    pub(crate) async fn holder(&self, token: &str) -> Option<Arc<User>> {
        if let Some(user) = self.tokens.user(token) {
            return Some(user);
        }
        let accounts = self.accounts.filter(|_| self.bootstrap)?;
        bootstrap::user(accounts, token, now()).await
    }

    async fn user(&self, token: &str) -> Option<Arc<User>> {
        if let Some(user) = self.holder(token).await {
            return Some(user);
        }
        let recognized = self.accounts?.recognize(token, &[]).await.ok()?;
        recognized.map(|it| it.user)
    }
}

/// Who makes a request. Credentials that are not understood are refused even where none are
/// needed.
pub(crate) async fn authenticate(
    known: &Known<'_>,
    peer: &Peer,
    headers: &HeaderMap,
    path: &str,
) -> Result<Arc<User>, Unauthenticated> {
    let mut wrong = false;
    match &peer.certificate {
        ClientCertificate::Known { user, not_after } if *not_after >= now() => {
            metrics::AUTHENTICATED.add(&[bounded(&user.name)], 1);
            return Ok(Arc::clone(user));
        }
        ClientCertificate::None => {}
        _ => wrong = true,
    }
    if let Some(token) = bearer(headers) {
        if let Some(user) = known.user(token).await {
            metrics::AUTHENTICATED.add(&[bounded(&user.name)], 1);
            return Ok(user);
        }
        wrong = true;
    }
    if !wrong && ANONYMOUS_PATHS.contains(&path) {
        return Ok(Arc::new(User::anonymous()));
    }
    let result = if wrong { "error" } else { "failure" };
    metrics::AUTHENTICATION_ATTEMPTS.add(&[result], 1);
    Err(Unauthenticated)
}

/// User names are unbounded; metrics tell only the well-known ones apart.
fn bounded(name: &str) -> &'static str {
    match name {
        "admin" => "admin",
        "ordain-admin" => "ordain-admin",
        _ => "other",
    }
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// The token of `Authorization: Bearer TOKEN`.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?.trim();
    let (scheme, token) = value.split_once(' ')?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty()).then(|| token.trim())
}
