//! `items`, then `minItems`, `maxItems` and `uniqueItems`.

use std::collections::HashMap;

use ordain_value::field::{BadValue, Kind};
use ordain_value::{List, Value, json};

use super::place::Place;
use super::{Checks, Mode, Walk, in_body};
use crate::plan::PlanNode;
use crate::ratchet::OldItems;

impl Walk<'_> {
    /// Returns the matches of the items.
    pub(super) fn check_list<M: Mode>(
        &mut self,
        node: &PlanNode,
        checks: Option<&Checks>,
        list: &List,
        old: Option<&Value>,
        place: &Place<'_>,
        depth: usize,
    ) -> u64 {
        let mut count = 0;
        let items_list = list.as_slice();
        if let Some(items) = node.items
            && (M::COUNT || self.plan.node(items).below.checks)
        {
            let old_items = old.filter(|_| M::RATCHET).and_then(|old| OldItems::new(node, old));
            let next = if M::SKIP { self.trail.next() } else { None };
            let first = next.unwrap_or_default().at;
            for (i, item) in items_list.iter().enumerate().skip(first) {
                let judged = next.is_some() && i == first;
                if M::SKIP && !judged && self.is_sound(items, item, depth + 1) {
                    continue;
                }
                let old = old_items.as_ref().and_then(|it| it.of(item));
                count += self.visit::<M>(items, item, old, &place.index(i), depth + 1);
            }
        }
        let Some(checks) = checks.and_then(|it| it.list.as_ref()) else {
            return count;
        };
        if checks.len.pass(items_list.len()) && !checks.unique_items {
            return count;
        }
        let len = i64::try_from(list.len()).unwrap_or(i64::MAX);
        if let Some(min) = checks.min_items.filter(|min| len < *min) {
            self.fail_limit(place, || len.into(), &["should have at least ", " items"], min);
        }
        if let Some(max) = checks.max_items.filter(|max| len > *max) {
            self.fail(place, |_| (Kind::TooMany, len.into(), too_many(max)));
        }
        if checks.unique_items && has_repeats(list) {
            self.fail(place, |name| {
                let detail = in_body(name, &["shouldn't contain duplicates"]);
                (Kind::Invalid, BadValue::from(""), detail)
            });
        }
        count
    }
}

pub(super) fn too_many(max: i64) -> String {
    match max {
        1 => "must have at most 1 item".to_owned(),
        0.. => format!("must have at most {max} items"),
        _ => "has too many items".to_owned(),
    }
}

/// Lists up to this length are compared pair by pair, which needs no memory.
const PAIRS_MAX: usize = 24;

fn has_repeats(list: &List) -> bool {
    if list.len() <= PAIRS_MAX {
        return list.iter().enumerate().any(|(i, item)| list[..i].contains(item));
    }
    // Equal values have the same text; 1 and 1.0 have it too without being equal.
    let mut by_text: HashMap<Vec<u8>, Vec<&Value>> = HashMap::with_capacity(list.len());
    list.iter().any(|item| {
        let alike = by_text.entry(json::encode(item)).or_default();
        let repeated = alike.contains(&item);
        if !repeated && alike.len() < 2 {
            alike.push(item);
        }
        repeated
    })
}
