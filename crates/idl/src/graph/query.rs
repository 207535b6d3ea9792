//! Questions to the graph: what lies beneath a type, what it is called, what JSON it makes.

use std::collections::{HashMap, HashSet, VecDeque};

use smol_str::SmolStr;

use super::constant::{Const, ConstType};
use super::package::{Method, Package};
use super::ty::{Docs, Field, NamedId, StructId, Type, TypeId};
use super::{Universe, ty::is_exported};
use crate::go::comment::{DocLine, GroupId};
use crate::source::FileId;

/// Embedded structs are followed this deep; Go programs stay below ten.
const EMBEDDING_MAX: usize = 32;

/// A field as JSON shows it, after embedded structs were flattened.
#[derive(Clone, Debug)]
pub struct JsonField<'a> {
    /// The key in JSON.
    pub key: SmolStr,
    /// The field.
    pub field: &'a Field,
    /// The embedded fields passed through, outermost first.
    pub through: Vec<&'a Field>,
}

/// Whether a walk goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// Into the type's parts.
    Into,
    /// Past the type.
    Past,
}

impl Universe {
    /// A declared type by package path and name.
    #[must_use]
    pub fn lookup(&self, package: &str, name: &str) -> Option<NamedId> {
        self.package_by_path(package)?.types.get(name).copied()
    }

    /// The type an alias stands for, or the type itself.
    #[must_use]
    pub fn unalias(&self, ty: TypeId) -> TypeId {
        let mut at = ty;
        // INVARIANT: chains of names end; the resolver cuts cycles.
        for _ in 0..=self.named.len() {
            match self.ty(at) {
                Type::Named(id) if self.named(*id).alias => at = self.named(*id).target,
                _ => break,
            }
        }
        at
    }

    /// What a type is beneath all its names; never [`Type::Named`].
    #[must_use]
    pub fn underlying(&self, ty: TypeId) -> TypeId {
        let mut at = ty;
        for _ in 0..=self.named.len() {
            match self.ty(at) {
                Type::Named(id) => at = self.named(*id).target,
                _ => break,
            }
        }
        at
    }

    /// The declared type a type is, aliases removed.
    #[must_use]
    pub fn as_named(&self, ty: TypeId) -> Option<NamedId> {
        match self.ty(self.unalias(ty)) {
            Type::Named(id) => Some(*id),
            _ => None,
        }
    }

    /// The struct beneath a type.
    #[must_use]
    pub fn as_struct(&self, ty: TypeId) -> Option<StructId> {
        match self.ty(self.underlying(ty)) {
            Type::Struct(id) => Some(*id),
            _ => None,
        }
    }

    /// The fields of the struct beneath a type; none for other types.
    #[must_use]
    pub fn fields(&self, ty: TypeId) -> &[Field] {
        self.as_struct(ty).map_or(&[], |id| &self.struct_type(id).fields)
    }

    /// What a pointer points to (through names), or the type itself.
    #[must_use]
    pub fn deref(&self, ty: TypeId) -> TypeId {
        match self.ty(self.underlying(ty)) {
            Type::Pointer(inner) => *inner,
            _ => ty,
        }
    }

    /// A type in Go's spelling with full package paths, as gengo names types.
    #[must_use]
    pub fn display(&self, ty: TypeId) -> String {
        let mut out = String::new();
        self.display_into(ty, &mut out, 0);
        out
    }

    fn display_into(&self, ty: TypeId, out: &mut String, depth: usize) {
        if depth > 128 {
            out.push('…');
            return;
        }
        match self.ty(ty) {
            Type::Basic(basic) => out.push_str(basic.name()),
            Type::Named(id) => {
                let named = self.named(*id);
                if named.alias {
                    return self.display_into(named.target, out, depth + 1);
                }
                out.push_str(&self.qualified(*id));
                if !named.args.is_empty() {
                    out.push('[');
                    for (at, arg) in named.args.iter().enumerate() {
                        if at > 0 {
                            out.push(',');
                        }
                        self.display_into(*arg, out, depth + 1);
                    }
                    out.push(']');
                }
            }
            Type::Pointer(inner) => {
                out.push('*');
                self.display_into(*inner, out, depth + 1);
            }
            Type::Slice(inner) => {
                out.push_str("[]");
                self.display_into(*inner, out, depth + 1);
            }
            Type::Array(len, inner) => {
                out.push_str(&format!("[{len}]"));
                self.display_into(*inner, out, depth + 1);
            }
            Type::Map(key, value) => {
                out.push_str("map[");
                self.display_into(*key, out, depth + 1);
                out.push(']');
                self.display_into(*value, out, depth + 1);
            }
            Type::Struct(_) => out.push_str("struct{…}"),
            Type::Interface(true) => out.push_str("interface{}"),
            Type::Any => out.push_str("any"),
            Type::Interface(false) => out.push_str("interface{…}"),
            Type::Func => out.push_str("func(…)"),
            Type::Chan(inner) => {
                out.push_str("chan ");
                self.display_into(*inner, out, depth + 1);
            }
            Type::Param(name) => out.push_str(name),
            Type::Unknown(package, name) if package.is_empty() => out.push_str(name),
            Type::Unknown(package, name) => out.push_str(&format!("{package}.{name}")),
        }
    }

