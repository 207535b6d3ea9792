//! From names to ids: every type a requested package declares, and whatever those reach.

use std::collections::HashMap;
use std::sync::Arc;

use smol_str::SmolStr;

use super::Universe;
use super::load::Files;
use super::package::{DeclRef, PackageId, RefKind, SourceFile};
use super::ty::{Basic, Docs, Field, Named, NamedId, StructId, StructType, Type, TypeId};
use crate::diagnostic::Diagnostic;
use crate::go::ast::{self, DeclKind, TypeExpr, TypeExprKind, TypeSpec};
use crate::go::struct_tag::Json;
use crate::source::{FileId, Pos};

/// Where names are looked up: a file of a package, and type parameters in force.
#[derive(Clone)]
pub(crate) struct Scope {
    pub package: PackageId,
    pub file: FileId,
    pub params: Vec<(SmolStr, TypeId)>,
    pub depth: u32,
}

/// The work of turning syntax into the graph.
pub(crate) struct Resolution<'a> {
    pub files: Files<'a>,
    interned: HashMap<Type, TypeId>,
    instances: HashMap<(PackageId, SmolStr, Vec<TypeId>), NamedId>,
    queue: Vec<NamedId>,
    imports: HashMap<(FileId, SmolStr), Option<PackageId>>,
    reported: HashMap<(PackageId, SmolStr), ()>,
    pub consts: super::constant::Evaluation,
}

impl<'a> Resolution<'a> {
    pub(crate) fn new(files: Files<'a>) -> Self {
        Self {
            files,
            interned: HashMap::new(),
            instances: HashMap::new(),
            queue: Vec::new(),
            imports: HashMap::new(),
            reported: HashMap::new(),
            consts: super::constant::Evaluation::default(),
        }
    }

    pub(crate) fn universe(&mut self) -> &mut Universe {
        &mut self.files.universe
    }

    pub(crate) fn file(&self, id: FileId) -> Arc<SourceFile> {
        Arc::clone(&self.files.universe.files[id.0 as usize])
    }

    /// Resolves everything and hands out the finished graph.
    pub(crate) fn run(mut self) -> Universe {
        let requested: Vec<PackageId> =
            self.files.universe.requested().map(|package| package.id).collect();
        for package in &requested {
            let mut names: Vec<SmolStr> = self
                .files
                .universe
                .package(*package)
                .index
                .iter()
                .filter(|(_, at)| at.kind == RefKind::Type)
                .map(|(name, _)| name.clone())
                .collect();
            names.sort();
            for name in names {
                self.named(*package, &name, Vec::new(), 0);
            }
        }
        self.drain();
        self.evaluate_constants(&requested);
        self.drain();
        self.break_cycles();
        let mut universe = self.files.universe;
        universe.diagnostics.sort_by_key(|diagnostic| diagnostic.pos);
        universe
    }

    /// Resolves the right-hand sides of all types that were named so far.
    pub(crate) fn drain(&mut self) {
        while let Some(id) = self.queue.pop() {
            let named = self.files.universe.named(id).clone();
            let file = self.file(named.pos.file);
            let Some(spec) = type_spec(&file, named.spec) else { continue };
            let mut params = Vec::with_capacity(spec.params.len());
            for (at, param) in spec.params.iter().enumerate() {
                let ty = match named.args.get(at) {
                    Some(arg) => *arg,
                    None => self.intern(Type::Param(param.name.name.clone())),
                };
                params.push((param.name.name.clone(), ty));
            }
            let scope =
                Scope { package: named.package, file: named.pos.file, params, depth: named.depth };
            let target = self.ty(&scope, &spec.ty);
            self.universe().named[id.0 as usize].target = target;
        }
    }

