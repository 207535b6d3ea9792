//! Declared types as schemas with references to the types they use.

use ordain_idl::go::ast::{DeclKind, TypeExpr, TypeExprKind, TypeSpec};
use ordain_idl::graph::{Basic, NamedId, PackageId, Type, TypeId};
use ordain_idl::{Diagnostic, Pos};
use ordain_schema::raw::{BoolOr, Items, Raw};
use ordain_value::Text;

use super::apply::filter_one_of;
use super::known::{self, of};
use super::{Generator, doc};

/// Chains of typedefs are followed this deep.
const CHAIN_MAX: u32 = 64;

const FLOAT: &str = "found float, the usage of which is highly discouraged, as support for them varies across languages. Please consider serializing your float as string instead. If you are really sure you want to use them, re-run with crd:allowDangerousTypes=true";
const NO_INTERFACE: &str = "consider using an explicit type or apiextensionsv1.JSON instead";

/// Where a type stands.
#[derive(Clone, Copy)]
pub(super) struct Scope {
    pub package: PackageId,
    pub file: ordain_idl::FileId,
    /// The declaration whose right-hand side this is; none inside of it.
    pub declared: Option<NamedId>,
    pub depth: u32,
}

impl Scope {
    fn inside(self) -> Self {
        Self { declared: None, ..self }
    }

    pub(super) fn pos(self, offset: u32) -> Pos {
        Pos { file: self.file, offset }
    }
}

/// The reference to a declared type; it lives until [`super::flatten`] dissolves it.
fn reference(id: NamedId) -> Option<Text> {
    Some(Text::from(id.0.to_string()))
}

/// The declared type that a reference names.
pub(super) fn referred(raw: &Raw) -> Option<NamedId> {
    raw.reference.as_ref().and_then(|text| text.parse().ok()).map(NamedId)
}

