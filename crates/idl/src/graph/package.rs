//! Packages and their files, before and after resolution.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use smol_str::SmolStr;

use super::constant::ConstId;
use super::ty::NamedId;
use crate::go::ParsedFile;
use crate::go::ast::{DeclKind, Span};
use crate::source::{FileId, Pos};

/// Index of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageId(pub u32);

/// A file that belongs to the build.
#[derive(Debug)]
pub struct SourceFile {
    /// Path as the source named it.
    pub path: SmolStr,
    /// The text.
    pub text: Arc<str>,
    /// The tree, the comments and the lines.
    pub parsed: ParsedFile,
    /// The package it belongs to.
    pub package: PackageId,
}

impl SourceFile {
    /// The file's name without its directory.
    #[must_use]
    pub fn base_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The bytes of a span.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

/// A method that is declared on a type.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its name.
    pub name: SmolStr,
    /// Whether the receiver is a pointer.
    pub pointer: bool,
    /// Place of the name.
    pub pos: Pos,
    /// Parameters and results as written.
    pub signature: Span,
    /// The body with its braces.
    pub body: Option<Span>,
}

/// A Go package.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its id.
    pub id: PackageId,
    /// Import path.
    pub path: SmolStr,
    /// Name in the package clauses.
    pub name: SmolStr,
    /// Directory; empty for built-in declarations.
    pub dir: SmolStr,
    /// Its files, by name.
    pub files: Vec<FileId>,
    /// Whether it was asked for, rather than imported.
    pub requested: bool,
    /// Whether the declarations are the built-in ones, because no source was found.
    pub builtin: bool,
    /// Whether nothing at all was found under the path.
    pub missing: bool,
    /// Declared types by name: all of a requested package, those in use of an imported one.
    /// Aliases are among them, instances of generics are not.
    pub types: BTreeMap<SmolStr, NamedId>,
    /// Constants by name, evaluated; empty for packages no type of which is in use.
    pub consts: BTreeMap<SmolStr, ConstId>,
    /// Methods by receiver, in source order.
    pub methods: BTreeMap<SmolStr, Vec<Method>>,
    /// Where each name is declared.
    pub(crate) index: HashMap<SmolStr, DeclRef>,
}

/// Where a name is declared: file, declaration, spec and (for constants) the name in the spec.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclRef {
    pub file: FileId,
    pub kind: RefKind,
    pub decl: u32,
    pub spec: u32,
    pub name: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefKind {
    Type,
    Const,
    Var,
    Func,
}

impl Package {
    pub(crate) fn new(id: PackageId, path: &str) -> Self {
        Self {
            id,
            path: SmolStr::new(path),
            name: SmolStr::default(),
            dir: SmolStr::default(),
            files: Vec::new(),
            requested: false,
            builtin: false,
            missing: false,
            types: BTreeMap::new(),
            consts: BTreeMap::new(),
            methods: BTreeMap::new(),
            index: HashMap::new(),
        }
    }

    /// Notes what a file declares; returns the names that were declared before, with their place.
    pub(crate) fn index_file(&mut self, file: FileId, parsed: &ParsedFile) -> Vec<(SmolStr, Pos)> {
        let mut twice = Vec::new();
        let mut add = |this: &mut Self, name: &SmolStr, offset: u32, at: DeclRef| {
            if name == "_" || (at.kind == RefKind::Func && name == "init") {
                return;
            }
            if this.index.insert(name.clone(), at).is_some() {
                twice.push((name.clone(), Pos { file, offset }));
            }
        };
        for (decl_at, decl) in parsed.ast.decls.iter().enumerate() {
            let at = |kind, spec: usize, name: usize| DeclRef {
                file,
                kind,
                decl: decl_at as u32,
                spec: spec as u32,
                name: name as u32,
            };
            match &decl.kind {
                DeclKind::Type(specs) => {
                    for (spec_at, spec) in specs.iter().enumerate() {
                        add(self, &spec.name.name, spec.name.offset, at(RefKind::Type, spec_at, 0));
                    }
                }
                DeclKind::Const(specs) => {
                    for (spec_at, spec) in specs.iter().enumerate() {
                        for (name_at, name) in spec.names.iter().enumerate() {
                            let place = at(RefKind::Const, spec_at, name_at);
                            add(self, &name.name, name.offset, place);
                        }
                    }
                }
                DeclKind::Var(specs) => {
                    for (spec_at, spec) in specs.iter().enumerate() {
                        for (name_at, name) in spec.names.iter().enumerate() {
                            add(self, &name.name, name.offset, at(RefKind::Var, spec_at, name_at));
                        }
                    }
                }
                DeclKind::Func(func) => match &func.receiver {
                    None => add(self, &func.name.name, func.name.offset, at(RefKind::Func, 0, 0)),
                    Some(receiver) => {
                        let method = Method {
                            name: func.name.name.clone(),
                            pointer: receiver.pointer,
                            pos: Pos { file, offset: func.name.offset },
                            signature: func.signature,
                            body: func.body,
                        };
                        self.methods.entry(receiver.base.name.clone()).or_default().push(method);
                    }
                },
                DeclKind::Import(_) | DeclKind::Bad => {}
            }
        }
        twice
    }
}
