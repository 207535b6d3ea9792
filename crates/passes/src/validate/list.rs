//! `items`, then `minItems`, `maxItems` and `uniqueItems`.

use ordain_value::field::{BadValue, Kind};
use ordain_value::{List, Value};

use super::place::Place;
use super::{Checks, Mode, Walk};
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
            for (i, item) in items_list.iter().enumerate() {
                if self.passes_over::<M>(items, item, depth + 1, i, next) {
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
            self.fail(place, |name| {
                let detail = format!("{name} in body should have at least {min} items");
                (Kind::Invalid, len.into(), detail)
            });
        }
        if let Some(max) = checks.max_items.filter(|max| len > *max) {
            self.fail(place, |_| (Kind::TooMany, len.into(), too_many(max)));
        }
        if checks.unique_items && has_repeats(list) {
            self.fail(place, |name| {
                let detail = format!("{name} in body shouldn't contain duplicates");
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

fn has_repeats(list: &List) -> bool {
    list.iter().enumerate().any(|(i, item)| list[..i].contains(item))
}
