//! The walk over types that builds the program.

use std::collections::HashMap;

use ordain_schema::native::{FuncId, Rule};
use smol_str::SmolStr;

use super::check::{Outcome, extract_tags};
use super::context::{Context, Refusal};
use super::discriminator::Groups;
use super::gotype::{GoKind, go_json_name};
use super::list::ListMeta;
use super::rule::{ChildNode, Function, NodeId, Program, Rules, TypeNode};
use super::union::{UnionKind, Unions};
use super::update::UpdateMeta;
use crate::diagnostic::Diagnostic;
use crate::graph::{Field, PackageId, TypeId, Universe};
use crate::source::Pos;
use crate::tags::registry::Place;

/// Types inside types are followed this deep; Kubernetes' own reach about fifteen.
const DEPTH_MAX: u32 = 150;

/// The walk's state: what tags collected under paths until their place is complete.
pub(super) struct Discovery<'u> {
    pub universe: &'u Universe,
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    /// Whether tags of newer releases inside tags are passed over.
    pub newer_tags_pass: bool,
    pub lists: HashMap<String, ListMeta>,
    pub unions: HashMap<String, Unions<'u>>,
    pub zero_or_one: HashMap<String, Unions<'u>>,
    pub groups: HashMap<String, Groups<'u>>,
    pub updates: HashMap<String, UpdateMeta>,
    depth: u32,
}

/// A part of a type: where it stands and what its rules say about it.
struct Part<'a> {
    words: &'a str,
    tag: &'a str,
    opaque: bool,
}

impl<'u> Discovery<'u> {
    pub(super) fn new(universe: &'u Universe) -> Self {
        Self {
            universe,
            program: Program::default(),
            diagnostics: Vec::new(),
            newer_tags_pass: false,
            lists: HashMap::new(),
            unions: HashMap::new(),
            zero_or_one: HashMap::new(),
            groups: HashMap::new(),
            updates: HashMap::new(),
            depth: 0,
        }
    }

    /// Whether the types of a package are walked into: those asked for, and all that were found
    /// except the standard library (of which `time` alone matters to APIs).
    pub(super) fn takes_part(&self, id: PackageId) -> bool {
        let package = self.universe.package(id);
        let first = package.path.split('/').next().unwrap_or("");
        package.requested || (!package.missing && (first.contains('.') || package.path == "time"))
    }

    fn is_foreign(&self, ty: TypeId) -> bool {
        match self.universe.as_named(ty) {
            Some(id) => !self.takes_part(self.universe.named(id).package),
            None => matches!(self.universe.ty(ty), crate::graph::Type::Unknown(..)),
        }
    }

    /// A type that is validated on its own.
    pub(super) fn discover_root(&mut self, ty: TypeId, pos: Pos) -> Option<NodeId> {
        let shown = self.universe.go_display(ty);
        if self.universe.go_kind(ty) == GoKind::Pointer {
            let message = format!("type {shown}: pointer root-types are not supported");
            self.refuse(Refusal::new(pos, message).help("declare the type without the pointer"));
            return None;
        }
        match self.discover(ty, &shown, pos) {
            Ok(node) => node,
            Err(refusal) => {
                self.refuse(refusal);
                None
            }
        }
    }

    /// The node of a type's value; `None` for types that do not take part.
    fn discover(&mut self, ty: TypeId, path: &str, pos: Pos) -> Result<Option<NodeId>, Refusal> {
        let ty = self.universe.unalias(ty);
        if self.is_foreign(ty) {
            return Ok(None);
        }
        if let Err(message) = self.supported(ty) {
            let shown = self.universe.go_display(ty);
            return Err(Refusal::new(pos, format!("field {path} ({shown}): {message}")));
        }
        if self.universe.go_kind(ty) == GoKind::Pointer {
            return match self.universe.go_elem(ty) {
                Some(elem) => self.discover(elem, path, pos),
                None => Ok(None),
            };
        }
        if let Some(known) = self.program.by_type.get(&ty) {
            return Ok(Some(*known));
        }
        if self.depth >= DEPTH_MAX {
            return Err(Refusal::new(pos, format!("field {path}: types nested too deeply")));
        }
        self.depth += 1;
        let node = self.discover_new(ty, path, pos);
        self.depth -= 1;
        node.map(Some)
    }

