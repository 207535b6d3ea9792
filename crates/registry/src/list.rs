//! The list verb: consistent pages, filtered by selectors.

use ordain_meta::status::Status;
use ordain_storage::{Page, Range, StoreError};
use ordain_value::{Text, Value};

use crate::continue_token::ContinueToken;
use crate::list_options::check_list_options;
use crate::object;
use crate::registry::{Registry, Stored, Target, store_failed};
use crate::request::ListOptions;
use crate::update::parse_uint;

/// The objects of a list and what its metadata says.
#[derive(Debug)]
pub struct Listed {
    pub items: Vec<Value>,
    pub resource_version: u64,
    pub continue_token: String,
    pub remaining: Option<u64>,
}

/// Entries read at a time while a selector leaves most of them out.
const SCAN_PAGE_LEN_MAX: usize = 10_000;

impl Registry {
    /// Lists the objects of a resource in one namespace, or in all.
    pub async fn list(&self, target: &Target, options: &ListOptions) -> Result<Listed, Status> {
        check_list_options(options)?;
        check_fields(target, options)?;
        let prefix = target.resource.collection_prefix(&target.namespace);
        let start = self.list_start(options).await?;
        let limit = usize::try_from(options.limit).unwrap_or(0);
        let filtered = !options.labels.is_everything() || !options.fields.is_everything();
        let mut scan = Scan { items: Vec::new(), at: start.at, next: start.key, more: true };
        let mut remaining = None;
        while scan.more && (limit == 0 || scan.items.len() < limit) {
            let wanted = if limit == 0 {
                0
            } else if filtered {
                SCAN_PAGE_LEN_MAX.min(limit.saturating_mul(4))
            } else {
                limit
            };
            let page = self.page(&prefix, &scan, wanted, limit > 0 && !filtered).await?;
            remaining = page.count.map(|count| count.saturating_sub(page.entries.len() as u64));
            self.take_page(target, options, &prefix, page, limit, &mut scan)?;
        }
        let resource_version = scan.at.unwrap_or(0);
        let token = scan.more.then(|| ContinueToken {
            revision: resource_version,
            start: scan.next.clone().unwrap_or_default(),
        });
        Ok(Listed {
            items: scan.items,
            resource_version,
            remaining: remaining.filter(|_| token.is_some()),
            continue_token: token.map(|token| token.encode()).unwrap_or_default(),
        })
    }

    /// The revision and key a list begins at.
    async fn list_start(&self, options: &ListOptions) -> Result<Start, Status> {
        if !options.continue_token.is_empty() {
            if !options.resource_version.is_empty() && options.resource_version != "0" {
                return Err(Status::bad_request(
                    "specifying resource version is not allowed when using continue",
                ));
            }
            let token = ContinueToken::decode(&options.continue_token)
                .map_err(|why| Status::bad_request(format!("invalid continue token: {why}")))?;
            return Ok(Start { at: Some(token.revision), key: Some(token.start) });
        }
        let asked = list_version(&options.resource_version)?;
        if asked == 0 {
            return Ok(Start { at: None, key: None });
        }
        let current = self.store.current_revision().await.map_err(|error| store_failed(&error))?;
        if asked > current {
            return Err(Status::resource_version_too_large(asked, current));
        }
        let exact = options.resource_version_match == "Exact";
        Ok(Start { at: exact.then_some(asked), key: None })
    }

    async fn page(
        &self,
        prefix: &str,
        scan: &Scan,
        limit: usize,
        count: bool,
    ) -> Result<Page, Status> {
        let start = scan.next.as_ref().map(|key| format!("{prefix}{key}"));
        let range = Range { prefix, start: start.as_deref(), limit, at: scan.at, count };
        self.store.range(range).await.map_err(|error| match error {
            StoreError::Compacted { .. } if scan.next.is_some() => Status::expired(
                "The provided continue parameter is too old to display a consistent list result. \
                 You can start a new list without the continue parameter.",
            ),
            other => store_failed(&other),
        })
    }

    fn take_page(
        &self,
        target: &Target,
        options: &ListOptions,
        prefix: &str,
        page: Page,
        limit: usize,
        scan: &mut Scan,
    ) -> Result<(), Status> {
        scan.at = Some(page.revision);
        let count = page.entries.len();
        for (index, entry) in page.entries.iter().enumerate() {
            let stored = self.decode_entry(&target.resource, entry)?;
            if selected(target, options, &stored) {
                scan.items.push(target.present(&stored));
            }
            scan.next = Some(format!("{}\0", entry.key.strip_prefix(prefix).unwrap_or(&entry.key)));
            if limit > 0 && scan.items.len() == limit {
                scan.more = page.more || index + 1 < count;
                return Ok(());
            }
        }
        scan.more = page.more;
        Ok(())
    }
}

struct Start {
    at: Option<u64>,
    key: Option<String>,
}

struct Scan {
    items: Vec<Value>,
    at: Option<u64>,
    /// The key to go on from, without the prefix.
    next: Option<String>,
    more: bool,
}

/// Whether both selectors select an object.
pub(crate) fn selected(target: &Target, options: &ListOptions, stored: &Stored) -> bool {
    options.labels.matches(object::labels(&stored.object))
        && options.fields.requirements.iter().all(|requirement| {
            let strategy = &target.resource.strategy;
            let value = strategy.field(&target.version, &stored.object, &requirement.field);
            (value.unwrap_or_default() == requirement.value) == requirement.equal
        })
}

/// Refuses selectors on fields that cannot be selected by.
pub(crate) fn check_fields(target: &Target, options: &ListOptions) -> Result<(), Status> {
    let strategy = &target.resource.strategy;
    for requirement in &options.fields.requirements {
        let known = strategy.field(&target.version, &Value::Null, &requirement.field);
        if known.is_none() {
            return Err(Status::bad_request(strategy.unknown_field(&requirement.field)));
        }
    }
    Ok(())
}

/// Reads the resourceVersion of a list.
pub(crate) fn list_version(text: &Text) -> Result<u64, Status> {
    if text.is_empty() {
        return Ok(0);
    }
    parse_uint(text).map_err(|why| {
        let quoted = ordain_value::go_quote(text);
        Status::bad_request(format!(
            "invalid resource version: resourceVersion: Invalid value: {quoted}: {why}"
        ))
    })
}
