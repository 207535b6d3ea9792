//! Declared rules to functions: what runs for each type and field, in order.

use std::collections::HashMap;

use ordain_schema::native as out;
use ordain_value::Text;

use crate::diagnostic::Diagnostic;
use crate::graph::{NamedId, PackageId, Type, TypeId, Universe};
use crate::tags::codetag;
use crate::validation::{ChildNode, Function, GoKind, NodeId, Program, TypeNode};

pub(super) struct Lowering<'u> {
    pub(super) universe: &'u Universe,
    declared: &'u Program,
    pub(super) program: out::Program,
    pub(super) shapes: HashMap<TypeId, out::TypeId>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'u> Lowering<'u> {
    pub(super) fn new(universe: &'u Universe, declared: &'u Program) -> Self {
        Lowering {
            universe,
            declared,
            program: out::Program::default(),
            shapes: HashMap::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Every node becomes a function with the node's number; those without rules stay empty, and so
    /// do those that no root calls.
    pub(super) fn run(
        mut self,
        package: Option<PackageId>,
        ruled: &[(Text, NamedId)],
    ) -> (out::Program, Vec<Diagnostic>) {
        let declared = self.declared;
        let universe = self.universe;
        let wanted = |named| package.is_none_or(|it| universe.named(named).package == it);
        let roots = declared.roots.iter().filter(|it| wanted(it.named));
        let mut called = Vec::new();
        for root in roots.filter(|it| declared.has_rules(it.node)) {
            called.push(out::FuncId(root.node.0));
            let ty = self.shape(declared.node(root.node).ty);
            self.program.roots.push(out::Root {
                name: universe.named(root.named).name.clone(),
                ty,
                func: out::FuncId(root.node.0),
                subresources: root.subresources.iter().map(Text::new).collect(),
            });
        }
        self.program.roots.sort_by(|a, b| a.name.cmp(&b.name));
        self.program.funcs.resize_with(declared.nodes.len(), out::TypeFunc::default);
        let mut is_lowered = vec![false; declared.nodes.len()];
        while let Some(out::FuncId(id)) = called.pop() {
            if !std::mem::replace(&mut is_lowered[id as usize], true) {
                let func = self.function(declared.node(NodeId(id)));
                called.extend(func.calls());
                self.program.funcs[id as usize] = func;
            }
        }
        if !ruled.is_empty() {
            self.written(ruled);
        }
        (self.program, self.diagnostics)
    }

    fn has_rules(&self, child: Option<&ChildNode>) -> bool {
        child.and_then(|it| it.node).is_some_and(|it| self.declared.has_rules(it))
    }

    fn function(&mut self, node: &TypeNode) -> out::TypeFunc {
        let mut func = out::TypeFunc::default();
        if !node.rules.is_empty() {
            func.checks = checks(&node.rules.functions);
            if let Some(under) = node.underlying.as_ref().and_then(|it| it.node) {
                let under = self.declared.node(under);
                if self.has_rules(under.key.as_ref()) {
                    func.keys = checks(&node.key_iterations.functions);
                }
                if self.has_rules(under.elem.as_ref()) {
                    func.values = checks(&node.val_iterations.functions);
                }
            }
        }
        for child in &node.fields {
            let gates = self.gates(node.ty, &child.name);
            func.fields.extend(self.field(child).map(|it| out::FieldFunc { gates, ..it }));
        }
        func
    }

    fn field(&mut self, child: &ChildNode) -> Option<out::FieldFunc> {
        let mut call = None;
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        if let Some(id) = child.node {
            let node = self.declared.node(id);
            match node.kind {
                GoKind::Alias | GoKind::Struct if self.declared.has_rules(id) => {
                    call = Some(out::FuncId(id.0));
                }
                GoKind::Slice | GoKind::Map => {
                    if self.has_rules(node.key.as_ref()) {
                        keys = checks(&child.key_iterations.functions);
                    }
                    if self.has_rules(node.elem.as_ref()) {
                        values = checks(&child.val_iterations.functions);
                    }
                }
                _ => {}
            }
        }
        let checks = checks(&child.rules.functions);
        if checks.is_empty() && call.is_none() && keys.is_empty() && values.is_empty() {
            return None;
        }
        let inline = child.json_name.is_empty();
        let path = if inline { self.type_word(child.ty) } else { child.json_name.clone() };
        Some(out::FieldFunc {
            go: child.name.clone(),
            path,
            inline,
            ty: self.shape(child.ty),
            equality: self.equality(child.ty),
            gates: Vec::new(),
            checks,
            call,
            keys,
            values,
        })
    }

    /// The feature gates of a field.
    fn gates(&self, owner: TypeId, name: &str) -> Vec<Text> {
        let universe = self.universe;
        let field = universe.fields(owner).iter().find(|it| it.name == name);
        let Some(docs) = field.map(|it| it.docs) else { return Vec::new() };
        let lines = universe.lines(docs.file, docs.closest);
        let tags = codetag::extract("+", &lines);
        let gates = tags.iter().filter(|it| it.name == "k8s:featureGate");
        let values = gates.filter_map(|it| it.text.split_once('='));
        values.map(|(_, value)| Text::from(value.trim().trim_matches('"'))).collect()
    }

    /// The name of a field's type as code in its package spells it.
    fn type_word(&self, ty: TypeId) -> Text {
        let universe = self.universe;
        let base = match universe.ty(universe.unalias(ty)) {
            Type::Pointer(to) => *to,
            _ => ty,
        };
        match universe.as_named(base) {
            Some(id) if universe.package_of(id).requested => universe.named(id).name.clone(),
            Some(id) => {
                let package = &universe.package_of(id).name;
                Text::from(format!("{package}.{}", universe.named(id).name))
            }
            None => Text::from(universe.display(base)),
        }
    }

    /// How values of a field are compared, behind any pointers.
    fn equality(&self, ty: TypeId) -> out::Equality {
        if self.universe.is_direct_comparable(self.universe.native_base(ty)) {
            out::Equality::Direct
        } else {
            out::Equality::Semantic
        }
    }
}

fn checks(functions: &[Function]) -> Vec<out::Check> {
    functions.iter().map(|it| it.check.clone()).collect()
}