    fn discover_new(&mut self, ty: TypeId, path: &str, pos: Pos) -> Result<NodeId, Refusal> {
        let kind = self.universe.go_kind(ty);
        let named = self.universe.as_named(ty);
        let id = NodeId(self.program.nodes.len() as u32);
        self.program.by_type.insert(ty, id);
        self.program.nodes.push(TypeNode {
            ty,
            kind,
            has_function: named.is_some() && matches!(kind, GoKind::Alias | GoKind::Struct),
            fields: Vec::new(),
            key: None,
            elem: None,
            underlying: None,
            rules: Rules::default(),
            val_iterations: Rules::default(),
            key_iterations: Rules::default(),
        });
        let path = match kind {
            GoKind::Alias | GoKind::Struct => self.universe.go_display(ty),
            _ => path.to_string(),
        };
        let pos = named.map_or(pos, |named| self.universe.named(named).pos);
        match kind {
            GoKind::Alias => {
                let underlying = self.universe.underlying(ty);
                let node = self.discover(underlying, &path, pos)?;
                self.node(id).underlying = Some(child(underlying, node));
            }
            GoKind::Struct => self.discover_struct(id, ty, &path),
            GoKind::Slice | GoKind::Map => {
                if let Some(key) = self.universe.go_key(ty) {
                    let node = self.discover(key, &format!("{path}[keys]"), pos)?;
                    self.node(id).key = Some(child(key, node));
                }
                if let Some(elem) = self.universe.go_elem(ty) {
                    let node = self.discover(elem, &format!("{path}[vals]"), pos)?;
                    self.node(id).elem = Some(child(elem, node));
                }
            }
            _ => {}
        }
        if let (Some(named), GoKind::Alias | GoKind::Struct) = (named, kind)
            && let Err(refusal) = self.type_rules(id, ty, named, &path, pos)
        {
            self.refuse(refusal);
        }
        Ok(id)
    }

    fn node(&mut self, id: NodeId) -> &mut TypeNode {
        &mut self.program.nodes[id.0 as usize]
    }

    /// Rules on the type itself, read after everything inside it.
    fn type_rules(
        &mut self,
        id: NodeId,
        ty: TypeId,
        named: crate::graph::NamedId,
        path: &str,
        pos: Pos,
    ) -> Result<(), Refusal> {
        let context = Context {
            place: Place::Type,
            ty,
            path: path.to_string(),
            parent: String::new(),
            member: None,
            selector: None,
            level: None,
            pos,
        };
        let docs = self.universe.named(named).docs;
        let lines = self.universe.lines(docs.file, docs.closest);
        let wrap = |refusal: Refusal| refusal.inside(path);
        let tags = extract_tags(docs.file, &lines).map_err(wrap)?;
        let mut rules = self.tag_rules(&context, &tags).map_err(wrap)?;
        for (name, late) in self.late_rules(&context, false) {
            rules.add(
                late.map_err(|it| it.inside(&format!("type validator \"{name}\"")).inside(path))?,
            );
        }
        if !rules.is_empty() {
            if self.is_map_of_slices(ty) {
                let message =
                    format!("field {path}: validation for map of slices is not supported");
                return Err(Refusal::new(pos, message));
            }
            self.node(id).rules.add(rules);
        }
        if self.universe.go_kind(ty) == GoKind::Alias {
            self.alias_iterations(id, ty, path, pos)?;
        }
        Ok(())
    }

    /// The rules that are only known once all tags of a place are read.
    fn late_rules(
        &mut self,
        context: &Context<'u>,
        is_field: bool,
    ) -> Vec<(&'static str, Outcome)> {
        let mut out = vec![
            ("discriminatorFieldValidator", self.discriminator_rules(context)),
            ("listValidator", self.list_rules(context, is_field)),
            ("unionTypeOrFieldValidator", self.union_rules(context, UnionKind::ExactlyOne)),
        ];
        if is_field {
            out.push(("updateFieldValidator", self.update_rules(context)));
        }
        let at_most = self.union_rules(context, UnionKind::AtMostOne);
        out.push(("zeroOrOneOfTypeOrFieldValidator", at_most));
        out
    }

    /// Calls of the element and key functions of a named list or map.
    fn alias_iterations(
        &mut self,
        id: NodeId,
        ty: TypeId,
        path: &str,
        pos: Pos,
    ) -> Result<(), Refusal> {
        let Some(inner) = self.node(id).underlying.as_ref().and_then(|it| it.node) else {
            return Ok(());
        };
        let (opaque_key, opaque_val) =
            (self.node(id).rules.opaque_key, self.node(id).rules.opaque_val);
        let keys = self.key_calls(inner, path, pos, opaque_key)?;
        let vals = self.val_calls(inner, ty, path, pos, opaque_val)?;
        self.node(id).key_iterations.add(keys);
        self.node(id).val_iterations.add(vals);
        Ok(())
    }

