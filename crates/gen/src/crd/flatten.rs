//! References and embedded structs dissolved, so that one schema says it all.
//!
//! A reference becomes `allOf` of the type's schema and of what stands on the field; then every
//! `allOf` is merged into the schema around it. What cannot be merged without loss stays there.

use std::collections::BTreeMap;

use ordain_idl::Diagnostic;
use ordain_idl::graph::NamedId;
use ordain_schema::raw::{BoolOr, Items, Raw};
use ordain_value::Text;

use super::schema::referred;
use super::{Generator, doc};

/// Types in types.
const DEPTH_MAX: u32 = 100;
/// Schemas of one kind; a whole pod template has about three thousand.
const NODES_MAX: usize = 200_000;

impl Generator<'_> {
    /// The schema of a kind without references, embedded structs merged.
    pub(super) fn flat(&mut self, id: NamedId) -> Raw {
        self.nodes = 0;
        let mut schema = match self.flattened.get(&id) {
            Some((known, _)) => known.clone(),
            None => {
                let mut schema = self.schema(id);
                self.open.push(id);
                self.dissolve(&mut schema, 0);
                self.open.pop();
                self.remember(id, &schema);
                schema
            }
        };
        hide_all(&mut schema);
        let enums_apart = self.options.keeps_both_enums();
        let mut merging = Merging { conflicts: Vec::new(), enums_apart };
        edit(&mut schema, &mut |schema| {
            for branch in schema.all_of.take().unwrap_or_default() {
                merge(schema, branch, &mut merging);
            }
        });
        settle(&mut schema);
        let pos = self.universe.named(id).pos;
        for message in merging.conflicts {
            let help = "the branches are a type and the markers on a field of it, or structs embedded in one";
            self.diagnostics.push(Diagnostic::error("conflict", pos, message).help(help));
        }
        schema
    }

    fn remember(&mut self, id: NamedId, schema: &Raw) {
        let mut count = 0;
        schema.any(&mut |_| {
            count += 1;
            false
        });
        self.flattened.insert(id, (schema.clone(), count));
    }

    /// Replaces the references in a schema.
    fn dissolve(&mut self, schema: &mut Raw, depth: u32) {
        self.nodes += 1;
        let id = match referred(schema) {
            Some(_) if depth > DEPTH_MAX || self.nodes > NODES_MAX => {
                let message = "the types of this kind nest too deeply or repeat too often";
                let diagnostic = Diagnostic::nowhere("size", message);
                if !self.diagnostics.contains(&diagnostic) {
                    self.diagnostics.push(diagnostic);
                }
                *schema = Raw::default();
                return;
            }
            Some(id) => id,
            None => {
                each_child(schema, &mut |child| self.dissolve(child, depth + 1));
                return;
            }
        };
        if self.open.contains(&id) {
            let named = self.universe.named(id);
            let message = format!("type {} contains itself, and is cut off there", named.name);
            let help = "CRD schemas cannot recur; mark the field with `+kubebuilder:validation:Schemaless` and `+kubebuilder:pruning:PreserveUnknownFields`";
            self.diagnostics.push(Diagnostic::warning("recursion", named.pos, message).help(help));
        }
        if let Some((known, count)) = self.flattened.get(&id) {
            self.nodes += count;
            let field = std::mem::replace(schema, known.clone());
            preserve(schema, field);
            return;
        }
        let declared = self.schema(id);
        let field = std::mem::replace(schema, declared);
        // A type that contains itself is an empty schema there.
        self.flattened.insert(id, (Raw::default(), 1));
        self.open.push(id);
        self.dissolve(schema, depth + 1);
        self.open.pop();
        self.remember(id, schema);
        preserve(schema, field);
    }
}

