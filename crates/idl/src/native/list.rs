//! List semantics: `listType`, `listMapKey`, `unique`, `customUnique`, and iteration of values.

use ordain_schema::native::{Check, Level, Match, Rule};
use ordain_value::Text;

use super::discover::{Context, Extractor, Validations, check};
use super::shape::Kind;
use crate::graph::TypeId;
use crate::tags::codetag::Tag;

/// What the tags of one list said.
#[derive(Clone, Debug, Default)]
pub(super) struct ListMeta {
    owned: Option<Owned>,
    pub(super) semantic: Option<Semantic>,
    /// Go names and JSON names of the keys.
    pub(super) keys: Vec<(Text, Text)>,
    custom_unique: bool,
    level: Option<Level>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owned {
    Single,
    Shared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Semantic {
    Atomic,
    Set,
    Map,
}

impl ListMeta {
    fn unique_already(&self) -> bool {
        self.semantic.is_some_and(|it| it != Semantic::Atomic)
    }

    fn key_match(&self) -> Match {
        Match::Keys(self.keys.iter().map(|it| it.0.clone()).collect())
    }
}

impl Extractor<'_> {
    fn list_elem(&self, ty: TypeId) -> Result<TypeId, String> {
        match self.native_kind(ty) {
            Kind::Slice(of) => Ok(of),
            kind => Err(format!("can only be used on list types ({})", kind.name())),
        }
    }

    fn elem_is_struct(&self, elem: TypeId) -> Result<(), String> {
        match self.native_kind(elem) {
            Kind::Struct(_) => Ok(()),
            _ => Err("only lists of structs can be list-maps".into()),
        }
    }

    pub(super) fn list_type(&mut self, ctx: &Context<'_>, tag: &Tag) -> Result<Validations, String> {
        let elem = self.list_elem(ctx.ty)?;
        let is_struct = self.elem_is_struct(elem);
        let meta = self.lists.entry(ctx.path.clone()).or_default();
        meta.level = ctx.level;
        if meta.owned.is_some() {
            return Err("listType cannot be specified more than once".into());
        }
        let kind = tag.value.text();
        match kind {
            "atomic" => {
                meta.owned = Some(Owned::Single);
                meta.semantic.get_or_insert(Semantic::Atomic);
            }
            "set" | "map" => {
                meta.owned = Some(Owned::Shared);
                if meta.unique_already() {
                    return Err(format!("unique tag is redundant for listType=\"{kind}\""));
                }
                if kind == "map" {
                    is_struct?;
                }
                meta.semantic = Some(if kind == "set" { Semantic::Set } else { Semantic::Map });
            }
            other => return Err(format!("unknown list type \"{other}\"")),
        }
        Ok(Validations::default())
    }

    pub(super) fn list_map_key(
        &mut self,
        ctx: &Context<'_>,
        tag: &Tag,
    ) -> Result<Validations, String> {
        let elem = self.list_elem(ctx.ty)?;
        self.elem_is_struct(elem)?;
        let json = tag.value.text();
        let Some(field) = self.field_by_json(elem, json) else {
            return Err(format!("no field for JSON name \"{json}\""));
        };
        let (go, ty) = (field.name.clone(), field.ty);
        let base = match self.kind(ty) {
            Kind::Pointer(to) => to,
            _ => ty,
        };
        if !matches!(self.native_kind(base), Kind::Builtin(_)) {
            return Err(format!(
                "only primitive types and pointers to primitive types can be list-map keys, not {}",
                self.universe.display(ty)
            ));
        }
        let meta = self.lists.entry(ctx.path.clone()).or_default();
        meta.keys.push((go, Text::new(json)));
        Ok(Validations::default())
    }

    pub(super) fn unique(&mut self, ctx: &Context<'_>, tag: &Tag) -> Result<Validations, String> {
        let elem = self.list_elem(ctx.ty)?;
        let is_struct = self.elem_is_struct(elem);
        let meta = self.lists.entry(ctx.path.clone()).or_default();
        meta.level = ctx.level;
        if meta.owned == Some(Owned::Shared) {
            return Err("unique tag may not be used with listType=set or listType=map".into());
        }
        if meta.unique_already() {
            return Err("unique tag cannot be specified more than once".into());
        }
        meta.semantic = Some(match tag.value.text() {
            "set" => Semantic::Set,
            "map" => {
                is_struct?;
                Semantic::Map
            }
            other => return Err(format!("unknown unique type \"{other}\"")),
        });
        Ok(Validations::default())
    }

    pub(super) fn custom_unique(&mut self, ctx: &Context<'_>) -> Result<Validations, String> {
        self.list_elem(ctx.ty)?;
        self.lists.entry(ctx.path.clone()).or_default().custom_unique = true;
        Ok(Validations::default())
    }

    /// What the list tags of a type or field come to, once all are read.
    pub(super) fn list_validations(&mut self, ctx: &Context<'_>) -> Result<Validations, String> {
        let Kind::Slice(elem) = self.native_kind(ctx.ty) else { return Ok(Validations::default()) };
        let Some(meta) = self.lists.get(&ctx.path) else { return Ok(Validations::default()) };
        if ctx.member.is_some() && self.lists.contains_key(&self.universe.display(ctx.ty)) {
            let path = &ctx.path;
            return Err(format!("found list metadata for both a field and its type: {path}"));
        }
        if !meta.keys.is_empty() && meta.semantic != Some(Semantic::Map) {
            return Err("found listMapKey without listType=map or unique=map".into());
        }
        if meta.semantic == Some(Semantic::Map) && meta.keys.is_empty() {
            return Err("found listType=map or unique=map without listMapKey".into());
        }
        if meta.owned.is_none() {
            return Err("listType must be specified - use listType=atomic, listType=set, or \
                        listType=map"
                .into());
        }
        if meta.custom_unique {
            return Ok(Validations { comments: 1, ..Validations::default() });
        }
        let matching = match meta.semantic {
            Some(Semantic::Set) => Match::Equal(self.equality(elem)),
            Some(Semantic::Map) => meta.key_match(),
            _ => return Ok(Validations::default()),
        };
        let mut unique = check(Rule::Unique(matching));
        unique.level = meta.level;
        Ok(Validations { checks: vec![unique], ..Validations::default() })
    }

    /// The semantic and keys of a list by its place, else by its type.
    pub(super) fn list_meta(&self, path: &str, ty: TypeId) -> Option<&ListMeta> {
        self.lists.get(path).or_else(|| self.lists.get(&self.universe.display(ty)))
    }

    /// Wraps a check so that it runs on every value of a list or map.
    pub(super) fn each_value(&self, ty: TypeId, path: &str, inner: Check) -> Check {
        let outer = |rule, inner: &Check| Check {
            rule,
            short_circuit: inner.short_circuit,
            non_error: inner.non_error,
            cohort: Text::default(),
            level: None,
        };
        match self.native_kind(ty) {
            Kind::Map(_, value) => {
                let equivalence = self.equality(value);
                let rule =
                    Rule::EachMapValue { equivalence, inner: Box::new(inner.clone()) };
                outer(rule, &inner)
            }
            Kind::Slice(elem) => {
                let (matching, equivalence) = match self.list_meta(path, ty) {
                    Some(meta) if meta.semantic == Some(Semantic::Map) => {
                        (meta.key_match(), Some(self.equality(elem)))
                    }
                    Some(meta) if meta.semantic == Some(Semantic::Set) => {
                        (Match::Equal(self.equality(elem)), None)
                    }
                    _ => (Match::None, None),
                };
                let rule =
                    Rule::EachValue { matching, equivalence, inner: Box::new(inner.clone()) };
                outer(rule, &inner)
            }
            _ => inner,
        }
    }
}
