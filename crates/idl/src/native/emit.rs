//! Walked types to functions: what runs for each type and field, in order.

use std::collections::HashSet;

use ordain_schema::native::{FieldFunc, Program, Root, TypeFunc};
use ordain_value::Text;

use super::discover::{Extractor, Node};
use super::shape::Kind;
use crate::diagnostic::Diagnostic;
use crate::graph::NamedId;
use crate::source::Pos;
use crate::tags::codetag::{self, Values};

impl Extractor<'_> {
    /// Puts the program together.
    pub(super) fn finish(mut self, roots: &[NamedId]) -> (Program, Vec<Diagnostic>) {
        for at in 0..self.nodes.len() {
            let node = self.nodes[at].clone();
            if let Some(func) = node.func {
                self.program.funcs[func.0 as usize] = self.type_func(&node);
            }
        }
        for id in roots {
            self.emit_root(*id);
        }
        self.program.roots.sort_by(|a, b| a.name.cmp(&b.name));
        (self.program, self.diagnostics)
    }

    fn emit_root(&mut self, id: NamedId) {
        let Some(ty) = self.type_of(id) else { return };
        let Some(at) = self.by_type.get(&self.universe.unalias(ty)).copied() else { return };
        let Some(func) = self.nodes[at].func.filter(|_| self.has_validations(at)) else { return };
        let subresources = self.subresources(id);
        let name = self.universe.named(id).name.clone();
        let ty = self.shape(ty);
        self.program.roots.push(Root { name, ty, func, subresources });
    }

    fn type_func(&mut self, node: &Node) -> TypeFunc {
        let mut func = TypeFunc::default();
        if !node.validations.is_empty() {
            func.checks.clone_from(&node.validations.checks);
            if let Some(under) = node.underlying {
                let under = self.nodes[under].clone();
                if under.key.flatten().is_some_and(|it| self.has_validations(it)) {
                    func.keys.clone_from(&node.keys);
                }
                if under.elem.flatten().is_some_and(|it| self.has_validations(it)) {
                    func.values.clone_from(&node.values);
                }
            }
        }
        for child in &node.fields {
            let mut call = None;
            let (mut keys, mut values) = (Vec::new(), Vec::new());
            if let Some(at) = child.node {
                let below = self.nodes[at].clone();
                match self.kind(below.ty) {
                    Kind::Alias(_) | Kind::Struct(_) if self.has_validations(at) => call = below.func,
                    Kind::Slice(_) | Kind::Map(..) => {
                        if below.key.flatten().is_some_and(|it| self.has_validations(it)) {
                            keys.clone_from(&child.keys);
                        }
                        if below.elem.flatten().is_some_and(|it| self.has_validations(it)) {
                            values.clone_from(&child.values);
                        }
                    }
                    _ => {}
                }
            }
            let checks = child.validations.checks.clone();
            if checks.is_empty() && call.is_none() && keys.is_empty() && values.is_empty() {
                continue;
            }
            let inline = child.json.is_empty();
            let path = if inline { self.type_word(child.ty) } else { child.json.clone() };
            func.fields.push(FieldFunc {
                go: child.go.clone(),
                path,
                inline,
                ty: self.shape(child.ty),
                equality: self.equality(child.ty),
                checks,
                call,
                keys,
                values,
            });
        }
        func
    }

    /// The name of a field's type as generated code in its package spells it.
    fn type_word(&self, ty: crate::graph::TypeId) -> Text {
        let (_, base) = match self.kind(ty) {
            Kind::Pointer(to) => (1, to),
            _ => (0, ty),
        };
        match self.universe.as_named(base) {
            Some(id) if self.universe.package_of(id).requested => {
                self.universe.named(id).name.clone()
            }
            Some(id) => {
                let named = self.universe.named(id);
                Text::from(format!("{}.{}", self.universe.package(named.package).name, named.name))
            }
            None => Text::from(self.universe.display(base)),
        }
    }

    /// Is there any rule at or below a type?
    pub(super) fn has_validations(&self, at: usize) -> bool {
        let mut seen = HashSet::from([at]);
        let mut pending = vec![at];
        while let Some(at) = pending.pop() {
            let node = &self.nodes[at];
            if !node.validations.is_empty()
                || node.fields.iter().any(|it| !it.validations.is_empty())
            {
                return true;
            }
            let children = (node.fields.iter().filter_map(|it| it.node))
                .chain(node.key.flatten())
                .chain(node.elem.flatten())
                .chain(node.underlying);
            pending.extend(children.filter(|it| seen.insert(*it)));
        }
        false
    }

    /// The subresources that a root type is validated for.
    fn subresources(&mut self, id: NamedId) -> Vec<Text> {
        let universe = self.universe;
        let named = universe.named(id);
        let lines = universe.comment_lines(&named.docs);
        let mut own = None;
        let mut supported: Vec<Text> = Vec::new();
        for found in codetag::extract("+", &lines) {
            if !matches!(found.name, "k8s:isSubresource" | "k8s:supportsSubresource") {
                continue;
            }
            let pos = Pos { file: named.docs.file, offset: found.offset };
            match codetag::parse(found.text, Values::Parsed) {
                Err(error) => self.error(pos, format!("failed to parse tags: {}", error.message)),
                Ok(tag) if found.name == "k8s:supportsSubresource" => {
                    supported.push(Text::new(tag.value.text()));
                }
                Ok(_) if own.is_some() => {
                    self.error(pos, "more than one usage of \"k8s:isSubresource\"");
                }
                Ok(tag) => own = Some(Text::new(tag.value.text())),
            }
        }
        supported.push(own.unwrap_or_else(|| Text::new("/")));
        supported.sort();
        supported.dedup();
        supported
    }
}
