//! Unions and state-based rules of declared Go types.

use ordain_schema::native::{
    DiscriminatedRule, Program, TypeId, UnionRule, UnionRuleMember, UnionSelect,
};
use ordain_value::{Value, go_quote};

use super::rule::{invalid, is_set, matches};
use super::run::{Place, Run};
use super::value::{element_type, equal, field_type};

impl Run<'_> {
    pub(super) fn union(&mut self, union: &UnionRule, place: Place<'_>) {
        let set = |object: Option<&Value>| -> Vec<bool> {
            let elem = element_type(self.program, place.ty);
            union.members.iter().map(|it| member_is_set(self.program, elem, it, object)).collect()
        };
        let new = set(Some(place.new));
        let mut changed = self.update && new != set(place.old);
        if let Some((_, go)) = &union.discriminator {
            changed |= self.update && text(Some(place.new), go) != text(place.old, go);
        }
        // A union whose members and discriminator stay as they are is not validated again.
        if self.update && place.old.is_some_and(|it| !it.is_null()) && !changed {
            return;
        }
        match &union.discriminator {
            Some((json, go)) => self.discriminated_union(union, json, go, &new, place),
            None => self.plain_union(union, &new, place),
        }
    }

    fn discriminated_union(
        &mut self,
        union: &UnionRule,
        json: &str,
        go: &str,
        set: &[bool],
        place: Place<'_>,
    ) {
        let selected = text(Some(place.new), go);
        for (member, is_set) in union.members.iter().zip(set) {
            let is_selected = member.discriminator_value == selected;
            let value = go_quote(&member.discriminator_value);
            let detail = match (is_set, is_selected) {
                (true, false) => format!("may only be specified when `{json}` is {value}"),
                (false, true) => format!("must be specified when `{json}` is {value}"),
                _ => continue,
            };
            let path = place.path.child(&member.name).to_string();
            self.report(invalid(path, "", detail).with_origin("union"));
        }
    }

    fn plain_union(&mut self, union: &UnionRule, set: &[bool], place: Place<'_>) {
        let all: Vec<String> = union.members.iter().map(|it| format!("`{}`", it.name)).collect();
        let all = all.join(", ");
        let specified: Vec<&str> = (union.members.iter().zip(set))
            .filter(|it| *it.1)
            .map(|it| it.0.name.as_str())
            .collect();
        let path = place.path.to_string();
        let shown = format!("{{{}}}", specified.join(", "));
        let error = match (specified.len(), union.zero_or_one) {
            (0, false) => invalid(path, "", format!("must specify one of: {all}")),
            (2.., false) => invalid(path, &shown, format!("must specify exactly one of: {all}")),
            (2.., true) => invalid(path, &shown, format!("must specify at most one of: {all}")),
            _ => return,
        };
        let origin = if union.zero_or_one { "zeroOrOneOf" } else { "union" };
        self.report(error.with_origin(origin));
    }

    pub(super) fn discriminated(&mut self, rule: &DiscriminatedRule, place: Place<'_>) {
        let Some(ty) = field_type(self.program, place.ty, &rule.go) else { return };
        let new = place.new.get(&rule.go).unwrap_or(&Value::Null);
        let old = place.old.map(|it| it.get(&rule.go).unwrap_or(&Value::Null));
        let discriminator = place.new.get(&rule.discriminator);
        let same = place.old.is_some_and(|it| it.get(&rule.discriminator) == discriminator);
        if self.update
            && same
            && old.is_some_and(|it| equal(self.program, ty, rule.equality, new, it))
        {
            return;
        }
        let path = place.path.child(&rule.json);
        let place = Place { ty, path: &path, new, old };
        let found = rule.rules.iter().find(|it| Some(&it.0) == discriminator);
        let checks = found.map_or(&rule.otherwise, |it| &it.1);
        let checks: Vec<_> = checks.iter().collect();
        self.sequence(&checks, place);
    }
}

fn text<'a>(object: Option<&'a Value>, go: &str) -> &'a str {
    object.and_then(|it| it.get(go)).and_then(Value::as_str).unwrap_or("")
}

fn member_is_set(
    program: &Program,
    elem: TypeId,
    member: &UnionRuleMember,
    object: Option<&Value>,
) -> bool {
    let Some(object) = object else { return false };
    match &member.select {
        UnionSelect::Field { go, setness } => object.get(go).is_some_and(|it| is_set(*setness, it)),
        UnionSelect::Item(criteria) => {
            let items = object.as_list();
            items.is_some_and(|it| it.iter().any(|it| matches(program, elem, criteria, it)))
        }
    }
}
