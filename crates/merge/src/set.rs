//! Sets of field paths, kept as a tree in path order.

use std::cmp::Ordering;

use crate::path::{Path, PathElement};
use crate::types::{TypeRef, Types};

/// A set of paths. Membership of a parent does not imply its children, nor the other way round.
///
/// INVARIANT: nodes are strictly ascending and each is a member or has a non-empty child set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    pub(crate) nodes: Vec<Node>,
}

/// One child of a set's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) element: PathElement,
    pub(crate) member: bool,
    pub(crate) children: Set,
}

impl Node {
    fn leaf(element: PathElement) -> Self {
        Node { element, member: true, children: Set::default() }
    }
}

impl Set {
    /// The empty set.
    pub fn new() -> Self {
        Set::default()
    }

    /// A set of paths of field names, for fixed sets such as reset fields.
    pub fn of_fields(paths: &[&[&str]]) -> Self {
        let mut set = Set::new();
        for path in paths {
            let path: Path = path.iter().map(|it| PathElement::field(*it)).collect();
            set.insert(&path);
        }
        set
    }

    /// A set of nodes in any order; equal ones are joined.
    pub(crate) fn from_nodes(mut nodes: Vec<Node>) -> Self {
        if !nodes.is_sorted_by(|a, b| a.element < b.element) {
            // The stored order is that of the encoded keys; inserting one by one would be quadratic.
            nodes.sort_by(|a, b| a.element.cmp(&b.element));
            nodes.dedup_by(|later, kept| {
                let same = later.element == kept.element;
                if same {
                    kept.member |= later.member;
                    kept.children = kept.children.union(&later.children);
                }
                same
            });
        }
        Set { nodes }
    }

    /// True without members.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Number of member paths.
    pub fn len(&self) -> usize {
        self.nodes.iter().map(|it| usize::from(it.member) + it.children.len()).sum()
    }

    pub(crate) fn position(&self, element: &PathElement) -> Result<usize, usize> {
        // Walks insert in order most of the time.
        match self.nodes.last().map(|it| it.element.cmp(element)) {
            None => Err(0),
            Some(Ordering::Less) => Err(self.nodes.len()),
            Some(Ordering::Equal) => Ok(self.nodes.len() - 1),
            Some(Ordering::Greater) => self.nodes.binary_search_by(|it| it.element.cmp(element)),
        }
    }

    /// Adds a path. The empty path is nobody's and ignored.
    pub fn insert(&mut self, path: &[PathElement]) {
        let Some((last, parents)) = path.split_last() else { return };
        let mut at = self;
        for element in parents {
            at = &mut at.descend(element).children;
        }
        at.descend(last).member = true;
    }

    fn descend(&mut self, element: &PathElement) -> &mut Node {
        let at = match self.position(element) {
            Ok(at) => at,
            Err(at) => {
                let children = Set::default();
                self.nodes.insert(at, Node { element: element.clone(), member: false, children });
                at
            }
        };
        &mut self.nodes[at]
    }

    /// Adds one direct member.
    pub(crate) fn insert_member(&mut self, element: PathElement) {
        match self.position(&element) {
            Ok(at) => self.nodes[at].member = true,
            Err(at) => self.nodes.insert(at, Node::leaf(element)),
        }
    }

    /// Adds the paths of `children` below `element`.
    pub(crate) fn insert_children(&mut self, element: PathElement, children: Set) {
        if children.is_empty() {
            return;
        }
        match self.position(&element) {
            Ok(at) if self.nodes[at].children.is_empty() => self.nodes[at].children = children,
            Ok(at) => {
                let node = &mut self.nodes[at];
                node.children = node.children.union(&children);
            }
            Err(at) => self.nodes.insert(at, Node { element, member: false, children }),
        }
    }

    /// True if `path` is a member.
    pub fn has(&self, path: &[PathElement]) -> bool {
        let Some((last, parents)) = path.split_last() else { return false };
        let mut at = self;
        for element in parents {
            match at.child(element) {
                Some(children) => at = children,
                None => return false,
            }
        }
        at.has_member(last)
    }

    /// True if the direct child is a member.
    pub fn has_member(&self, element: &PathElement) -> bool {
        self.position(element).is_ok_and(|at| self.nodes[at].member)
    }

    /// The set below `element`, if it has any paths.
    pub fn child(&self, element: &PathElement) -> Option<&Set> {
        let at = self.position(element).ok()?;
        let children = &self.nodes[at].children;
        (!children.is_empty()).then_some(children)
    }

    /// Paths in either set.
    pub fn union(&self, other: &Set) -> Set {
        if self.is_empty() {
            return other.clone();
        }
        if other.is_empty() {
            return self.clone();
        }
        let mut nodes = Vec::with_capacity(self.nodes.len().max(other.nodes.len()));
        zip(&self.nodes, &other.nodes, |a, b| match (a, b) {
            (Some(a), Some(b)) => nodes.push(Node {
                element: a.element.clone(),
                member: a.member || b.member,
                children: a.children.union(&b.children),
            }),
            (Some(it), None) | (None, Some(it)) => nodes.push(it.clone()),
            (None, None) => {}
        });
        Set { nodes }
    }