/// Joins the schema of a type with what stands on the field; documentation of the field wins.
fn preserve(schema: &mut Raw, mut field: Raw) {
    field.reference = None;
    let or = |own: Text, other: &Text| if own.is_empty() { other.clone() } else { own };
    let description = or(std::mem::take(&mut field.description), &schema.description);
    let title = or(std::mem::take(&mut field.title), &schema.title);
    let external_docs = field.external_docs.take().or_else(|| schema.external_docs.clone());
    let example = field.example.take().or_else(|| schema.example.clone());
    let declared = std::mem::take(schema);
    *schema = Raw {
        description,
        title,
        external_docs,
        example,
        all_of: Some(vec![declared, field]),
        ..Raw::default()
    };
}

/// Visits a schema, then the schemas below what it has become.
fn edit(schema: &mut Raw, visit: &mut dyn FnMut(&mut Raw)) {
    visit(schema);
    each_child(schema, &mut |child| edit(child, visit));
}

/// Decides what depends on what is below.
fn settle(schema: &mut Raw) {
    each_child(schema, &mut settle);
    crate::declared::imply(schema);
}

fn each_child(schema: &mut Raw, visit: &mut dyn FnMut(&mut Raw)) {
    match &mut schema.items {
        Some(Items::One(item)) => visit(item),
        Some(Items::Many(items)) => items.iter_mut().for_each(&mut *visit),
        _ => {}
    }
    for list in [&mut schema.all_of, &mut schema.one_of, &mut schema.any_of] {
        list.iter_mut().flatten().for_each(&mut *visit);
    }
    if let Some(not) = &mut schema.not {
        visit(not);
    }
    for map in [&mut schema.properties, &mut schema.pattern_properties, &mut schema.definitions] {
        map.iter_mut().flatten().for_each(|(_, child)| visit(child));
    }
    for either in [&mut schema.additional_properties, &mut schema.additional_items] {
        if let Some(BoolOr::Schema(child)) = either {
            visit(child);
        }
    }
}

/// Takes from the fields of embedded structs what fields of the same name around them say anew and
/// a branch may not have.
fn hide_all(schema: &mut Raw) {
    if let (Some(own), Some(branches)) = (&schema.properties, &mut schema.all_of) {
        for (name, property) in own {
            branches.iter_mut().for_each(|it| hide(it, name, property));
        }
    }
    each_child(schema, &mut hide_all);
}

fn hide(branch: &mut Raw, name: &Text, by: &Raw) {
    if let Some(hidden) = branch.properties.as_mut().and_then(|it| it.get_mut(name)) {
        if by.default.is_some() {
            hidden.default = None;
        }
        if by.list_type.is_some() {
            (hidden.list_type, hidden.list_map_keys) = (None, None);
        }
    }
    branch.all_of.iter_mut().flatten().for_each(|it| hide(it, name, by));
}

/// Cuts all descriptions of a schema.
pub(super) fn truncate_descriptions(schema: &mut Raw, max: usize) {
    edit(schema, &mut |schema| schema.description = doc::truncate(&schema.description, max));
}

/// Copies what is set; what both sides set goes to `allOf`, once per side.
macro_rules! hoist {
    ($dst:ident, $src:ident, $left:ident, $right:ident, $($field:ident),+) => {
        $(if let Some(value) = $src.$field.take() {
            if $dst.$field.is_none() {
                $dst.$field = Some(value);
            } else {
                $left.$field = $dst.$field.take();
                $right.$field = Some(value);
            }
        })+
    };
}

/// The same for texts, which may agree.
macro_rules! hoist_text {
    ($dst:ident, $src:ident, $left:ident, $right:ident, $($field:ident),+) => {
        $(if !$src.$field.is_empty() && $src.$field != $dst.$field {
            if $dst.$field.is_empty() {
                $dst.$field = std::mem::take(&mut $src.$field);
            } else {
                $left.$field = std::mem::take(&mut $dst.$field);
                $right.$field = std::mem::take(&mut $src.$field);
            }
        })+
    };
}

/// What merging branches knows and finds.
struct Merging {
    conflicts: Vec<String>,
    /// Enumerations of a type and of a field stand side by side in `allOf`.
    enums_apart: bool,
}