    /// The type a declaration names.
    #[must_use]
    pub fn type_of(&self, id: NamedId) -> TypeId {
        self.named(id).ty
    }

    /// `package/path.Name`
    #[must_use]
    pub fn qualified(&self, id: NamedId) -> String {
        let named = self.named(id);
        format!("{}.{}", self.package(named.package).path, named.name)
    }

    /// The package of a declared type.
    #[must_use]
    pub fn package_of(&self, id: NamedId) -> &Package {
        self.package(self.named(id).package)
    }

    /// The methods declared on a type, in source order; promoted ones are not among them.
    #[must_use]
    pub fn methods(&self, id: NamedId) -> &[Method] {
        let named = self.named(id);
        self.package(named.package).methods.get(&named.name).map_or(&[], Vec::as_slice)
    }

    /// A method declared on a type.
    #[must_use]
    pub fn method(&self, id: NamedId, name: &str) -> Option<&Method> {
        self.methods(id).iter().find(|method| method.name == name)
    }

    /// Whether a type has a method, be it promoted from an embedded field.
    #[must_use]
    pub fn has_method(&self, ty: TypeId, name: &str) -> bool {
        let mut waiting = VecDeque::from([(ty, 0)]);
        let mut seen = HashSet::new();
        while let Some((ty, depth)) = waiting.pop_front() {
            let base = match self.ty(self.unalias(ty)) {
                Type::Pointer(inner) => self.unalias(*inner),
                _ => self.unalias(ty),
            };
            if !seen.insert(base) {
                continue;
            }
            if let Some(id) = self.as_named(base)
                && self.method(id, name).is_some()
            {
                return true;
            }
            if depth < EMBEDDING_MAX {
                let embedded = self.fields(base).iter().filter(|field| field.embedded);
                waiting.extend(embedded.map(|field| (field.ty, depth + 1)));
            }
        }
        false
    }

    /// The constants of a declared type in its own package, by name.
    #[must_use]
    pub fn constants_of(&self, id: NamedId) -> Vec<&Const> {
        self.package_of(id)
            .consts
            .values()
            .map(|constant| self.constant(*constant))
            .filter(|constant| match constant.ty {
                ConstType::Typed(ty) => self.as_named(ty) == Some(id),
                ConstType::Untyped(_) => false,
            })
            .collect()
    }