    pub(crate) fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(known) = self.interned.get(&ty) {
            return *known;
        }
        let id = TypeId(self.files.universe.types.len() as u32);
        self.universe().types.push(ty.clone());
        self.interned.insert(ty, id);
        id
    }

    /// The declared type of a package, made on first use. `None` when there is no such type.
    pub(crate) fn named(
        &mut self,
        package: PackageId,
        name: &str,
        args: Vec<TypeId>,
        depth: u32,
    ) -> Option<NamedId> {
        let key = (package, SmolStr::new(name), args);
        if let Some(known) = self.instances.get(&key) {
            return Some(*known);
        }
        let at = *self.files.universe.package(package).index.get(name)?;
        if at.kind != RefKind::Type {
            return None;
        }
        let file = self.file(at.file);
        let spec = type_spec(&file, (at.decl, at.spec))?;
        let target = self.intern(Type::Unknown(SmolStr::default(), SmolStr::default()));
        let id = NamedId(self.files.universe.named.len() as u32);
        let ty = self.intern(Type::Named(id));
        let named = Named {
            ty,
            package,
            name: key.1.clone(),
            pos: Pos { file: at.file, offset: spec.name.offset },
            alias: spec.alias,
            params: spec.params.iter().map(|param| param.name.name.clone()).collect(),
            args: key.2.clone(),
            target,
            docs: type_docs(&file, at, spec),
            spec: (at.decl, at.spec),
            depth,
        };
        self.universe().named.push(named);
        if key.2.is_empty() {
            self.universe().packages[package.0 as usize].types.insert(key.1.clone(), id);
        }
        self.instances.insert(key, id);
        self.queue.push(id);
        // Declared types have an id of their own even when nothing refers to them.
        self.intern(Type::Named(id));
        Some(id)
    }

    /// The id of a type as written.
    pub(crate) fn ty(&mut self, scope: &Scope, expr: &TypeExpr) -> TypeId {
        let ty = match &expr.kind {
            TypeExprKind::Name { package, name, args } => {
                return self.name(scope, package.as_ref(), name, args);
            }
            TypeExprKind::Pointer(inner) => Type::Pointer(self.ty(scope, inner)),
            TypeExprKind::Slice(inner) => Type::Slice(self.ty(scope, inner)),
            TypeExprKind::Array(len, inner) => {
                let inner = self.ty(scope, inner);
                Type::Array(self.array_len(scope, len), inner)
            }
            TypeExprKind::Map(key, value) => {
                let key = self.ty(scope, key);
                Type::Map(key, self.ty(scope, value))
            }
            TypeExprKind::Struct(fields) => Type::Struct(self.struct_type(scope, expr, fields)),
            TypeExprKind::Interface(elements) => Type::Interface(*elements == 0),
            TypeExprKind::Func => Type::Func,
            TypeExprKind::Chan(inner) => Type::Chan(self.ty(scope, inner)),
            TypeExprKind::Bad => Type::Unknown(SmolStr::default(), SmolStr::default()),
        };
        self.intern(ty)
    }

    fn array_len(&mut self, scope: &Scope, len: &ast::Expr) -> u64 {
        match self.evaluate(scope, len, None) {
            Ok((super::ConstValue::Int(len), _)) if u64::try_from(len).is_ok() => {
                u64::try_from(len).unwrap_or(0)
            }
            _ => {
                let pos = Pos { file: scope.file, offset: len.span.start };
                // Only lists with a known length are checked for it.
                let message = "array length is not an expression that is understood here";
                let help = "the list may have any length; write a number to have it checked";
                let found = Diagnostic::warning("array-length", pos, message).help(help);
                self.universe().diagnostics.push(found);
                super::ty::ANY_LENGTH
            }
        }
    }

    fn name(
        &mut self,
        scope: &Scope,
        package: Option<&ast::Ident>,
        name: &ast::Ident,
        args: &[TypeExpr],
    ) -> TypeId {
        let args: Vec<TypeId> = args.iter().map(|arg| self.ty(scope, arg)).collect();
        let depth = if args.is_empty() { scope.depth } else { scope.depth + 1 };
        if !self.may_instantiate(scope, name, &args, depth) {
            return self.intern(Type::Unknown(SmolStr::default(), name.name.clone()));
        }
        let Some(qualifier) = package else { return self.plain_name(scope, name, args, depth) };
        let Some(target) = self.import_named(scope.file, &qualifier.name) else {
            self.report(scope, qualifier, "unresolved-import", || {
                (
                    format!("`{}` is not an imported package", qualifier.name),
                    "import the package, or correct the qualifier".into(),
                )
            });
            return self.intern(Type::Unknown(qualifier.name.clone(), name.name.clone()));
        };
        if let Some(id) = self.named(target, &name.name, args, depth) {
            return self.intern(Type::Named(id));
        }
        let declared = self.files.universe.package(target);
        let path = declared.path.clone();
        // What is built in is no more than what is needed most.
        if declared.missing || declared.builtin {
            self.report(scope, qualifier, "missing-package", || {
                (
                    format!("no source found for package `{path}`"),
                    "vendor it, or name the module cache that holds it".into(),
                )
            });
        } else {
            self.report(scope, name, "undeclared-type", || {
                (
                    format!("package `{path}` declares no type `{}`", name.name),
                    "check the spelling".into(),
                )
            });
        }
        self.intern(Type::Unknown(path, name.name.clone()))
    }

    fn plain_name(
        &mut self,
        scope: &Scope,
        name: &ast::Ident,
        args: Vec<TypeId>,
        depth: u32,
    ) -> TypeId {
        if let Some((_, ty)) = scope.params.iter().find(|(param, _)| *param == name.name) {
            return *ty;
        }
        if let Some(id) = self.named(scope.package, &name.name, args.clone(), depth) {
            return self.intern(Type::Named(id));
        }
        for package in self.dot_imports(scope.file) {
            if let Some(id) = self.named(package, &name.name, args.clone(), depth) {
                return self.intern(Type::Named(id));
            }
        }
        if let Some(basic) = Basic::from_name(&name.name) {
            return self.intern(Type::Basic(basic));
        }
        match name.name.as_str() {
            "any" => return self.intern(Type::Any),
            "comparable" => return self.intern(Type::Interface(true)),
            _ => {}
        }
        self.report(scope, name, "undeclared-type", || {
            (
                format!("type `{}` is not declared", name.name),
                "declare it, or correct the name".into(),
            )
        });
        let path = self.files.universe.package(scope.package).path.clone();
        self.intern(Type::Unknown(path, name.name.clone()))
    }

    /// Reports a name that leads nowhere, once per package and only where the author can act.
    fn report(
        &mut self,
        scope: &Scope,
        name: &ast::Ident,
        code: &'static str,
        text: impl FnOnce() -> (String, String),
    ) {
        let requested = self.files.universe.package(scope.package).requested;
        if !requested || self.reported.insert((scope.package, name.name.clone()), ()).is_some() {
            return;
        }
        let (message, help) = text();
        let pos = Pos { file: scope.file, offset: name.offset };
        self.universe().diagnostics.push(Diagnostic::error(code, pos, message).help(help));
    }

    fn struct_type(&mut self, scope: &Scope, expr: &TypeExpr, lines: &[ast::Field]) -> StructId {
        let file = self.file(scope.file);
        let mut fields = Vec::with_capacity(lines.len());
        for line in lines {
            let ty = self.ty(scope, &line.ty);
            let tag = line.tag.clone().unwrap_or_default();
            let json = Json::of(&tag);
            let embedded = line.names.is_empty();
            let names = if embedded { embedded_name(&line.ty) } else { line.names.clone() };
            for name in names {
                fields.push(Field {
                    docs: field_docs(&file, scope.file, line, name.offset),
                    pos: Pos { file: scope.file, offset: name.offset },
                    name: name.name,
                    embedded,
                    ty,
                    tag: tag.clone(),
                    json: json.clone(),
                    line_id: line.id,
                });
            }
        }
        let id = StructId(self.files.universe.structs.len() as u32);
        let pos = Pos { file: scope.file, offset: expr.span.start };
        self.universe().structs.push(StructType { pos, fields });
        id
    }

    /// The package an identifier stands for in a file.
    pub(crate) fn import_named(&mut self, file: FileId, name: &SmolStr) -> Option<PackageId> {
        let key = (file, name.clone());
        if let Some(known) = self.imports.get(&key) {
            return *known;
        }
        let source = self.file(file);
        let specs = import_specs(&source);
        let aliased =
            specs.iter().find(|spec| spec.alias.as_ref().is_some_and(|alias| alias.name == *name));
        let found = match aliased {
            Some(spec) => Some(self.files.import(&spec.path)),
            None => self.import_by_package_name(&specs, name),
        };
        self.imports.insert(key, found);
        found
    }

    fn import_by_package_name(
        &mut self,
        specs: &[&ast::ImportSpec],
        name: &SmolStr,
    ) -> Option<PackageId> {
        let plain: Vec<&&ast::ImportSpec> =
            specs.iter().filter(|spec| spec.alias.is_none()).collect();
        // The likely ones first, so that nothing is read in vain.
        for likely in [true, false] {
            for spec in plain.iter().filter(|spec| (guessed_name(&spec.path) == *name) == likely) {
                let id = self.files.import(&spec.path);
                let package = self.files.universe.package(id);
                if package.name == *name || (package.missing && likely) {
                    return Some(id);
                }
            }
        }
        None
    }

    pub(crate) fn dot_imports(&mut self, file: FileId) -> Vec<PackageId> {
        let source = self.file(file);
        import_specs(&source)
            .iter()
            .filter(|spec| spec.alias.as_ref().is_some_and(|alias| alias.name == "."))
            .map(|spec| self.files.import(&spec.path))
            .collect()
    }

    /// Cuts chains such as `type A B; type B A`, which have no underlying type.
    fn break_cycles(&mut self) {
        let unknown = self.intern(Type::Unknown(SmolStr::default(), SmolStr::default()));
        for start in 0..self.files.universe.named.len() {
            let mut at = NamedId(start as u32);
            let mut steps = 0;
            while let Type::Named(next) =
                *self.files.universe.ty(self.files.universe.named(at).target)
            {
                at = next;
                steps += 1;
                if steps > self.files.universe.named.len() {
                    let pos = self.files.universe.named(NamedId(start as u32)).pos;
                    let name = self.files.universe.named(NamedId(start as u32)).name.clone();
                    let message = format!("type `{name}` is declared in terms of itself alone");
                    self.universe().diagnostics.push(Diagnostic::error("type-cycle", pos, message));
                    self.universe().named[start].target = unknown;
                    break;
                }
            }
        }
    }
}

