//! Marker comments as controller-gen attaches them: by position, not by doc comment alone.
//!
//! Upstream: `markers.Collector`. A marker belongs to a type or field when it stands in its doc
//! comment or in the comment group before that; to the package when it stands free elsewhere.
//! Which free markers of a type are really the package's depends on the registry of markers, so
//! [`RawMarker::from_doc`] is kept for the reader to decide.

use super::package::SourceFile;
use crate::go::ast::{Decl, DeclKind, Field, Span, TypeExpr, TypeExprKind};
use crate::go::comment::{Comments, GroupId};

/// A marker line: `// +name...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawMarker<'a> {
    /// The text from the plus sign on, blanks trimmed.
    pub text: &'a str,
    /// Byte offset of the comment that holds it (controller-gen's place for errors).
    pub comment_offset: u32,
    /// Byte offset of the plus sign.
    pub offset: u32,
    /// Whether it stands in the doc comment of its owner.
    pub from_doc: bool,
}

/// The markers of a file by owner.
#[derive(Clone, Debug, Default)]
pub struct FileMarkers<'a> {
    /// Markers of the package.
    pub package: Vec<RawMarker<'a>>,
    /// Markers of types: indices of declaration and spec.
    pub types: Vec<((u32, u32), Vec<RawMarker<'a>>)>,
    /// Markers of field lines, by [`crate::go::ast::Field::id`].
    pub fields: Vec<(u32, Vec<RawMarker<'a>>)>,
}

impl<'a> FileMarkers<'a> {
    /// Attaches the markers of a file.
    #[must_use]
    pub fn of(file: &'a SourceFile) -> Self {
        let mut walk = Association {
            comments: &file.parsed.comments,
            text: &file.text,
            next: 0,
            out: FileMarkers::default(),
        };
        walk.file(file);
        walk.out.fields.sort_by_key(|entry| entry.0);
        walk.out
    }

    /// The markers of a type.
    #[must_use]
    pub fn of_type(&self, spec: (u32, u32)) -> &[RawMarker<'a>] {
        self.types.iter().find(|entry| entry.0 == spec).map_or(&[], |entry| &entry.1)
    }

    /// The markers of a field line.
    #[must_use]
    pub fn of_field(&self, line_id: u32) -> &[RawMarker<'a>] {
        match self.fields.binary_search_by_key(&line_id, |entry| entry.0) {
            Ok(at) => self.fields.get(at).map_or(&[], |entry| &entry.1),
            Err(_) => &[],
        }
    }
}

struct Association<'a> {
    comments: &'a Comments,
    text: &'a str,
    /// Index of the first comment group not yet given to anyone.
    next: usize,
    out: FileMarkers<'a>,
}

/// The markers found before a node.
struct Before<'a> {
    /// From groups before the closest one.
    free: Vec<RawMarker<'a>>,
    /// From the closest group that is not the doc comment.
    closest: Vec<RawMarker<'a>>,
    /// From the doc comment.
    doc: Vec<RawMarker<'a>>,
}

impl<'a> Association<'a> {
    fn start(&self, group: usize) -> u32 {
        self.comments.start(GroupId(group as u32))
    }

