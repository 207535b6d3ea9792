//! The tree of steps of a root type.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::Options;
use crate::diagnostic::Diagnostic;
use crate::gojson::{Codec, GoValue};
use crate::graph::{Docs, NamedId, Package, PackageId, TypeId, Universe};
use crate::source::{FileId, Pos};
use crate::tags::codetag::{self, Values};
use crate::validation::GoKind;

/// A type that is defaulted on its own.
#[derive(Debug)]
pub struct Root {
    /// The type.
    pub named: NamedId,
    /// Its steps.
    pub tree: CallNode,
}

/// One step of defaulting and those below it.
#[derive(Clone, Debug, Default)]
pub struct CallNode {
    /// Position of the field to step into.
    pub field: Option<usize>,
    /// The step is for each entry of a map; nothing below it is visited.
    pub key: bool,
    /// The step is for each item of a list.
    pub index: bool,
    /// The step is through a pointer; it is left out when that is nil.
    pub elem: bool,
    /// A root type whose own tree is run here.
    pub call: Option<NamedId>,
    /// The default of the variable.
    pub default: Option<Arc<DefaultValue>>,
    /// What is done below.
    pub children: Arc<Vec<CallNode>>,
}

/// A default that was checked against its type.
#[derive(Clone, Debug)]
pub enum DefaultValue {
    /// A scalar, behind so many pointers. Without pointers it replaces the zero value, with them
    /// nil.
    Scalar {
        /// The value.
        value: GoValue,
        /// The number of pointers around it.
        pointers: u32,
    },
    /// A list, map, struct behind a pointer, or interface: it replaces nil.
    Whole(GoValue),
}

/// Steps in all trees together.
const NODES_MAX: usize = 500_000;

/// Types looked at, on all ways to them together: those that hold each other can be reached in more
/// ways than anyone could go. All of Kubernetes takes some ten thousand.
const VISITS_MAX: usize = 100_000;

/// Types inside types.
const DEPTH_MAX: usize = 150;

const TAG: &str = "k8s:defaulter-gen";

pub(super) fn build_roots(
    universe: &Universe,
    codec: &Codec<'_>,
    options: &Options,
) -> (BTreeMap<String, Root>, Vec<Diagnostic>) {
    let mut builder = Builder {
        universe,
        codec,
        promoted: HashSet::new(),
        building: HashSet::new(),
        memo: HashMap::new(),
        reaches: HashMap::new(),
        nodes: 0,
        visits: 0,
        gave_up: false,
        diagnostics: Vec::new(),
    };
    let mut candidates = Vec::new();
    for package in universe.requested() {
        builder.warn_of_functions(package);
        let wanted = wanted(universe, package, options);
        candidates.extend(
            package
                .types
                .iter()
                .filter(|(name, id)| is_root(universe, name, **id, wanted.as_deref(), options))
                .map(|(_, id)| *id),
        );
    }
    // A type becomes a function when anything below it has defaults; then others may call it.
    loop {
        let mut news = Vec::new();
        for id in &candidates {
            if !builder.promoted.contains(id) && builder.root(*id).is_some() {
                news.push(*id);
            }
        }
        if news.is_empty() {
            break;
        }
        builder.promoted.extend(news);
        builder.memo.clear();
        builder.reaches.clear();
    }
    let mut roots = BTreeMap::new();
    for id in &candidates {
        if builder.promoted.contains(id)
            && let Some(tree) = builder.root(*id)
        {
            roots.insert(universe.qualified(*id), Root { named: *id, tree });
        }
    }
    let mut diagnostics = builder.diagnostics;
    diagnostics.sort_by_key(|diagnostic| diagnostic.pos);
    (roots, diagnostics)
}

/// The field names a package asks for.
fn wanted(universe: &Universe, package: &Package, options: &Options) -> Option<Vec<String>> {
    if options.all_types {
        return Some(Vec::new());
    }
    let mut out: Option<Vec<String>> = None;
    for (_, line) in universe.package_lines(package) {
        for found in codetag::extract("+", std::slice::from_ref(&line)) {
            if found.name == TAG
                && let Ok(tag) = codetag::parse(found.text, Values::Raw)
            {
                out.get_or_insert_default().push(tag.value.text().to_string());
            }
        }
    }
    out
}

fn is_root(
    universe: &Universe,
    name: &str,
    id: NamedId,
    wanted: Option<&[String]>,
    options: &Options,
) -> bool {
    let Some(wanted) = wanted else { return false };
    let named = universe.named(id);
    if named.alias || !name.starts_with(char::is_uppercase) {
        return false;
    }
    let lines = universe.lines(named.docs.file, named.docs.second_closest);
    let asked: Vec<String> = codetag::extract("+", &lines)
        .iter()
        .filter(|line| line.name == TAG)
        .filter_map(|line| codetag::parse(line.text, Values::Raw).ok())
        .map(|tag| tag.value.text().to_string())
        .collect();
    match asked.as_slice() {
        [one] if one == "false" => return false,
        [one] if one == "true" => return true,
        _ => {}
    }
    let is_struct = universe.go_kind(universe.type_of(id)) == GoKind::Struct;
    let fields = universe.fields(universe.type_of(id));
    is_struct
        && (options.all_types
            || fields.iter().any(|field| wanted.iter().any(|wanted| field.name == wanted.as_str())))
}