    fn key_calls(&mut self, list: NodeId, path: &str, pos: Pos, opaque: bool) -> Outcome {
        let Some(part) = &self.program.node(list).key else { return Ok(Rules::default()) };
        let (ty, node) = (part.ty, part.node);
        let words = Part { words: "key type", tag: "+k8s:eachKey=+k8s:opaqueType", opaque };
        match self.part_call(ty, node, path, pos, &words)? {
            Some(node) => Ok(Self::for_each_key(Rules::of(call(node)))),
            None => Ok(Rules::default()),
        }
    }

    fn val_calls(
        &mut self,
        list: NodeId,
        ty: TypeId,
        path: &str,
        pos: Pos,
        opaque: bool,
    ) -> Outcome {
        let Some(part) = &self.program.node(list).elem else { return Ok(Rules::default()) };
        let (elem, node) = (part.ty, part.node);
        let words = Part { words: "value type", tag: "+k8s:eachVal=+k8s:opaqueType", opaque };
        match self.part_call(elem, node, path, pos, &words)? {
            Some(node) => Ok(self.for_each_val(path, ty, Rules::of(call(node)))),
            None => Ok(Rules::default()),
        }
    }

    /// The node whose function is called for a part, if it has one.
    fn part_call(
        &self,
        ty: TypeId,
        node: Option<NodeId>,
        path: &str,
        pos: Pos,
        part: &Part<'_>,
    ) -> Result<Option<NodeId>, Refusal> {
        match node {
            None if !part.opaque => Err(self.foreign(path, pos, part.words, ty, part.tag)),
            Some(node) if !part.opaque && self.program.node(node).has_function => Ok(Some(node)),
            _ => Ok(None),
        }
    }

    fn foreign(&self, path: &str, pos: Pos, words: &str, ty: TypeId, tag: &str) -> Refusal {
        let shown = self.universe.go_display(ty);
        let message = format!(
            "{path}: {words} {shown} is in a non-included package; either add this package to \
             validation-gen's --readonly-pkg flag, or add {tag} to the field to skip validation"
        );
        Refusal::new(pos, message).help(format!("add {tag}"))
    }

    fn is_map_of_slices(&self, ty: TypeId) -> bool {
        let base = self.universe.native_base(ty);
        self.universe.go_kind(base) == GoKind::Map
            && self
                .universe
                .go_elem(base)
                .is_some_and(|elem| self.universe.go_kind(elem) == GoKind::Slice)
    }

    fn discover_struct(&mut self, id: NodeId, ty: TypeId, path: &str) {
        for field in self.universe.fields(ty) {
            if field.name.chars().next().is_some_and(char::is_lowercase) {
                continue;
            }
            match self.discover_field(field, path) {
                Ok(child) => self.node(id).fields.push(child),
                Err(refusal) => self.refuse(refusal),
            }
        }
    }

    fn discover_field(&mut self, field: &'u Field, parent: &str) -> Result<ChildNode, Refusal> {
        let json_name = SmolStr::new(go_json_name(field));
        let key = if json_name.is_empty() { &field.name } else { &json_name };
        let path = format!("{parent}.{key}");
        let ty = self.universe.unalias(field.ty);
        let node = self.discover(ty, &path, field.pos)?;
        let mut out = ChildNode { name: field.name.clone(), json_name, ..child(ty, node) };
        let context = Context {
            place: Place::Field,
            ty,
            path: path.clone(),
            parent: parent.to_string(),
            member: Some(field),
            selector: None,
            level: None,
            pos: field.pos,
        };
        let rules = self.field_rules(&context).map_err(|it| it.inside(&format!("field {path}")))?;
        let lone_opaque = rules.is_empty();
        if !lone_opaque {
            if self.is_map_of_slices(ty) {
                let message =
                    format!("field {path}: validation for map of slices is not supported");
                return Err(Refusal::new(field.pos, message));
            }
            if self.universe.go_kind(self.universe.native_base(ty)) == GoKind::Interface {
                let message =
                    format!("field {path}: validation of interface types is not supported");
                return Err(Refusal::new(field.pos, message)
                    .help("remove the tags, or use a concrete type"));
            }
        }
        let opaque = (rules.opaque_type, rules.opaque_key, rules.opaque_val);
        // Upstream forgets opaqueness that stands alone, except that it then refuses foreign
        // types; those are let through here.
        let effective = |flag: bool| flag && !lone_opaque;
        if out.node.is_none() && !opaque.0 && self.is_foreign_value(ty) {
            return Err(self.foreign(&path, field.pos, "type", ty, "+k8s:opaqueType"));
        }
        if effective(opaque.0) && self.is_named_value(ty) {
            out.node = None;
        }
        if let (Some(node), GoKind::Slice | GoKind::Map) = (node, self.universe.go_kind(ty)) {
            let foreign_key =
                self.program.node(node).key.as_ref().is_some_and(|it| it.node.is_none());
            let foreign_val =
                self.program.node(node).elem.as_ref().is_some_and(|it| it.node.is_none());
            let skip_key = effective(opaque.1) || (opaque.1 && foreign_key);
            let skip_val = effective(opaque.2) || (opaque.2 && foreign_val);
            out.key_iterations = self.key_calls(node, &path, field.pos, skip_key)?;
            out.val_iterations = self.val_calls(node, ty, &path, field.pos, skip_val)?;
        }
        out.rules = if lone_opaque { Rules::default() } else { rules };
        Ok(out)
    }

