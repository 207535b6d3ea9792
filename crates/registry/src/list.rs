//! The list verb: consistent pages, filtered by selectors.

use std::sync::Arc;

use bytes::Bytes;
use ordain_meta::status::Status;
use ordain_schema::Schema;
use ordain_storage::{Page, Range, Revision, StoreError};
use ordain_value::{Text, Value, json};

use crate::cache::{CachedPage, Record, RecordList, WatchCache};
use crate::continue_token::ContinueToken;
use crate::list_options::check_list_options;
use crate::object;
use crate::registry::{Registry, Stored, Target, store_failed};
use crate::request::ListOptions;
use ordain_strategy::Family;
use ordain_strategy::RestConfig;
use ordain_strategy::update::parse_uint;

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

/// So many objects are looked at before others may work.
const SLICE_LEN: usize = 128;

impl Listed {
    /// What the metadata of a page says, without its objects.
    pub fn empty_of(page: &Records) -> Self {
        Self {
            items: Vec::new(),
            resource_version: page.resource_version,
            continue_token: page.continue_token.clone(),
            remaining: page.remaining,
        }
    }
}

impl Records {
    /// About how many bytes its objects are.
    pub fn bytes_len(&self) -> usize {
        self.records.iter().map(|record| record.len() + 48).sum()
    }
}

/// A page of a list before its objects are decoded.
#[derive(Debug, Default)]
pub struct Records {
    pub records: Arc<RecordList>,
    pub resource_version: u64,
    pub continue_token: String,
    pub remaining: Option<u64>,
    /// The objects in the requested version, where selecting had to convert them by a webhook.
    converted: Vec<Value>,
}

impl Registry {
    /// Lists the objects of a resource in one namespace, or in all.
    pub async fn list(&self, target: &Target, options: &ListOptions) -> Result<Listed, Status> {
        let page = self.list_records(target, options).await?;
        self.decode_page(target, page).await
    }

    /// All objects of a namespace as the cache knows them at this moment: what another server wrote
    /// may be missing.
    pub(crate) async fn known(
        &self,
        resource: &RestConfig,
        namespace: &str,
    ) -> Result<Vec<Stored>, Status> {
        let collection = self.cache.collection(resource).await?;
        let prefix = resource.collection_prefix(namespace);
        let page = collection.page(&prefix, 0, self.cache.reached());
        page.records.iter().map(|record| self.stored_record(resource, record)).collect()
    }

    /// The objects of a page in the requested version.
    pub async fn decode_page(&self, target: &Target, page: Records) -> Result<Listed, Status> {
        let listed = Listed::empty_of(&page);
        let items = if page.converted.is_empty() {
            self.present_records(target, &page.records).await?
        } else {
            page.converted
        };
        Ok(Listed { items, ..listed })
    }

    /// The objects of records in the requested version.
    pub(crate) async fn present_records(
        &self,
        target: &Target,
        records: &[Arc<Record>],
    ) -> Result<Vec<Value>, Status> {
        let decoded = records.iter().map(|record| self.cache.decoded(&target.resource, record));
        self.present_all(target, decoded.collect::<Result<_, _>>()?).await
    }