    /// Takes the groups that start before an offset.
    fn before(&mut self, offset: u32, doc: Option<GroupId>) -> Before<'a> {
        let first = self.next;
        let mut end = first;
        while end < self.comments.groups.len() && self.start(end) < offset {
            end += 1;
        }
        self.next = end;
        let has_doc = end > 0 && doc.is_some_and(|doc| doc.0 as usize == end - 1);
        let closest_end = if has_doc { end - 1 } else { end };
        if closest_end > first {
            Before {
                free: self.markers(first, closest_end - 1, false),
                closest: self.markers(closest_end - 1, closest_end, false),
                doc: self.markers(closest_end, end, true),
            }
        } else {
            let doc = self.markers(closest_end, end, true);
            Before { free: Vec::new(), closest: Vec::new(), doc }
        }
    }

    /// Drops the groups that start before an offset.
    fn pass(&mut self, offset: u32) {
        while self.next < self.comments.groups.len() && self.start(self.next) < offset {
            self.next += 1;
        }
    }

    fn pass_trail(&mut self, trail: Option<GroupId>) {
        if let Some(group) = trail
            && self.next <= group.0 as usize
        {
            self.next = group.0 as usize + 1;
        }
    }

    fn markers(&self, from: usize, to: usize, from_doc: bool) -> Vec<RawMarker<'a>> {
        let mut out = Vec::new();
        for group in from..to {
            for comment in self.comments.of(GroupId(group as u32)) {
                let raw = self.text.get(comment.start as usize..comment.end as usize).unwrap_or("");
                let Some(body) = raw.strip_prefix("//") else { continue };
                let trimmed = body.trim();
                if trimmed.starts_with('+') {
                    let blanks = body.len() - body.trim_start().len();
                    out.push(RawMarker {
                        text: trimmed,
                        comment_offset: comment.start,
                        offset: comment.start + 2 + blanks as u32,
                        from_doc,
                    });
                }
            }
        }
        out
    }

    fn file(&mut self, file: &'a SourceFile) {
        let ast = &file.parsed.ast;
        let before = self.before(ast.start, ast.doc);
        self.out.package.extend(before.free);
        self.out.package.extend(before.closest);
        self.out.package.extend(before.doc);
        for (at, decl) in ast.decls.iter().enumerate() {
            self.decl(at as u32, decl);
        }
        let rest = self.markers(self.next, self.comments.groups.len(), false);
        self.out.package.extend(rest);
    }

    fn decl(&mut self, at: u32, decl: &Decl) {
        let before = self.before(decl.span.start, decl.doc);
        self.out.package.extend(before.free);
        match &decl.kind {
            DeclKind::Type(specs) => {
                let mut own = Vec::new();
                if decl.grouped {
                    self.out.package.extend(before.closest);
                } else {
                    own.extend(before.closest);
                    own.extend(before.doc);
                }
                for (spec_at, spec) in specs.iter().enumerate() {
                    let before = self.before(spec.span.start, spec.doc);
                    own.extend(before.closest);
                    own.extend(before.doc);
                    self.out.types.push(((at, spec_at as u32), std::mem::take(&mut own)));
                    self.ty(&spec.ty);
                    self.pass(spec.span.end);
                    self.pass_trail(spec.trail);
                }
            }
            DeclKind::Import(specs) => {
                self.out.package.extend(before.closest);
                for spec in specs {
                    self.pass(spec.span.end);
                    self.pass_trail(spec.trail);
                }
            }
            DeclKind::Const(specs) => {
                self.out.package.extend(before.closest);
                for spec in specs {
                    self.pass(spec.span.end);
                    self.pass_trail(spec.trail);
                }
            }
            DeclKind::Var(_) | DeclKind::Func(_) | DeclKind::Bad => {
                self.out.package.extend(before.closest);
            }
        }
        self.pass(decl.span.end);
    }

    /// Fields in a type, nested structs included. Nesting is bounded by the parser.
    fn ty(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeExprKind::Struct(fields) => {
                for field in fields {
                    self.field(field);
                }
                self.pass(ty.span.end);
            }
            TypeExprKind::Pointer(inner)
            | TypeExprKind::Slice(inner)
            | TypeExprKind::Array(_, inner)
            | TypeExprKind::Chan(inner) => self.ty(inner),
            TypeExprKind::Map(key, value) => {
                self.ty(key);
                self.ty(value);
            }
            _ => {}
        }
    }

    fn field(&mut self, field: &Field) {
        let Span { start, end } = field.span;
        let before = self.before(start, field.doc);
        let mut markers = before.closest;
        markers.extend(before.doc);
        if !markers.is_empty() {
            self.out.fields.push((field.id, markers));
        }
        self.ty(&field.ty);
        self.pass(end);
        self.pass_trail(field.trail);
    }
}