impl Generator<'_> {
    /// The schema of a declared type, made on first use.
    pub(super) fn schema(&mut self, id: NamedId) -> Raw {
        if let Some(known) = self.schemata.get(&id) {
            return known.clone();
        }
        let package = &self.universe.package_of(id).path;
        let name = &self.universe.named(id).name;
        let embedded_meta = self.options.generate_embedded_object_meta;
        let schema = match known::schema(package, name, embedded_meta) {
            Some(known) => known,
            None => self.declaration(id, 0),
        };
        self.schemata.insert(id, schema.clone());
        schema
    }

    /// The syntax of a declared type.
    pub(super) fn spec(&self, id: NamedId) -> Option<&TypeSpec> {
        let named = self.universe.named(id);
        let file = self.universe.file(named.pos.file);
        match &file.parsed.ast.decls.get(named.spec.0 as usize)?.kind {
            DeclKind::Type(specs) => specs.get(named.spec.1 as usize),
            _ => None,
        }
    }

    fn declaration(&mut self, id: NamedId, depth: u32) -> Raw {
        let universe = self.universe;
        let named = universe.named(id);
        let Some(spec) = self.spec(id) else { return Raw::default() };
        let expr = spec.ty.clone();
        let scope =
            Scope { package: named.package, file: named.pos.file, declared: Some(id), depth };
        let pos = scope.pos(expr.span.start);
        if universe.has_method(named.ty, "MarshalJSON") {
            // What a marshaler writes is anyone's guess, unless a marker says it.
            let mut props = Raw::default();
            let markers = self.markers(named.package);
            self.apply(Some(id), markers.of_type(named), &mut props, pos);
            if !props.ty.is_empty() {
                return props;
            }
        } else if universe.has_method(named.ty, "MarshalText") {
            let mut props = of("string");
            let markers = self.markers(named.package);
            self.apply(Some(id), markers.of_type(named), &mut props, pos);
            if props.ty != "string" {
                let message = format!(
                    "\"{}\" implements encoding.TextMarshaler but schema type is not string: \"{}\"",
                    named.name, props.ty
                );
                self.error("type", pos, message);
            }
            return props;
        }
        self.expression(scope, named.target, &expr)
    }

    /// The schema of a type as written.
    pub(super) fn expression(&mut self, scope: Scope, ty: TypeId, expr: &TypeExpr) -> Raw {
        let pos = scope.pos(expr.span.start);
        let mut props = match (&expr.kind, self.universe.ty(ty).clone()) {
            (TypeExprKind::Name { .. }, _) => self.name(scope, ty, expr),
            (TypeExprKind::Pointer(inner), Type::Pointer(ty)) => {
                self.expression(scope.inside(), ty, inner)
            }
            (TypeExprKind::Slice(inner), Type::Slice(ty)) => self.list(scope, ty, inner, true),
            (TypeExprKind::Array(_, inner), Type::Array(_, ty)) => {
                self.list(scope, ty, inner, false)
            }
            (TypeExprKind::Map(key, value), Type::Map(key_ty, value_ty)) => {
                self.map(scope, (key_ty, key), (value_ty, value))
            }
            (TypeExprKind::Struct(lines), Type::Struct(id)) => {
                self.structure(scope, id, lines, pos)
            }
            (TypeExprKind::Interface(_), _) => {
                let message =
                    format!("interface type is not supported in CRD schemas; {NO_INTERFACE}");
                self.error("type", pos, message);
                return Raw::default();
            }
            (kind, _) => {
                self.error("type", pos, format!("unsupported AST kind *ast.{}", go_kind(kind)));
                return Raw::default();
            }
        };
        if let Some(id) = scope.declared {
            let named = self.universe.named(id);
            props.description = doc::description(self.universe, &named.docs);
            let markers = self.markers(named.package);
            self.apply(Some(id), markers.of_type(named), &mut props, pos);
            self.tags.declare_type(id, &mut props);
            if self.options.counts_by_filter() {
                filter_one_of(markers.of_type(named), &mut props);
            }
        } else {
            props.description = Text::default();
        }
        props
    }

    /// A name, of this package or with the package before it.
    fn name(&mut self, scope: Scope, ty: TypeId, expr: &TypeExpr) -> Raw {
        let TypeExprKind::Name { package, name, args } = &expr.kind else { return Raw::default() };
        let pos = scope.pos(expr.span.start);
        if !args.is_empty() {
            self.error("type", pos, format!("unsupported AST kind *ast.{}", go_kind(&expr.kind)));
            return Raw::default();
        }
        let shown = match package {
            Some(package) => format!("{}.{}", package.name, name.name),
            None => name.name.to_string(),
        };
        // An alias of this package is looked through once, as go/types gives it.
        let alias = match self.universe.ty(ty) {
            Type::Named(id) if package.is_none() && self.universe.named(*id).alias => Some(*id),
            _ => None,
        };
        let ty = alias.map_or(ty, |id| self.universe.named(id).target);
        match self.universe.ty(ty).clone() {
            Type::Basic(Basic::Error) | Type::Interface(_) | Type::Any => {
                let message = format!(
                    "cannot generate schema for {shown}; interface type is not supported in CRD schemas, {NO_INTERFACE}"
                );
                self.error("type", pos, message);
                Raw::default()
            }
            Type::Basic(basic) => {
                Raw { reference: alias.and_then(reference), ..self.basic(basic, pos) }
            }
            Type::Named(id) => {
                let mut props = Raw { reference: reference(id), ..Raw::default() };
                let local = package.is_none() && !self.universe.named(id).alias;
                let beneath = self.universe.ty(self.universe.underlying(ty));
                if local && matches!(beneath, Type::Basic(_)) {
                    // Markers on the field have to know what the type is.
                    if scope.depth >= CHAIN_MAX {
                        self.error(
                            "type",
                            pos,
                            "types are declared in terms of each other too deeply",
                        );
                        return props;
                    }
                    let declared = self.declaration(id, scope.depth + 1);
                    props.ty = declared.ty;
                    props.format = declared.format;
                }
                props
            }
            Type::Unknown(package, _) if crate::is_absent(self.universe, &package) => {
                self.absent.entry(package).or_default().push((pos, shown));
                Raw::default()
            }
            Type::Unknown(package, _) => {
                let help = crate::unknown_help(self.universe, &package);
                let finding = Diagnostic::error("type", pos, format!("unknown type {shown}"));
                self.diagnostics.push(finding.help(help));
                Raw::default()
            }
            other => {
                let kind = go_type_kind(&other);
                let message = format!("unsupported type *types.{kind} for identifier {shown}");
                self.error("type", pos, message);
                Raw::default()
            }
        }
    }

    fn basic(&mut self, basic: Basic, pos: Pos) -> Raw {
        let ty = match basic {
            Basic::Bool => "boolean",
            Basic::String => "string",
            _ if basic.is_integer() => "integer",
            _ if basic.is_float() && self.options.allow_dangerous_types => "number",
            _ if basic.is_float() => {
                let help = "`ordain gen crd --allow-dangerous-types` allows them";
                self.diagnostics.push(Diagnostic::error("type", pos, FLOAT).help(help));
                return Raw::default();
            }
            _ => {
                self.error("type", pos, format!("unsupported type \"{}\"", basic.name()));
                return Raw::default();
            }
        };
        let format = match basic.canonical() {
            Basic::Int32 | Basic::Uint32 => "int32",
            Basic::Int64 | Basic::Uint64 => "int64",
            _ => "",
        };
        Raw { format: Text::new_static(format), ..of(ty) }
    }

    fn list(&mut self, scope: Scope, item: TypeId, expr: &TypeExpr, slice: bool) -> Raw {
        if slice && matches!(self.universe.ty(item), Type::Basic(Basic::Byte)) {
            return Raw { format: Text::new_static("byte"), ..of("string") };
        }
        let items = self.expression(scope.inside(), item, expr);
        Raw { items: Some(Items::One(Box::new(items))), ..of("array") }
    }

    fn map(&mut self, scope: Scope, key: (TypeId, &TypeExpr), value: (TypeId, &TypeExpr)) -> Raw {
        let beneath = self.universe.underlying(key.0);
        let is_text = matches!(self.universe.ty(beneath), Type::Basic(Basic::String));
        if !is_text && !self.universe.has_method(key.0, "MarshalText") {
            let message = format!(
                "map keys must be strings or implement encoding.TextMarshaler, not {}",
                self.universe.display(beneath)
            );
            self.error("type", scope.pos(key.1.span.start), message);
            return Raw::default();
        }
        let pos = scope.pos(value.1.span.start);
        let values = match &value.1.kind {
            TypeExprKind::Name { args, .. } if args.is_empty() => {
                self.name(scope.inside(), value.0, value.1)
            }
            TypeExprKind::Slice(_)
            | TypeExprKind::Array(..)
            | TypeExprKind::Pointer(_)
            | TypeExprKind::Map(..) => self.expression(scope.inside(), value.0, value.1),
            TypeExprKind::Interface(_) => {
                let message = format!(
                    "interface type is not supported as map value in CRD schemas; {NO_INTERFACE}"
                );
                self.error("type", pos, message);
                return Raw::default();
            }
            kind => {
                let message = format!("not a supported map value type: *ast.{}", go_kind(kind));
                self.error("type", pos, message);
                return Raw::default();
            }
        };
        Raw { additional_properties: Some(BoolOr::Schema(Box::new(values))), ..of("object") }
    }
}

