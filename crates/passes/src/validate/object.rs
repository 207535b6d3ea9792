//! `minProperties`, `maxProperties`, the values of properties and further keys, `required`.

use ordain_value::field::Kind;
use ordain_value::{Map, Value};

use super::checks::ObjectChecks;
use super::list::too_many;
use super::place::Place;
use super::{Checks, Walk, passes};
use crate::plan::{Additional, PlanNode};
use crate::ratchet;

impl Walk<'_> {
    /// Returns the matches of the values.
    pub(super) fn check_object<const COUNT: bool>(
        &mut self,
        node: &PlanNode,
        checks: Option<&Checks>,
        map: &Map,
        old: Option<&Value>,
        place: &Place<'_>,
        depth: usize,
    ) -> u64 {
        let checks = checks.and_then(|it| it.object.as_deref());
        if let Some(checks) = checks {
            self.check_size(checks, map, place);
        }
        let mut count = 0;
        let mut required = 0;
        let mut cursor = 0;
        let plan = self.plan;
        for (key, value) in map.entries() {
            if let Some(property) = node.properties.seek(&mut cursor, key) {
                required += usize::from(property.required);
                if !COUNT
                    && (property.glance.passes(value) || passes(plan.node(property.node), value))
                {
                    continue;
                }
                // Types at the root are not visible to a client, so they are never forgiven.
                let old = old
                    .and_then(|old| ratchet::old_value(old, key))
                    .filter(|_| depth > 0 || !matches!(key.as_str(), "apiVersion" | "kind"));
                let place = place.property(key);
                count += self.visit::<COUNT>(property.node, value, old, &place, depth + 1);
                continue;
            }
            match node.additional {
                Additional::Node(id) => {
                    if !COUNT && passes(plan.node(id), value) {
                        continue;
                    }
                    let old = old.and_then(|old| ratchet::old_value(old, key));
                    let place = place.additional(key);
                    count += self.visit::<COUNT>(id, value, old, &place, depth + 1);
                }
                Additional::Forbidden => self.fail(place, |name| {
                    let detail = format!("{name}.{key} in body is a forbidden property");
                    (Kind::Invalid, key.into(), detail)
                }),
                Additional::Absent | Additional::Any => {}
            }
        }
        if let Some(checks) = checks
            && checks.required_declared != Some(required)
        {
            self.check_required(checks, map, place);
        }
        count
    }

    fn check_size(&mut self, checks: &ObjectChecks, map: &Map, place: &Place<'_>) {
        let len = i64::try_from(map.len()).unwrap_or(i64::MAX);
        if let Some(min) = checks.min_properties.filter(|min| len < *min) {
            self.fail(place, |name| {
                let detail = format!("{name} in body should have at least {min} properties");
                (Kind::Invalid, len.into(), detail)
            });
        }
        if let Some(max) = checks.max_properties.filter(|max| len > *max) {
            self.fail(place, |_| (Kind::TooMany, len.into(), too_many(max)));
        }
    }

    fn check_required(&mut self, checks: &ObjectChecks, map: &Map, place: &Place<'_>) {
        for name in &checks.required {
            if !map.contains_key(name) {
                let place = place.additional(name);
                self.fail(&place, |_| (Kind::Required, "".into(), String::new()));
            }
        }
    }
}