    fn field_rules(&mut self, context: &Context<'u>) -> Outcome {
        let Some(field) = context.member else { return Ok(Rules::default()) };
        let lines = self.universe.lines(field.docs.file, field.docs.closest);
        let tags = extract_tags(field.docs.file, &lines)?;
        let mut rules = self.tag_rules(context, &tags)?;
        for (name, late) in self.late_rules(context, true) {
            rules.add(late.map_err(|it| it.inside(&format!("field validator \"{name}\"")))?);
        }
        Ok(rules)
    }

    /// Whether a type is named (behind at most pointers).
    fn is_named_value(&self, ty: TypeId) -> bool {
        let mut at = ty;
        while self.universe.go_kind(at) == GoKind::Pointer {
            match self.universe.go_elem(at) {
                Some(elem) if elem != at => at = elem,
                _ => return false,
            }
        }
        matches!(self.universe.go_kind(at), GoKind::Struct | GoKind::Alias)
    }

    fn is_foreign_value(&self, ty: TypeId) -> bool {
        let base = match self.universe.go_kind(ty) {
            GoKind::Pointer => self.universe.go_elem(ty).unwrap_or(ty),
            _ => ty,
        };
        self.is_foreign(base)
    }

    /// Shapes that are not handled, refused as early as possible.
    fn supported(&self, ty: TypeId) -> Result<(), String> {
        let universe = self.universe;
        let elem = universe.go_elem(ty);
        let elem_kind = elem.map(|elem| universe.native_kind(elem));
        let problem = match (universe.go_kind(ty), elem_kind) {
            (GoKind::Builtin | GoKind::Struct | GoKind::Interface | GoKind::Alias, _) => {
                return Ok(());
            }
            (GoKind::Pointer, Some(GoKind::Pointer)) => "pointers to pointers",
            (GoKind::Pointer, Some(GoKind::Slice | GoKind::Array)) => "pointers to lists",
            (GoKind::Pointer, Some(GoKind::Map)) => "pointers to maps",
            (GoKind::Array, _) => "fixed-size arrays",
            (GoKind::Slice, Some(GoKind::Pointer)) => "lists of pointers",
            (GoKind::Slice, Some(GoKind::Slice)) if !self.is_bytes(elem) => "lists of lists",
            (GoKind::Slice, Some(GoKind::Map)) => "lists of maps",
            (GoKind::Map, _) if !self.has_string_key(ty) => "maps with non-string keys",
            (GoKind::Map, Some(GoKind::Pointer)) => "maps of pointers",
            (GoKind::Map, Some(GoKind::Map)) => "maps of maps",
            (GoKind::Pointer | GoKind::Slice | GoKind::Map, _) => return Ok(()),
            (kind, _) => return Err(format!("kind {} is not supported", kind.name())),
        };
        Err(format!("{problem} are not supported"))
    }

    fn has_string_key(&self, ty: TypeId) -> bool {
        self.universe.go_key(ty).is_some_and(|key| {
            let native = self.universe.native(key);
            native.pointers == 0 && self.universe.is_go_string(native.base)
        })
    }

    fn is_bytes(&self, ty: Option<TypeId>) -> bool {
        use crate::graph::{Basic, Type};
        ty.and_then(|ty| self.universe.go_elem(ty)).is_some_and(|elem| {
            let native = self.universe.native(elem);
            native.pointers == 0
                && matches!(self.universe.ty(native.base), Type::Basic(Basic::Byte | Basic::Uint8))
        })
    }
}

fn child(ty: TypeId, node: Option<NodeId>) -> ChildNode {
    ChildNode {
        name: SmolStr::default(),
        json_name: SmolStr::default(),
        ty,
        node,
        rules: Rules::default(),
        val_iterations: Rules::default(),
        key_iterations: Rules::default(),
    }
}

/// A node's function has the node's number.
fn call(node: NodeId) -> Function {
    Function::new(Rule::Call(FuncId(node.0)))
}