    /// Whether the objects of a page can be copied from what is stored; false when some are in
    /// another version than is asked for. Looks at each, and lets others work in between.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub async fn is_written_as_stored(
        &self,
        target: &Target,
        page: &Records,
    ) -> Result<bool, Status> {
        if target.version != target.resource.storage_version {
            return Ok(false);
        }
        if page.records.is_kept() && page.records.written().is_some() {
            return Ok(true);
        }
        for slice in page.records.chunks(SLICE_LEN) {
            for record in slice {
                if !record.is_in_storage_version(&target.resource)? {
                    return Ok(false);
                }
            }
            tokio::task::yield_now().await;
        }
        Ok(true)
    }

    /// Writes objects of a page as JSON with commas between them, copied from what is stored or as
    /// they are to be shown, from one of them on until there are enough bytes. Returns the next to be
    /// written.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub fn write_items(
        &self,
        target: &Target,
        page: &Records,
        show: Option<&dyn Fn(&Value) -> Value>,
        from: usize,
        bytes: usize,
        out: &mut Vec<u8>,
    ) -> Result<usize, Status> {
        let typed = target.resource.family == Family::Custom;
        for (at, record) in page.records.iter().enumerate().skip(from) {
            // A large object begins a piece of its own.
            if out.len() >= bytes || (!out.is_empty() && record.len() > bytes) {
                return Ok(at);
            }
            if at > 0 {
                out.push(b',');
            }
            match show {
                None => record.write_json(&target.resource, record.revision, typed, out)?,
                Some(show) => {
                    let object = self.cache.decoded(&target.resource, record)?;
                    json::encode_to(&show(&object), out);
                }
            }
        }
        Ok(page.records.len())
    }

    /// The JSON of an object that is larger than so many bytes, in pieces that share what is stored;
    /// none for others.
    ///
    /// # Errors
    /// When the object cannot be read.
    pub fn large_item(
        &self,
        target: &Target,
        page: &Records,
        at: usize,
        bytes: usize,
    ) -> Result<Option<Vec<Bytes>>, Status> {
        let large = page.records.get(at).filter(|record| record.len() > bytes);
        let typed = target.resource.family == Family::Custom;
        large.map(|record| record.cut_json(&target.resource, typed)).transpose()
    }

    /// The objects of a page as [`Registry::write_items`] writes them, copied from what is stored, in
    /// pieces that all share who ask for the page while nothing changes. None if the page is not kept.
    /// Lets others work in between.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub async fn shared_items(
        &self,
        target: &Target,
        page: &Records,
        piece_bytes: usize,
    ) -> Result<Option<Vec<Bytes>>, Status> {
        if !page.records.is_kept() {
            return Ok(None);
        }
        if let Some(pieces) = page.records.written() {
            return Ok(Some(pieces));
        }
        if !WatchCache::is_kept_page(&page.records, page.bytes_len()) {
            return Ok(None);
        }
        let (mut pieces, mut from) = (Vec::new(), 0);
        while from < page.records.len() {
            let mut out = Vec::with_capacity(piece_bytes + piece_bytes / 4);
            from = self.write_items(target, page, None, from, piece_bytes, &mut out)?;
            pieces.push(Bytes::from(out));
            tokio::task::yield_now().await;
        }
        self.cache.keep_page(&page.records, &pieces);
        Ok(Some(pieces))
    }

    /// The protobuf messages of a page's objects, shared by all who ask for them. Lets others work in
    /// between.
    ///
    /// # Errors
    /// When an object cannot be read.
    pub async fn messages(
        &self,
        target: &Target,
        schema: &Schema,
        page: &Records,
    ) -> Result<Vec<Bytes>, Status> {
        let mut messages = Vec::with_capacity(page.records.len());
        for slice in page.records.chunks(SLICE_LEN) {
            for record in slice {
                messages.push(self.cache.message(&target.resource, schema, record)?);
            }
            tokio::task::yield_now().await;
        }
        Ok(messages)
    }

    /// Lists the records of a resource in one namespace, or in all.
    pub async fn list_records(
        &self,
        target: &Target,
        options: &ListOptions,
    ) -> Result<Records, Status> {
        check_list_options(options)?;
        check_fields(target, options)?;
        let start = self.list_start(options).await?;
        match start.at {
            None => self.list_present(target, options).await,
            // Most lists are of now and should not carry the room for this.
            Some(revision) => Box::pin(self.list_past(target, options, revision, start)).await,
        }
    }

    /// Everything as it is now, from the cache.
    async fn list_present(
        &self,
        target: &Target,
        options: &ListOptions,
    ) -> Result<Records, Status> {
        let prefix = target.resource.collection_prefix(&target.namespace);
        let limit = usize::try_from(options.limit).unwrap_or(0);
        let filtered = is_filtered(options);
        let page = match only_name(target, options).filter(|_| filtered) {
            Some(name) => {
                let page = self.present_page(target, &format!("{prefix}{name}"), 1, false).await?;
                let found = page.records.iter().filter(|it| is_named(it, &prefix, name));
                let records = Arc::new(found.cloned().collect::<Vec<_>>().into());
                CachedPage { records, ..page }
            }
            None if filtered => self.present_page(target, &prefix, 0, false).await?,
            None => self.present_page(target, &prefix, limit, true).await?,
        };
        if !filtered {
            let next = page.records.last().map(|record| next_key(&prefix, record));
            let end = End { next, more: page.left > 0 };
            let remaining = (limit > 0).then_some(page.left);
            return Ok(end.finish(page.records, Vec::new(), page.revision, remaining));
        }
        let mut scan = Scan::default();
        let all = &page.records;
        scan.end.more = self.select(target, options, all, limit, &mut scan).await? < all.len();
        scan.end.next = scan.records.last().map(|record| next_key(&prefix, record));
        Ok(scan.finish(page.revision, None))
    }

    /// The first records of now, at most so many (0: all), which may be kept for others. While a collection is still being read
    /// from the store, a page comes from there, so that it costs what it holds.
    async fn present_page(
        &self,
        target: &Target,
        prefix: &str,
        limit: usize,
        keep: bool,
    ) -> Result<CachedPage, Status> {
        let resource = &target.resource;
        let collection = match limit {
            0 => self.cache.collection(resource).await?,
            _ => self.cache.begun(resource).await?,
        };
        if collection.is_filled() {
            self.cache.reach(self.revision().await?).await?;
            let reached = self.cache.reached();
            return Ok(match keep {
                true => collection.shared_page(prefix, limit, reached),
                false => collection.page(prefix, limit, reached),
            });
        }
        let range = Range::prefix(prefix).limit(limit).count();
        let page = self.store.range(range).await.map_err(|error| store_failed(&error))?;
        let left = page.count.unwrap_or(0).saturating_sub(page.entries.len() as u64);
        let records = Arc::new(collection.share(&page.entries).into());
        Ok(CachedPage { records, revision: page.revision, left })
    }

    /// Adds those records that the selectors select, until there are enough (0: all). Tells how
    /// many were looked at; others may work in between.
    async fn select(
        &self,
        target: &Target,
        options: &ListOptions,
        records: &[Arc<Record>],
        limit: usize,
        scan: &mut Scan,
    ) -> Result<usize, Status> {
        let outside = target.resource.strategy.conversion_webhook().is_some();
        let mut examined = 0;
        for slice in records.chunks(SLICE_LEN) {
            let objects = Box::pin(self.present_records(target, slice)).await?;
            for (record, object) in slice.iter().zip(objects) {
                examined += 1;
                if !selected(target, options, &object) {
                    continue;
                }
                scan.records.push(Arc::clone(record));
                if outside {
                    scan.converted.push(object);
                }
                if limit > 0 && scan.records.len() == limit {
                    return Ok(examined);
                }
            }
            tokio::task::yield_now().await;
        }
        Ok(examined)
    }

    /// Everything as it was at a revision, from the history of the store.
    async fn list_past(
        &self,
        target: &Target,
        options: &ListOptions,
        revision: Revision,
        start: Start,
    ) -> Result<Records, Status> {
        let collection = self.cache.begun(&target.resource).await?;
        let prefix = target.resource.collection_prefix(&target.namespace);
        let limit = usize::try_from(options.limit).unwrap_or(0);
        let filtered = is_filtered(options);
        let end = End { next: start.key, more: true };
        let mut scan = Scan { end, ..Scan::default() };
        let mut remaining = start.remaining;
        while scan.end.more && (limit == 0 || scan.records.len() < limit) {
            let wanted = if limit == 0 {
                0
            } else if filtered {
                SCAN_PAGE_LEN_MAX.min(limit.saturating_mul(4))
            } else {
                limit
            };
            let count = limit > 0 && !filtered && remaining.is_none();
            let page = self.past_page(&prefix, &scan, revision, wanted, count).await?;
            let known = remaining.or(page.count);
            remaining = known.map(|count| count.saturating_sub(page.entries.len() as u64));
            let mut records = collection.share(&page.entries);
            let examined = if filtered {
                self.select(target, options, &records, limit, &mut scan).await?
            } else {
                records.len()
            };
            scan.end.more = page.more || examined < records.len();
            if let Some(last) = examined.checked_sub(1).and_then(|at| records.get(at)) {
                scan.end.next = Some(next_key(&prefix, last));
            }
            if !filtered {
                scan.records.append(&mut records);
            }
        }
        let remaining = remaining.filter(|_| limit > 0 && !filtered);
        Ok(scan.finish(revision, remaining))
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
            let at = match token.revision {
                Some(revision) => revision,
                None => self.revision().await?,
            };
            return Ok(Start { at: Some(at), key: Some(token.start), remaining: token.remaining });
        }
        let asked = list_version(&options.resource_version)?;
        if asked == 0 {
            return Ok(Start::default());
        }
        let current = self.revision().await?;
        if asked > current {
            return Err(Status::resource_version_too_large(asked, current));
        }
        // A limited list at a version always meant that very version.
        let exact = match options.resource_version_match.as_str() {
            "Exact" => true,
            "" => options.limit > 0,
            _ => false,
        };
        Ok(Start { at: exact.then_some(asked), ..Start::default() })
    }

    async fn past_page(
        &self,
        prefix: &str,
        scan: &Scan,
        revision: Revision,
        limit: usize,
        count: bool,
    ) -> Result<Page, Status> {
        let start = scan.end.next.as_ref().map(|key| format!("{prefix}{key}"));
        let at = Some(revision);
        let range = Range { prefix, start: start.as_deref(), limit, at, count };
        self.store.range(range).await.map_err(|error| match error {
            StoreError::Compacted { .. } if scan.end.next.is_some() => token_expired(scan),
            // A token that we did not write.
            StoreError::FutureRevision { requested, current } => {
                Status::resource_version_too_large(requested, current)
            }
            other => store_failed(&other),
        })
    }
}