    /// Paths in either of two sets that nobody needs any more.
    #[must_use]
    pub fn joined(self, other: Set) -> Set {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        self.union(&other)
    }

    /// Paths in both sets.
    pub fn intersection(&self, other: &Set) -> Set {
        let mut out = Set::new();
        zip(&self.nodes, &other.nodes, |a, b| {
            if let (Some(a), Some(b)) = (a, b) {
                out.push(&a.element, a.member && b.member, || a.children.intersection(&b.children));
            }
        });
        out
    }

    /// Paths of this set that are not in `other`; each path on its own.
    #[must_use]
    pub fn difference(&self, other: &Set) -> Set {
        self.clone().without(other)
    }

    /// The same of a set that nobody needs any more: what stays is not copied.
    #[must_use]
    pub fn without(mut self, other: &Set) -> Set {
        self.take_out(other, false);
        self
    }

    /// Paths of this set that are not in `other` nor below one of its members.
    #[must_use]
    pub fn recursive_difference(&self, other: &Set) -> Set {
        self.clone().without_below(other)
    }

    /// The same of a set that nobody needs any more.
    #[must_use]
    pub fn without_below(mut self, other: &Set) -> Set {
        self.take_out(other, true);
        self
    }

    fn take_out(&mut self, other: &Set, with_children: bool) {
        let mut rest = other.nodes.as_slice();
        self.nodes.retain_mut(|node| {
            while let [first, others @ ..] = rest {
                match first.element.cmp(&node.element) {
                    Ordering::Less => rest = others,
                    Ordering::Greater => break,
                    Ordering::Equal if with_children && first.member => return false,
                    Ordering::Equal => {
                        node.member &= with_children || !first.member;
                        node.children.take_out(&first.children, with_children);
                        return node.member || !node.children.is_empty();
                    }
                }
            }
            true
        });
    }

    fn push(&mut self, element: &PathElement, member: bool, children: impl FnOnce() -> Set) {
        let children = children();
        if member || !children.is_empty() {
            self.nodes.push(Node { element: element.clone(), member, children });
        }
    }

    /// Adds every declared struct field on the way to a member: `a.b.c` also holds `a` if `a` is a
    /// field, but not `a.b` if that is a map key.
    pub fn with_named_fields(&self, types: &Types, ty: Option<TypeRef>) -> Set {
        let atom = ty.map(|it| types.resolve(it));
        let map = atom.and_then(|it| it.map.as_ref());
        let list = atom.and_then(|it| it.list.as_ref());
        let nodes = self.nodes.iter().map(|node| {
            let mut member = node.member;
            let child = match &node.element {
                PathElement::Field(name) => map.and_then(|map| match map.field(name) {
                    Some(field) => {
                        member = member || !node.children.is_empty();
                        Some(field.ty)
                    }
                    None => map.element,
                }),
                PathElement::Key(_) => list.map(|it| it.element),
                _ => None,
            };
            let children = node.children.with_named_fields(types, child);
            Node { element: node.element.clone(), member, children }
        });
        Set { nodes: nodes.collect() }
    }

    /// Calls `visit` for each member: the members of a level before those below it.
    pub fn for_each(&self, visit: &mut dyn FnMut(&[PathElement])) {
        self.for_each_below(&mut Vec::new(), visit);
    }

    fn for_each_below(&self, prefix: &mut Path, visit: &mut dyn FnMut(&[PathElement])) {
        for node in self.nodes.iter().filter(|it| it.member) {
            prefix.push(node.element.clone());
            visit(prefix);
            prefix.pop();
        }
        for node in self.nodes.iter().filter(|it| !it.children.is_empty()) {
            prefix.push(node.element.clone());
            node.children.for_each_below(prefix, visit);
            prefix.pop();
        }
    }

    /// All members in order of [`Set::for_each`].
    pub fn paths(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        self.for_each(&mut |path| paths.push(path.to_vec()));
        paths
    }
}

fn zip<'a>(
    a: &'a [Node],
    b: &'a [Node],
    mut visit: impl FnMut(Option<&'a Node>, Option<&'a Node>),
) {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        match (a.peek(), b.peek()) {
            (None, None) => return,
            (Some(_), None) => visit(a.next(), None),
            (None, Some(_)) => visit(None, b.next()),
            (Some(left), Some(right)) => match left.element.cmp(&right.element) {
                Ordering::Less => visit(a.next(), None),
                Ordering::Greater => visit(None, b.next()),
                Ordering::Equal => visit(a.next(), b.next()),
            },
        }
    }
}