/// Merges a branch of `allOf` into the schema around it.
fn merge(dst: &mut Raw, mut src: Raw, merging: &mut Merging) {
    for branch in src.all_of.take().unwrap_or_default() {
        merge(dst, branch, merging);
    }
    let mut left = Raw::default();
    let mut right = Raw::default();
    merge_type(dst, &src, merging);
    merge_children(dst, &mut src, merging);
    if merging.enums_apart && dst.enumeration.is_some() {
        hoist!(dst, src, left, right, enumeration);
    }
    merge_sets(dst, &mut src);
    hoist_text!(dst, src, left, right, id, schema, format, pattern);
    hoist!(
        dst,
        src,
        left,
        right,
        maximum,
        minimum,
        multiple_of,
        max_length,
        min_length,
        max_items,
        min_items,
        one_of,
        any_of,
        not,
        pattern_properties,
        dependencies,
        additional_items,
        definitions
    );
    // A branch may not have these: the first counts.
    dst.default = dst.default.take().or(src.default.take());
    dst.list_type = dst.list_type.take().or(src.list_type.take());
    dst.list_map_keys = dst.list_map_keys.take().or(src.list_map_keys.take());
    if src.max_properties.is_some() && src.max_properties != dst.max_properties {
        hoist!(dst, src, left, right, max_properties);
    }
    if src.min_properties.is_some() && src.min_properties != dst.min_properties {
        hoist!(dst, src, left, right, min_properties);
    }
    if left != Raw::default() {
        dst.all_of.get_or_insert_default().extend([left, right]);
    }
}

fn merge_type(dst: &mut Raw, src: &Raw, merging: &mut Merging) {
    if dst.ty.is_empty() {
        dst.ty = src.ty.clone();
    } else if !src.ty.is_empty() && src.ty != dst.ty {
        let message =
            format!("conflicting types in allOf branches in schema: {} vs {}", dst.ty, src.ty);
        merging.conflicts.push(message);
    }
    dst.exclusive_maximum |= src.exclusive_maximum;
    dst.exclusive_minimum |= src.exclusive_minimum;
    dst.unique_items |= src.unique_items;
    dst.nullable |= src.nullable;
    dst.embedded_resource |= src.embedded_resource;
    dst.int_or_string |= src.int_or_string;
}

fn merge_children(dst: &mut Raw, src: &mut Raw, merging: &mut Merging) {
    if let Some(properties) = src.properties.take() {
        let into: &mut BTreeMap<Text, Box<Raw>> = dst.properties.get_or_insert_default();
        for (name, property) in properties {
            match into.get_mut(&name) {
                Some(known) => merge(known, *property, merging),
                None => {
                    into.insert(name, property);
                }
            }
        }
    }
    match (src.items.take(), &mut dst.items) {
        (Some(Items::One(item)), Some(Items::One(known))) => merge(known, *item, merging),
        (Some(items), none @ None) => *none = Some(items),
        _ => {}
    }
    match (src.additional_properties.take(), &mut dst.additional_properties) {
        (Some(values), none @ None) => *none = Some(values),
        (Some(BoolOr::Schema(values)), Some(BoolOr::Schema(known))) => {
            merge(known, *values, merging);
        }
        (Some(values @ BoolOr::Schema(_)), Some(known)) => *known = values,
        (Some(BoolOr::Bool(_)), Some(_)) | (None, _) => {}
    }
}

fn merge_sets(dst: &mut Raw, src: &mut Raw) {
    if let Some(values) = src.enumeration.take().filter(|values| !values.is_empty())
        && dst.enumeration.as_ref().is_none_or(Vec::is_empty)
    {
        dst.enumeration = Some(values);
    }
    if let Some(names) = src.required.take() {
        let required = dst.required.get_or_insert_default();
        required.extend(names);
        required.sort();
        required.dedup();
    }
    if let Some(mut rules) = src.validations.take() {
        rules.extend(dst.validations.take().unwrap_or_default());
        dst.validations = Some(rules);
    }
    dst.preserve_unknown_fields = src.preserve_unknown_fields.or(dst.preserve_unknown_fields);
    dst.map_type = src.map_type.take().or_else(|| dst.map_type.take());
}