    /// The lines of a comment group.
    #[must_use]
    pub fn lines(&self, file: FileId, group: Option<GroupId>) -> Vec<DocLine<'_>> {
        let file = self.file(file);
        group.map_or_else(Vec::new, |group| file.parsed.comments.text(group, &file.text))
    }

    /// The comment lines of a type or field as gengo sees them: second closest group first (for
    /// types), then the closest.
    #[must_use]
    pub fn comment_lines(&self, docs: &Docs) -> Vec<DocLine<'_>> {
        let mut lines = self.lines(docs.file, docs.second_closest);
        lines.extend(self.lines(docs.file, docs.closest));
        lines
    }

    /// The doc comment of a type or field as `go/ast` sees it.
    #[must_use]
    pub fn doc_lines(&self, docs: &Docs) -> Vec<DocLine<'_>> {
        self.lines(docs.file, docs.doc)
    }

    /// Comment lines that speak for a package: everything in its `doc.go`, and the package
    /// comments of its other files.
    ///
    /// Upstream: gengo reads `doc.go` only ([`Universe::doc_go_lines`]).
    #[must_use]
    pub fn package_lines(&self, package: &Package) -> Vec<(FileId, DocLine<'_>)> {
        let mut out = Vec::new();
        for id in &package.files {
            let file = self.file(*id);
            if file.base_name() == "doc.go" {
                for group in 0..file.parsed.comments.groups.len() {
                    let lines = self.lines(*id, Some(GroupId(group as u32)));
                    out.extend(lines.into_iter().map(|line| (*id, line)));
                }
            } else {
                let lines = self.lines(*id, file.parsed.ast.doc);
                out.extend(lines.into_iter().map(|line| (*id, line)));
            }
        }
        out
    }

    /// All comment lines of the package's `doc.go`.
    #[must_use]
    pub fn doc_go_lines(&self, package: &Package) -> Vec<(FileId, DocLine<'_>)> {
        let mut lines = self.package_lines(package);
        lines.retain(|(id, _)| self.file(*id).base_name() == "doc.go");
        lines
    }

    /// The fields of a struct as `encoding/json` shows them: embedded structs flattened, the
    /// shallowest and tagged winning, in order of declaration.
    #[must_use]
    pub fn json_fields(&self, ty: TypeId) -> Vec<JsonField<'_>> {
        let mut found: Vec<(usize, bool, JsonField<'_>)> = Vec::new();
        self.collect_json(ty, &mut Vec::new(), &mut HashMap::new(), &mut found);
        let mut out = Vec::new();
        for (at, (depth, tagged, entry)) in found.iter().enumerate() {
            let rivals = found
                .iter()
                .enumerate()
                .filter(|(other, (_, _, rival))| *other != at && rival.key == entry.key);
            let mut wins = true;
            for (_, (rival_depth, rival_tagged, _)) in rivals {
                let better = (*depth, !*tagged) < (*rival_depth, !*rival_tagged);
                wins &= better;
            }
            if wins {
                out.push(entry.clone());
            }
        }
        out
    }

    fn collect_json<'a>(
        &'a self,
        ty: TypeId,
        through: &mut Vec<&'a Field>,
        seen: &mut HashMap<TypeId, Vec<usize>>,
        out: &mut Vec<(usize, bool, JsonField<'a>)>,
    ) {
        if through.len() > EMBEDDING_MAX {
            return;
        }
        // The same struct further up hides these fields, and two of them beside this one cancel each
        // other out with or without it. So a struct that embeds itself, or that is embedded in many
        // ways, is not looked at for each of them.
        let depth = through.len();
        let before = seen.entry(self.unalias(ty)).or_default();
        if before.iter().any(|it| *it < depth)
            || before.iter().filter(|it| **it == depth).count() > 1
        {
            return;
        }
        before.push(depth);
        for field in self.fields(ty) {
            let inner = self.deref(field.ty);
            let is_struct = self.as_struct(inner).is_some();
            let reachable = field.exported() || (field.embedded && is_struct);
            if field.json.skipped || !reachable {
                continue;
            }
            if field.embedded && field.json.name.is_empty() && is_struct {
                through.push(field);
                self.collect_json(inner, through, seen, out);
                through.pop();
                continue;
            }
            if !is_exported(&field.name) {
                continue;
            }
            let tagged = !field.json.name.is_empty();
            let key = if tagged { field.json.name.clone() } else { field.name.clone() };
            out.push((through.len(), tagged, JsonField { key, field, through: through.clone() }));
        }
    }

    /// Visits a type and all it reaches, each once; `visit` says whether to go into a type.
    pub fn walk(&self, root: TypeId, mut visit: impl FnMut(TypeId, &Type) -> Walk) {
        let mut seen = vec![false; self.types.len()];
        let mut waiting = vec![root];
        while let Some(ty) = waiting.pop() {
            let Some(mark) = seen.get_mut(ty.0 as usize) else { continue };
            if std::mem::replace(mark, true) || visit(ty, self.ty(ty)) == Walk::Past {
                continue;
            }
            match self.ty(ty) {
                Type::Named(id) => waiting.push(self.named(*id).target),
                Type::Pointer(inner)
                | Type::Slice(inner)
                | Type::Array(_, inner)
                | Type::Chan(inner) => {
                    waiting.push(*inner);
                }
                Type::Map(key, value) => waiting.extend([*value, *key]),
                Type::Struct(id) => {
                    waiting.extend(self.struct_type(*id).fields.iter().rev().map(|field| field.ty));
                }
                Type::Basic(_)
                | Type::Interface(_)
                | Type::Any
                | Type::Func
                | Type::Param(_)
                | Type::Unknown(..) => {}
            }
        }
    }
}