/// What `go/ast` calls a form of type.
fn go_kind(kind: &TypeExprKind) -> &'static str {
    match kind {
        TypeExprKind::Name { args, .. } if args.len() > 1 => "IndexListExpr",
        TypeExprKind::Name { args, .. } if args.len() == 1 => "IndexExpr",
        TypeExprKind::Name { .. } => "Ident",
        TypeExprKind::Pointer(_) => "StarExpr",
        TypeExprKind::Slice(_) | TypeExprKind::Array(..) => "ArrayType",
        TypeExprKind::Map(..) => "MapType",
        TypeExprKind::Struct(_) => "StructType",
        TypeExprKind::Interface(_) => "InterfaceType",
        TypeExprKind::Func => "FuncType",
        TypeExprKind::Chan(_) => "ChanType",
        TypeExprKind::Bad => "BadExpr",
    }
}

/// What `go/types` calls a type.
fn go_type_kind(ty: &Type) -> &'static str {
    match ty {
        Type::Basic(_) => "Basic",
        Type::Named(_) => "Named",
        Type::Pointer(_) => "Pointer",
        Type::Slice(_) => "Slice",
        Type::Array(..) => "Array",
        Type::Map(..) => "Map",
        Type::Struct(_) => "Struct",
        Type::Interface(_) | Type::Any => "Interface",
        Type::Func => "Signature",
        Type::Chan(_) => "Chan",
        Type::Param(_) => "TypeParam",
        Type::Unknown(..) => "Basic",
    }
}
