//! Unions and state-based rules of declared Go types.

use ordain_schema::native::{
    DiscriminatedRule, Program, TypeId, UnionRule, UnionRuleMember, UnionSelect,
};
use ordain_value::{Text, Value, go_quote};

use super::rule::{invalid, is_set, matches};
use super::run::{Place, Run};
use super::value::{NULL, element_type, equal, field_named, struct_field};

impl Run<'_> {
    pub(super) fn union(&mut self, union: &UnionRule, place: Place<'_>) {
        let set = |object: Option<&Value>| -> Vec<bool> {
            let elem = element_type(self.program, place.ty);
            let is_set = |it| member_is_set(self.program, place.ty, elem, it, object);
            union.members.iter().map(is_set).collect()
        };
        let new = set(Some(place.new));
        let mut changed = self.update && new != set(place.old);
        if let Some((_, go)) = &union.discriminator {
            let text = |object| text(self.program, place.ty, object, go);
            changed |= self.update && text(Some(place.new)) != text(place.old);
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
        let selected = text(self.program, place.ty, Some(place.new), go);
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
        let Some(ty) = struct_field(self.program, place.ty, &rule.go).map(|it| it.ty) else {
            return;
        };
        let of = |object, go: &str| field_named(self.program, place.ty, go, object).map(|it| it.1);
        let new = of(place.new, &rule.go);
        let new = new.as_deref().unwrap_or(&NULL);
        let old = place.old.map(|it| of(it, &rule.go));
        let old = old.as_ref().map(|it| it.as_deref().unwrap_or(&NULL));
        let discriminator = of(place.new, &rule.discriminator);
        let same = place.old.is_some_and(|it| of(it, &rule.discriminator) == discriminator);
        if self.update
            && same
            && old.is_some_and(|it| equal(self.program, ty, rule.equality, new, it))
        {
            return;
        }
        let path = place.path.child(&rule.json);
        let place = Place { ty, path: &path, new, old };
        let found = rule.rules.iter().find(|it| Some(&it.0) == discriminator.as_deref());
        self.sequence(found.map_or(&rule.otherwise, |it| &it.1), place);
    }
}

/// The text of a field.
fn text(program: &Program, ty: TypeId, object: Option<&Value>, go: &str) -> Text {
    let found = object.and_then(|it| field_named(program, ty, go, it));
    found.and_then(|it| it.1.as_text().cloned()).unwrap_or_default()
}

fn member_is_set(
    program: &Program,
    ty: TypeId,
    elem: TypeId,
    member: &UnionRuleMember,
    object: Option<&Value>,
) -> bool {
    let Some(object) = object else { return false };
    match &member.select {
        UnionSelect::Field { go, setness } => {
            field_named(program, ty, go, object).is_some_and(|it| is_set(*setness, &it.1))
        }
        UnionSelect::Item(criteria) => {
            let items = object.as_list();
            items.is_some_and(|it| it.iter().any(|it| matches(program, elem, criteria, it)))
        }
    }
}