pub(super) struct Builder<'a, 'u> {
    pub universe: &'u Universe,
    pub codec: &'a Codec<'u>,
    promoted: HashSet<NamedId>,
    building: HashSet<TypeId>,
    memo: HashMap<TypeId, Option<CallNode>>,
    /// Whether any default, or a type that is defaulted on its own, is below a type.
    reaches: HashMap<TypeId, bool>,
    nodes: usize,
    visits: usize,
    /// Whether a bound was met since the last root type was begun.
    gave_up: bool,
    pub diagnostics: Vec<Diagnostic>,
}

/// A `+default` line.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub text: String,
    pub pos: Pos,
}

impl Builder<'_, '_> {
    /// Hand-written functions are Go code, which is not run here.
    fn warn_of_functions(&mut self, package: &Package) {
        let mut names: Vec<_> = package
            .index
            .iter()
            .filter(|(name, at)| {
                at.kind == crate::graph::RefKind::Func && name.starts_with("SetDefaults_")
            })
            .collect();
        names.sort_by_key(|(name, _)| (*name).clone());
        for (name, at) in names {
            let file = self.universe.file(at.file);
            let Some(decl) = file.parsed.ast.decls.get(at.decl as usize) else { continue };
            let pos = Pos { file: at.file, offset: decl.span.start };
            let message = format!("hand-written defaulting `{name}` is Go code and is not run");
            let help = "declare the default with +default";
            self.diagnostics
                .push(Diagnostic::warning("defaulting-function", pos, message).help(help));
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// The steps of a root type.
    fn root(&mut self, id: NamedId) -> Option<CallNode> {
        let (tree, _) = self.build(self.universe.type_of(id), true, 0);
        if std::mem::take(&mut self.gave_up) {
            let pos = self.universe.named(id).pos;
            let message = "the types below hold each other in too many ways to default them all";
            let help = "give the types in the middle functions of their own, so that they are gone through once";
            self.report(Diagnostic::error("defaulting-size", pos, message).help(help));
        }
        tree
    }

    /// The steps of a type, and whether they were cut because the type is being built already.
    fn build(&mut self, ty: TypeId, root: bool, depth: usize) -> (Option<CallNode>, bool) {
        let ty = self.universe.unalias(ty);
        if !root
            && let Some(id) = self.universe.as_named(ty)
            && self.promoted.contains(&id)
        {
            return (Some(CallNode { call: Some(id), ..CallNode::default() }), false);
        }
        if !root && let Some(known) = self.memo.get(&ty) {
            return (known.clone(), false);
        }
        if !self.reaches_default(ty) {
            return (None, false);
        }
        if self.nodes > NODES_MAX || self.visits > VISITS_MAX {
            self.gave_up = true;
            return (None, true);
        }
        if self.building.contains(&ty) || depth > DEPTH_MAX {
            return (None, true);
        }
        self.visits += 1;
        self.building.insert(ty);
        let (children, cut) = self.children(ty, depth);
        self.building.remove(&ty);
        self.nodes += children.len();
        let node = (!children.is_empty()).then(|| CallNode {
            elem: root,
            children: Arc::new(children),
            ..CallNode::default()
        });
        if !cut && !root {
            self.memo.insert(ty, node.clone());
        }
        (node, cut)
    }

    /// Whether there is a default anywhere below a type; where there is none, there is nothing to
    /// build, in how many ways types may hold each other.
    fn reaches_default(&mut self, ty: TypeId) -> bool {
        if let Some(known) = self.reaches.get(&ty) {
            return *known;
        }
        let (mut seen, mut waiting) = (HashSet::from([ty]), vec![ty]);
        let mut found = false;
        while let Some(at) = waiting.pop() {
            found = self.reaches.get(&at) == Some(&true) || self.has_default(at);
            if found {
                break;
            }
            let below = self.below(at);
            waiting.extend(below.into_iter().filter(|it| seen.insert(*it)));
        }
        if found {
            self.reaches.insert(ty, true);
        } else {
            self.reaches.extend(seen.into_iter().map(|it| (it, false)));
        }
        found
    }

    /// Whether a type, or a field of it, has a default of its own.
    fn has_default(&self, ty: TypeId) -> bool {
        let universe = self.universe;
        let declared = |docs: &Docs| {
            !written_lines(docs.file, &universe.lines(docs.file, docs.closest)).is_empty()
        };
        let named = universe.as_named(ty);
        named.is_some_and(|id| self.promoted.contains(&id) || declared(&universe.named(id).docs))
            || universe.fields(ty).iter().any(|field| declared(&field.docs))
    }

    /// The types that a type is made of.
    fn below(&self, ty: TypeId) -> Vec<TypeId> {
        let universe = self.universe;
        let types: Vec<TypeId> = match universe.go_kind(ty) {
            GoKind::Struct => universe.fields(ty).iter().map(|field| field.ty).collect(),
            GoKind::Alias => vec![universe.underlying(ty)],
            _ => universe.go_elem(ty).into_iter().collect(),
        };
        types.into_iter().map(|it| universe.unalias(it)).collect()
    }

    fn children(&mut self, ty: TypeId, depth: usize) -> (Vec<CallNode>, bool) {
        let kind = self.universe.go_kind(ty);
        match kind {
            GoKind::Struct => return self.struct_children(ty, depth),
            GoKind::Alias => {
                let (child, cut) = self.build(self.universe.underlying(ty), false, depth + 1);
                return (child.into_iter().collect(), cut);
            }
            GoKind::Pointer | GoKind::Slice | GoKind::Array | GoKind::Map => {}
            _ => return (Vec::new(), false),
        }
        let Some(elem) = self.universe.go_elem(ty) else { return (Vec::new(), false) };
        let (child, cut) = self.build(elem, false, depth + 1);
        let mark = |mut node: CallNode| {
            match kind {
                GoKind::Pointer => node.elem = true,
                GoKind::Map => node.key = true,
                _ => node.index = true,
            }
            node
        };
        if let Some(mut child) = child {
            if kind != GoKind::Map && kind != GoKind::Pointer {
                child.elem = self.universe.go_kind(elem) == GoKind::Pointer;
            }
            return (vec![mark(child)], cut);
        }
        if kind == GoKind::Pointer {
            return (Vec::new(), cut);
        }
        let own = self.default_of_type(elem);
        let made = own.and_then(|written| self.default(elem, &written));
        let node =
            made.map(|default| mark(CallNode { default: Some(default), ..CallNode::default() }));
        (node.into_iter().collect(), cut)
    }

    fn struct_children(&mut self, ty: TypeId, depth: usize) -> (Vec<CallNode>, bool) {
        let universe = self.universe;
        let mut out = Vec::new();
        let mut any_cut = false;
        for (position, field) in universe.fields(ty).iter().enumerate() {
            let (child, cut) = self.build(field.ty, false, depth + 1);
            any_cut |= cut;
            let written = self.written(&field.docs, field.ty).or_else(|| {
                let pointers = universe.native(field.ty).pointers;
                (pointers > 0).then(|| self.nested_default(field.ty)).flatten()
            });
            let default = written.and_then(|written| self.default(field.ty, &written));
            if child.is_none() && default.is_none() {
                continue;
            }
            let mut node = child.unwrap_or_default();
            node.field = Some(position);
            node.default = default.or(node.default);
            out.push(node);
        }
        (out, any_cut)
    }

    /// The `+default` in the comment of a field or type; several are an error.
    fn written(&mut self, docs: &Docs, ty: TypeId) -> Option<Written> {
        let lines = self.universe.lines(docs.file, docs.closest);
        let mut found = written_lines(docs.file, &lines);
        if let Some(second) = found.get(1) {
            let kind = self.universe.go_kind(ty).name();
            let message = format!("Found more than one default tag for {kind}");
            let diagnostic =
                Diagnostic::error("default", second.pos, message).help("keep one of them");
            self.report(diagnostic);
            return None;
        }
        found.pop().filter(|written| !written.text.is_empty())
    }

    /// The default on an element's own type, or on what its pointers lead to.
    fn default_of_type(&mut self, ty: TypeId) -> Option<Written> {
        let own = self.universe.as_named(ty).map(|id| self.universe.named(id).docs);
        own.and_then(|docs| self.written(&docs, ty)).or_else(|| {
            let pointers = self.universe.native(ty).pointers;
            (pointers > 0).then(|| self.nested_default(ty)).flatten()
        })
    }

    /// The first default on the way through names and pointers.
    fn nested_default(&mut self, ty: TypeId) -> Option<Written> {
        let mut at = self.universe.unalias(ty);
        for _ in 0..DEPTH_MAX {
            if let Some(id) = self.universe.as_named(at) {
                let docs = self.universe.named(id).docs;
                let lines = self.universe.lines(docs.file, docs.closest);
                let found = written_lines(docs.file, &lines);
                if let [one] = found.as_slice()
                    && !one.text.is_empty()
                {
                    return Some(one.clone());
                }
            }
            at = match self.universe.go_kind(at) {
                GoKind::Alias => self.universe.underlying(at),
                GoKind::Pointer => self.universe.go_elem(at)?,
                _ => return None,
            };
        }
        None
    }

    /// The package a file belongs to.
    pub(super) fn package_at(&self, pos: Pos) -> PackageId {
        self.universe.file(pos.file).package
    }
}

/// The `+default` lines of a comment.
pub(super) fn written_lines(
    file: FileId,
    lines: &[crate::go::comment::DocLine<'_>],
) -> Vec<Written> {
    codetag::extract("+", lines)
        .iter()
        .filter(|line| line.name == "default")
        .map(|line| {
            let text = line.text.trim_end();
            let text = text.split_once('=').map_or("", |(_, value)| value).trim();
            Written { text: text.to_string(), pos: Pos { file, offset: line.offset } }
        })
        .collect()
}