/// The name a package most likely has, judging by its path.
fn guessed_name(path: &str) -> &str {
    let mut parts = path.rsplit('/');
    let last = parts.next().unwrap_or(path);
    let is_version = last
        .strip_prefix('v')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    if is_version && path.contains('.') && path.matches('/').count() >= 3 {
        // `example.com/a/b/v2` may be package b or package v2; both are tried.
        return last;
    }
    last.split(".v").next().unwrap_or(last)
}

fn import_specs(file: &SourceFile) -> Vec<&ast::ImportSpec> {
    file.parsed
        .ast
        .decls
        .iter()
        .filter_map(|decl| match &decl.kind {
            DeclKind::Import(specs) => Some(specs.iter()),
            _ => None,
        })
        .flatten()
        .collect()
}

pub(crate) fn type_spec(file: &SourceFile, at: (u32, u32)) -> Option<&TypeSpec> {
    match &file.parsed.ast.decls.get(at.0 as usize)?.kind {
        DeclKind::Type(specs) => specs.get(at.1 as usize),
        _ => None,
    }
}

/// The identifier an embedded field is known by.
fn embedded_name(ty: &TypeExpr) -> Vec<ast::Ident> {
    match &ty.kind {
        TypeExprKind::Name { name, .. } => vec![name.clone()],
        TypeExprKind::Pointer(inner) => match &inner.kind {
            TypeExprKind::Name { name, .. } => vec![name.clone()],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn type_docs(file: &SourceFile, at: DeclRef, spec: &TypeSpec) -> Docs {
    let decl = file.parsed.ast.decls.get(at.decl as usize);
    let own = decl.filter(|decl| !decl.grouped).and_then(|decl| decl.doc);
    let mut docs = line_docs(file, at.file, spec.name.offset);
    docs.doc = spec.doc.or(own);
    docs.trail = spec.trail;
    docs.second_closest = second_closest(file, docs.closest, spec.name.offset);
    docs
}

fn field_docs(file: &SourceFile, id: FileId, line: &ast::Field, offset: u32) -> Docs {
    let mut docs = line_docs(file, id, offset);
    docs.doc = line.doc;
    docs.trail = line.trail;
    docs
}

/// Comments as gengo finds them: by line numbers.
pub(crate) fn line_docs(file: &SourceFile, id: FileId, offset: u32) -> Docs {
    let line = file.parsed.lines.line(offset);
    let closest = line.checked_sub(1).and_then(|line| file.parsed.comments.ending_on(line));
    Docs { file: id, doc: None, trail: None, closest, second_closest: None }
}

fn second_closest(
    file: &SourceFile,
    closest: Option<crate::go::comment::GroupId>,
    offset: u32,
) -> Option<crate::go::comment::GroupId> {
    let from = closest.map_or(offset, |group| file.parsed.comments.start(group));
    let line = file.parsed.lines.line(from).checked_sub(2)?;
    file.parsed.comments.ending_on(line)
}
