//! The API group and version that a package states: by markers in its comments, or by what every
//! Go API registers itself with.
//!
//! Read in this order: `+groupName` and `+versionName`; a constant `GroupName`; a variable whose
//! value is a `GroupVersion{Group: …, Version: …}` literal, as `register.go` of published APIs and
//! `groupversion_info.go` of operators have it. An empty group that is stated is the core group; a
//! package that states none has none.

use smol_str::SmolStr;

use crate::go;
use crate::go::ast::{DeclKind, Expr, ExprKind, TypeExprKind};
use crate::go::literal;
use crate::graph::{Package, Universe};
use crate::tags::marker::{Marker, MarkerValue};

/// Group and version of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupVersion {
    /// The group; none when the package does not say.
    pub group: Option<SmolStr>,
    /// The version, which is the package's name when nothing else is said.
    pub version: SmolStr,
}

/// Variables that hold a package's group and version, by convention.
const VARIABLES: [&str; 2] = ["SchemeGroupVersion", "GroupVersion"];

/// References from a group to a constant are followed so far.
const REFERENCES_MAX: usize = 8;

/// What a package states, given the markers of the package.
#[must_use]
pub fn group_version(universe: &Universe, package: &Package, markers: &[Marker]) -> GroupVersion {
    let marked = |name: &str| {
        let found = markers.iter().find(|it| it.name == name)?;
        Some(SmolStr::new(found.value().and_then(MarkerValue::as_str).unwrap_or("")))
    };
    let group = marked("groupName")
        .or_else(|| constant(universe, package, "GroupName", 0))
        .or_else(|| registered(universe, package));
    // The package's name goes before what is registered, as controller-gen has it.
    let version = marked("versionName").unwrap_or_else(|| package.name.clone());
    GroupVersion { group, version }
}

/// The group in the literal that a package registers its types under.
fn registered(universe: &Universe, package: &Package) -> Option<SmolStr> {
    let value = VARIABLES.iter().find_map(|name| variable(universe, package, name))?;
    let ExprKind::Composite(Some(ty), elements) = &value.kind else { return None };
    if !matches!(&ty.kind, TypeExprKind::Name { name, .. } if name.name == "GroupVersion") {
        return None;
    }
    let is_group = |key: &Option<Expr>| {
        let key = key.as_ref().map(|it| &it.kind);
        matches!(key, Some(ExprKind::Name(ident)) if ident.name == "Group")
    };
    let (_, value) = elements.iter().find(|(key, _)| is_group(key))?;
    text(universe, package, value, 0)
}

fn variable(universe: &Universe, package: &Package, name: &str) -> Option<Expr> {
    package.files.iter().find_map(|id| {
        let file = universe.file(*id);
        let specs = file.parsed.ast.decls.iter().filter_map(|decl| match &decl.kind {
            DeclKind::Var(specs) => Some(specs),
            _ => None,
        });
        let is_it = |it: &&go::ast::VarSpec| it.names.len() == 1 && it.names[0].name == name;
        let spec = specs.flatten().find(is_it)?;
        go::parse_expression(file.slice(spec.value?)).ok()
    })
}

/// The text of a constant; read from the declaration, since groups are asked for before constants
/// are evaluated.
fn constant(universe: &Universe, package: &Package, name: &str, depth: usize) -> Option<SmolStr> {
    let value = package.files.iter().find_map(|id| {
        let decls = &universe.file(*id).parsed.ast.decls;
        let specs = decls.iter().filter_map(|decl| match &decl.kind {
            DeclKind::Const(specs) => Some(specs),
            _ => None,
        });
        specs.flatten().find_map(|spec| {
            let at = spec.names.iter().position(|it| it.name == name)?;
            spec.values.get(at)
        })
    })?;
    text(universe, package, value, depth)
}

fn text(universe: &Universe, package: &Package, expr: &Expr, depth: usize) -> Option<SmolStr> {
    match &expr.kind {
        ExprKind::Literal(_, written) => literal::unquote(written).map(SmolStr::from),
        ExprKind::Name(ident) if depth < REFERENCES_MAX => {
            constant(universe, package, &ident.name, depth + 1)
        }
        _ => None,
    }
}