#[derive(Default)]
struct Start {
    at: Option<Revision>,
    key: Option<String>,
    /// How many objects are left from the key on, if the token says so.
    remaining: Option<u64>,
}

#[derive(Default)]
struct Scan {
    records: Vec<Arc<Record>>,
    /// Their objects, if selecting had to convert them.
    converted: Vec<Value>,
    end: End,
}

/// How a page ends.
#[derive(Default)]
struct End {
    /// The key to go on from, without the prefix.
    next: Option<String>,
    more: bool,
}

impl Scan {
    fn finish(self, revision: Revision, remaining: Option<u64>) -> Records {
        self.end.finish(Arc::new(self.records.into()), self.converted, revision, remaining)
    }
}

impl End {
    fn finish(
        self,
        records: Arc<RecordList>,
        converted: Vec<Value>,
        revision: Revision,
        remaining: Option<u64>,
    ) -> Records {
        let remaining = remaining.filter(|_| self.more);
        let token = self.more.then(|| ContinueToken {
            revision: Some(revision),
            start: self.next.unwrap_or_default(),
            remaining,
        });
        Records {
            records,
            converted,
            resource_version: revision,
            remaining,
            continue_token: token.map(|token| token.encode()).unwrap_or_default(),
        }
    }
}

/// The refusal of a token whose list is history, with one that goes on with what is there now.
fn token_expired(scan: &Scan) -> Status {
    let mut status = Status::expired(
        "The provided continue parameter is too old to display a consistent list result. You can \
         start a new list without the continue parameter, or use the continue token in this \
         response to retrieve the remainder of the results. Continuing with the provided token \
         results in an inconsistent list - objects that were created, modified, or deleted \
         between the time the first chunk was returned and now may show up in the list.",
    );
    let start = scan.end.next.clone().unwrap_or_default();
    let token = ContinueToken { revision: None, start, remaining: None };
    status.continue_token = Some(token.encode().into());
    status
}

fn is_named(record: &Record, prefix: &str, name: &str) -> bool {
    record.key.strip_prefix(prefix) == Some(name)
}

fn next_key(prefix: &str, record: &Record) -> String {
    format!("{}\0", record.key.strip_prefix(prefix).unwrap_or(&record.key))
}

pub(crate) fn is_filtered(options: &ListOptions) -> bool {
    !options.labels.is_everything() || !options.fields.is_everything()
}

/// The one name that the fields select, in a place where it names one object.
pub(crate) fn only_name<'a>(target: &Target, options: &'a ListOptions) -> Option<&'a Text> {
    let scoped = !target.resource.namespaced || !target.namespace.is_empty();
    match options.fields.requirements.as_slice() {
        [one] if scoped && one.equal && one.field == "metadata.name" => Some(&one.value),
        _ => None,
    }
}

/// Whether both selectors select an object.
pub(crate) fn selected(target: &Target, options: &ListOptions, object: &Value) -> bool {
    options.labels.matches(object::labels(object))
        && options.fields.requirements.iter().all(|requirement| {
            let strategy = &target.resource.strategy;
            let value = strategy.field(&target.version, object, &requirement.field);
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
