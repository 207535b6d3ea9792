//! List types, keys and uniqueness.

use ordain_schema::native::{Equality, KeyField, Level, Match, Rule};

use super::check::Outcome;
use super::context::{Context, LineTag, Refusal};
use super::discover::Discovery;
use super::gotype::GoKind;
use super::rule::{Function, Rules};
use crate::graph::TypeId;
use crate::tags::codetag::go_quote;

/// What the tags of a list said so far.
#[derive(Clone, Debug, Default)]
pub(super) struct ListMeta {
    ownership: Option<Ownership>,
    pub semantic: Option<Semantic>,
    pub keys: Vec<KeyField>,
    custom_unique: bool,
    level: Option<Level>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ownership {
    Single,
    Shared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Semantic {
    Atomic,
    Set,
    Map,
}

const LIST_MAP_ELEMENT: &str = "only lists of structs can be list-maps";

impl<'u> Discovery<'u> {
    /// The element of a list, or a refusal.
    fn list_elem(&self, context: &Context<'u>, tag: &LineTag) -> Result<TypeId, Refusal> {
        let kind = self.universe.native_kind(context.ty);
        let base = self.universe.native_base(context.ty);
        match self.universe.go_elem(base) {
            Some(elem) if matches!(kind, GoKind::Slice | GoKind::Array) => Ok(elem),
            _ => {
                let message = format!("can only be used on list types ({})", kind.name());
                Err(Refusal::new(tag.pos(), message)
                    .help("remove the tag, or make the type a list"))
            }
        }
    }

    fn is_struct_value(&self, ty: TypeId) -> bool {
        self.universe.native_kind(ty) == GoKind::Struct
    }

    pub(super) fn list_type(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let elem = self.list_elem(context, tag)?;
        let structs = self.is_struct_value(elem);
        let refuse = |message: String| Err(Refusal::new(tag.pos(), message));
        let meta = self.lists.entry(context.path.clone()).or_default();
        meta.level = context.level;
        if meta.ownership.is_some() {
            return refuse("listType cannot be specified more than once".into());
        }
        let word = tag.tag.value.text();
        let shared = matches!(word, "set" | "map");
        if shared && matches!(meta.semantic, Some(Semantic::Set | Semantic::Map)) {
            return refuse(format!("unique tag is redundant for listType={}", go_quote(word)));
        }
        match word {
            "atomic" => {
                meta.ownership = Some(Ownership::Single);
                meta.semantic = meta.semantic.or(Some(Semantic::Atomic));
            }
            "set" => {
                meta.ownership = Some(Ownership::Shared);
                meta.semantic = Some(Semantic::Set);
            }
            "map" => {
                if !structs {
                    return refuse(LIST_MAP_ELEMENT.into());
                }
                meta.ownership = Some(Ownership::Shared);
                meta.semantic = Some(Semantic::Map);
            }
            _ => {
                let message = format!("unknown list type {}", go_quote(word));
                return Err(Refusal::new(tag.pos(), message).help("use atomic, set or map"));
            }
        }
        Ok(Rules::default())
    }

    pub(super) fn list_map_key(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let elem = self.list_elem(context, tag)?;
        if !self.is_struct_value(elem) {
            return Err(Refusal::new(tag.pos(), LIST_MAP_ELEMENT));
        }
        let word = tag.tag.value.text();
        let Some(member) = self.universe.member_by_json(elem, word) else {
            let message = format!("no field for JSON name {}", go_quote(word));
            return Err(Refusal::new(tag.pos(), message).help(self.json_names_help(elem)));
        };
        let key = match self.universe.go_kind(member.ty) {
            GoKind::Pointer => self.universe.go_elem(member.ty),
            _ => Some(member.ty),
        };
        if key.is_none_or(|key| self.universe.native_kind(key) != GoKind::Builtin) {
            let message = format!(
                "only primitive types and pointers to primitive types can be list-map keys, not {}",
                self.universe.go_display(member.ty)
            );
            return Err(Refusal::new(tag.pos(), message));
        }
        let key = KeyField { json: word.into(), go: member.name.clone() };
        self.lists.entry(context.path.clone()).or_default().keys.push(key);
        Ok(Rules::default())
    }

    /// The JSON names a struct has, as advice.
    pub(super) fn json_names_help(&self, ty: TypeId) -> String {
        let names: Vec<&str> = self
            .universe
            .fields(ty)
            .iter()
            .map(super::gotype::go_json_name)
            .filter(|name| !name.is_empty())
            .take(20)
            .collect();
        format!("the JSON names are {}", names.join(", "))
    }

    pub(super) fn unique(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let elem = self.list_elem(context, tag)?;
        let structs = self.is_struct_value(elem);
        let refuse = |message: String| Err(Refusal::new(tag.pos(), message));
        let meta = self.lists.entry(context.path.clone()).or_default();
        meta.level = context.level;
        if meta.ownership == Some(Ownership::Shared) {
            return refuse("unique tag may not be used with listType=set or listType=map".into());
        }
        if matches!(meta.semantic, Some(Semantic::Set | Semantic::Map)) {
            return refuse("unique tag cannot be specified more than once".into());
        }
        let word = tag.tag.value.text();
        match word {
            "set" => meta.semantic = Some(Semantic::Set),
            "map" if !structs => return refuse(LIST_MAP_ELEMENT.into()),
            "map" => meta.semantic = Some(Semantic::Map),
            _ => {
                let message = format!("unknown unique type {}", go_quote(word));
                return Err(Refusal::new(tag.pos(), message).help("use set or map"));
            }
        }
        Ok(Rules::default())
    }

    pub(super) fn custom_unique(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        self.list_elem(context, tag)?;
        self.lists.entry(context.path.clone()).or_default().custom_unique = true;
        Ok(Rules::default())
    }

    /// What a list's tags amount to once all are read.
    pub(super) fn list_rules(&mut self, context: &Context<'u>, is_field: bool) -> Outcome {
        let kind = self.universe.native_kind(context.ty);
        if !matches!(kind, GoKind::Slice | GoKind::Array) {
            return Ok(Rules::default());
        }
        let refuse = |message: String| Err(Refusal::new(context.pos, message));
        let of_type = self.lists.contains_key(&self.universe.go_display(context.ty));
        let Some(meta) = self.lists.get(&context.path) else { return Ok(Rules::default()) };
        if is_field && of_type {
            return refuse(format!(
                "found list metadata for both a field and its type: {}",
                context.path
            ))
            .map_err(|refusal: Refusal| refusal.help("keep the tags of the type or of the field"));
        }
        if !meta.keys.is_empty() && meta.semantic != Some(Semantic::Map) {
            return refuse("found listMapKey without listType=map or unique=map".into())
                .map_err(|refusal: Refusal| refusal.help("add +k8s:listType=map"));
        }
        if meta.keys.is_empty() && meta.semantic == Some(Semantic::Map) {
            return refuse("found listType=map or unique=map without listMapKey".into())
                .map_err(|refusal: Refusal| refusal.help("add +k8s:listMapKey=<field>"));
        }
        if meta.ownership.is_none() {
            return refuse(
                "listType must be specified - use listType=atomic, listType=set, or listType=map"
                    .into(),
            );
        }
        if meta.custom_unique {
            return Ok(Rules { comments: 1, ..Rules::default() });
        }
        let matching = match meta.semantic {
            Some(Semantic::Set) => {
                let elem = self.universe.go_elem(self.universe.native_base(context.ty));
                Match::Equal(self.equality(elem))
            }
            Some(Semantic::Map) => Match::Keys(meta.keys.clone()),
            Some(Semantic::Atomic) | None => return Ok(Rules::default()),
        };
        let function = Function::new(Rule::Unique(matching)).level(meta.level);
        Ok(Rules::of(function))
    }

    /// How values of a type are compared.
    pub(super) fn equality(&self, ty: Option<TypeId>) -> Equality {
        let direct =
            ty.is_some_and(|ty| self.universe.is_direct_comparable(self.universe.native_base(ty)));
        if direct { Equality::Direct } else { Equality::Semantic }
    }
}
