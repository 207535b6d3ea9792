//! Constants: `iota`, types, expressions and references, evaluated as Go does.

use std::collections::{HashMap, HashSet};

use smol_str::SmolStr;

use super::Universe;
use super::package::{PackageId, RefKind};
use super::resolve::{Resolution, Scope, line_docs};
use super::ty::{Basic, Docs, Type, TypeId};
use crate::diagnostic::Diagnostic;
use crate::go::ast::{ConstSpec, DeclKind, Expr, ExprKind, Ident, TypeExprKind};
use crate::go::literal;
use crate::go::token::Kind;
use crate::source::{FileId, Pos};

/// Index of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConstId(pub u32);

/// A constant's value. Integers keep 128 bits; Go's larger ones are an error.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstValue {
    /// true or false
    Bool(bool),
    /// A string.
    Str(SmolStr),
    /// An integer or a rune.
    Int(i128),
    /// A floating-point number.
    Float(f64),
}

/// What a constant's type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstType {
    /// No type yet; the default type is given (`rune` for character literals).
    Untyped(Basic),
    /// A type.
    Typed(TypeId),
}

/// A declared constant.
#[derive(Clone, Debug)]
pub struct Const {
    /// Its package.
    pub package: PackageId,
    /// Its name.
    pub name: SmolStr,
    /// Its type.
    pub ty: ConstType,
    /// Its value.
    pub value: ConstValue,
    /// Place of the name.
    pub pos: Pos,
    /// Comments; `doc` is the spec's own comment, or the declaration's when it stands alone.
    pub docs: Docs,
}

/// Constants refer to constants at most this deep before one is found; sequences in order of
/// declaration are remembered and need no depth.
const REFERENCES_MAX: u32 = 100;

/// Strings above this are refused; doubling in a chain of constants would fill memory.
const STRING_BYTES_MAX: usize = 1 << 20;

type Evaluated = (ConstValue, ConstType);
type Outcome = Result<Evaluated, EvalError>;

#[derive(Clone, Debug)]
pub(crate) struct EvalError {
    pos: Pos,
    message: String,
}

#[derive(Default)]
pub(crate) struct Evaluation {
    known: HashMap<(PackageId, SmolStr), Option<Outcome>>,
    depth: u32,
}

impl Resolution<'_> {
    /// Evaluates the constants of the requested packages and of those whose types are in use.
    pub(super) fn evaluate_constants(&mut self, requested: &[PackageId]) {
        let mut packages = requested.to_vec();
        packages.extend(self.referenced_packages(requested));
        packages.extend(self.files.universe.named.iter().map(|named| named.package));
        let mut seen = HashSet::new();
        packages.retain(|package| seen.insert(*package));
        for package in packages {
            self.evaluate_package(package, requested.contains(&package));
        }
    }

    /// Packages that only a `+default=ref(path.Name)` names.
    fn referenced_packages(&mut self, requested: &[PackageId]) -> Vec<PackageId> {
        const WORDS: &str = "+default=ref(";
        let mut paths: Vec<String> = Vec::new();
        for package in requested {
            for file in &self.files.universe.package(*package).files {
                let text = &self.files.universe.file(*file).text;
                for (at, _) in text.match_indices(WORDS) {
                    let rest = text.get(at + WORDS.len()..).unwrap_or("");
                    let inner = rest.split([')', '\n']).next().unwrap_or("");
                    if let Some((path, _)) = inner.rsplit_once('.') {
                        paths.push(path.to_string());
                    }
                }
            }
        }
        paths.sort();
        paths.dedup();
        paths.iter().map(|path| self.files.import(path)).collect()
    }

    fn evaluate_package(&mut self, package: PackageId, report: bool) {
        let mut names: Vec<SmolStr> = self
            .files
            .universe
            .package(package)
            .index
            .iter()
            .filter(|(_, at)| at.kind == RefKind::Const)
            .map(|(name, _)| name.clone())
            .collect();
        names.sort();
        for name in names {
            match self.constant(package, &name) {
                Some(Ok((value, ty))) => self.add_const(package, name, value, ty),
                Some(Err(error))
                    if report && self.files.universe.needs_constant(package, &name) =>
                {
                    let diagnostic = Diagnostic::error("constant", error.pos, error.message);
                    if !self.files.universe.diagnostics.contains(&diagnostic) {
                        self.universe().diagnostics.push(diagnostic);
                    }
                }
                _ => {}
            }
        }
    }

    fn add_const(&mut self, package: PackageId, name: SmolStr, value: ConstValue, ty: ConstType) {
        let Some(at) = self.files.universe.package(package).index.get(&name).copied() else {
            return;
        };
        let file = self.file(at.file);
        let Some(decl) = file.parsed.ast.decls.get(at.decl as usize) else { return };
        let DeclKind::Const(specs) = &decl.kind else { return };
        let Some(spec) = specs.get(at.spec as usize) else { return };
        let Some(ident) = spec.names.get(at.name as usize) else { return };
        let mut docs = line_docs(&file, at.file, ident.offset);
        docs.doc = if decl.grouped { spec.doc } else { spec.doc.or(decl.doc) };
        docs.trail = spec.trail;
        let id = ConstId(self.files.universe.consts.len() as u32);
        let pos = Pos { file: at.file, offset: ident.offset };
        let name_key = name.clone();
        self.universe().consts.push(Const { package, name, ty, value, pos, docs });
        self.universe().packages[package.0 as usize].consts.insert(name_key, id);
    }

    /// The value of a package's constant, remembered.
    fn constant(&mut self, package: PackageId, name: &SmolStr) -> Option<Outcome> {
        let at = *self.files.universe.package(package).index.get(name)?;
        if at.kind != RefKind::Const {
            return None;
        }
        let key = (package, name.clone());
        let file = self.file(at.file);
        let DeclKind::Const(specs) = &file.parsed.ast.decls.get(at.decl as usize)?.kind else {
            return None;
        };
        let spec = specs.get(at.spec as usize)?;
        let pos = Pos { file: at.file, offset: spec.names.get(at.name as usize)?.offset };
        if let Some(known) = self.consts.known.get(&key) {
            return Some(known.clone().unwrap_or_else(|| {
                Err(EvalError { pos, message: format!("constant `{name}` refers to itself") })
            }));
        }
        if self.consts.depth >= REFERENCES_MAX {
            let message = format!("constant `{name}` is reached through too many references");
            return Some(Err(EvalError { pos, message }));
        }
        self.consts.known.insert(key.clone(), None);
        self.consts.depth += 1;
        let scope = Scope { package, file: at.file, params: Vec::new(), depth: 0 };
        let outcome = self.constant_spec(&scope, specs, spec, at.name as usize, pos);
        self.consts.depth -= 1;
        self.consts.known.insert(key, Some(outcome.clone()));
        Some(outcome)
    }

    fn constant_spec(
        &mut self,
        scope: &Scope,
        specs: &[ConstSpec],
        spec: &ConstSpec,
        name_at: usize,
        pos: Pos,
    ) -> Outcome {
        let written = match spec.repeats {
            Some(at) => specs.get(at as usize).unwrap_or(spec),
            None => spec,
        };
        let Some(expr) = written.values.get(name_at) else {
            return Err(EvalError { pos, message: "constant has no value".into() });
        };
        let (value, ty) = self.evaluate(scope, expr, Some(spec.iota))?;
        match &written.ty {
            None => Ok((value, ty)),
            Some(ty) => {
                let ty = self.ty(scope, ty);
                self.drain();
                self.convert(scope.file, expr, value, ty, false)
            }
        }
    }

    /// Evaluates an expression. Trees are low (see `Expr::height`), so recursion is safe.
    pub(super) fn evaluate(&mut self, scope: &Scope, expr: &Expr, iota: Option<u32>) -> Outcome {
        match &expr.kind {
            ExprKind::Literal(kind, text) => self.literal(scope, expr, *kind, text),
            ExprKind::Name(name) => self.const_name(scope, name, iota),
            ExprKind::Select(left, name) => self.const_select(scope, left, name),
            ExprKind::Unary(op, inner) => {
                let (value, ty) = self.evaluate(scope, inner, iota)?;
                let out = unary(*op, value, self.unsigned_mask(ty)).ok_or_else(|| {
                    fail(scope.file, expr, "operator does not apply to this constant")
                })?;
                Ok((out, ty))
            }
            ExprKind::Binary(op, left, right) => {
                let left_value = self.evaluate(scope, left, iota)?;
                let right_value = self.evaluate(scope, right, iota)?;
                self.binary(scope, expr, *op, left_value, right_value)
            }
            ExprKind::Call(fun, args) => self.call(scope, expr, fun, args, iota),
            ExprKind::Composite(..) | ExprKind::Type(_) | ExprKind::Opaque => {
                Err(fail(scope.file, expr, "value is not constant"))
            }
        }
    }

    fn literal(&mut self, scope: &Scope, expr: &Expr, kind: Kind, text: &str) -> Outcome {
        let out = match kind {
            Kind::Int => literal::parse_int(text)
                .map(|value| (ConstValue::Int(value), ConstType::Untyped(Basic::Int))),
            Kind::Float => literal::parse_float(text)
                .map(|value| (ConstValue::Float(value), ConstType::Untyped(Basic::Float64))),
            Kind::Char => literal::unquote_rune(text)
                .map(|value| (ConstValue::Int(value.into()), ConstType::Untyped(Basic::Rune))),
            Kind::Str | Kind::RawStr => literal::unquote(text).map(|value| {
                (ConstValue::Str(SmolStr::from(value)), ConstType::Untyped(Basic::String))
            }),
            _ => None,
        };
        out.ok_or_else(|| fail(scope.file, expr, "literal is malformed or too large"))
    }

    fn const_name(&mut self, scope: &Scope, name: &Ident, iota: Option<u32>) -> Outcome {
        let pos = Pos { file: scope.file, offset: name.offset };
        if let Some(outcome) = self.constant(scope.package, &name.name) {
            return outcome;
        }
        for package in self.dot_imports(scope.file) {
            if let Some(outcome) = self.constant(package, &name.name) {
                return outcome;
            }
        }
        match (name.name.as_str(), iota) {
            ("true", _) => Ok((ConstValue::Bool(true), ConstType::Untyped(Basic::Bool))),
            ("false", _) => Ok((ConstValue::Bool(false), ConstType::Untyped(Basic::Bool))),
            ("iota", Some(iota)) => {
                Ok((ConstValue::Int(iota.into()), ConstType::Untyped(Basic::Int)))
            }
            _ => {
                let message = format!("`{}` is not a constant", name.name);
                Err(EvalError { pos, message })
            }
        }
    }

    fn const_select(&mut self, scope: &Scope, left: &Expr, name: &Ident) -> Outcome {
        let pos = Pos { file: scope.file, offset: name.offset };
        let unknown =
            |what: &str| EvalError { pos, message: format!("`{what}` is not a constant") };
        let ExprKind::Name(qualifier) = &left.kind else { return Err(unknown(&name.name)) };
        let full = format!("{}.{}", qualifier.name, name.name);
        let package =
            self.import_named(scope.file, &qualifier.name).ok_or_else(|| unknown(&full))?;
        self.constant(package, &name.name).unwrap_or_else(|| Err(unknown(&full)))
    }

    /// A conversion `T(x)` or `len("…")`.
    fn call(
        &mut self,
        scope: &Scope,
        expr: &Expr,
        fun: &Expr,
        args: &[Expr],
        iota: Option<u32>,
    ) -> Outcome {
        let [arg] = args else { return Err(fail(scope.file, expr, "value is not constant")) };
        if let ExprKind::Name(name) = &fun.kind
            && name.name == "len"
        {
            let (value, _) = self.evaluate(scope, arg, iota)?;
            let ConstValue::Str(text) = value else {
                return Err(fail(scope.file, expr, "value is not constant"));
            };
            let int = self.intern(Type::Basic(Basic::Int));
            return Ok((ConstValue::Int(text.len() as i128), ConstType::Typed(int)));
        }
        let ty = match &fun.kind {
            ExprKind::Name(name) => self.type_name(scope, None, name),
            ExprKind::Select(left, name) => match &left.kind {
                ExprKind::Name(package) => self.type_name(scope, Some(package), name),
                _ => None,
            },
            ExprKind::Type(ty) => Some(self.ty(scope, ty)),
            _ => None,
        };
        let Some(ty) = ty else { return Err(fail(scope.file, expr, "value is not constant")) };
        self.drain();
        let (value, _) = self.evaluate(scope, arg, iota)?;
        self.convert(scope.file, expr, value, ty, true)
    }

    /// A name in call position, when it is a type.
    fn type_name(
        &mut self,
        scope: &Scope,
        package: Option<&Ident>,
        name: &Ident,
    ) -> Option<TypeId> {
        let home = match package {
            Some(package) => self.import_named(scope.file, &package.name)?,
            None => scope.package,
        };
        let declared = self.files.universe.package(home).index.get(&name.name).copied();
        match declared {
            Some(at) if at.kind != RefKind::Type => None,
            Some(_) => {
                let kind = TypeExprKind::Name {
                    package: package.cloned(),
                    name: name.clone(),
                    args: Vec::new(),
                };
                let span = crate::go::ast::Span { start: name.offset, end: name.offset };
                Some(self.ty(scope, &crate::go::ast::TypeExpr { kind, span }))
            }
            None if package.is_none() => {
                Basic::from_name(&name.name).map(|basic| self.intern(Type::Basic(basic)))
            }
            None => None,
        }
    }

    /// Gives a value a type. `explicit` conversions may also turn integers into strings.
    fn convert(
        &mut self,
        file: FileId,
        expr: &Expr,
        value: ConstValue,
        ty: TypeId,
        explicit: bool,
    ) -> Outcome {
        let Some(basic) = self.files.universe.basic(ty) else {
            return Err(fail(file, expr, "constant has a type that constants cannot have"));
        };
        let name = basic.name();
        let out = match (basic.canonical(), value) {
            (Basic::Bool, value @ ConstValue::Bool(_))
            | (Basic::String, value @ ConstValue::Str(_)) => Some(value),
            (Basic::String, ConstValue::Int(value)) if explicit => u32::try_from(value)
                .ok()
                .and_then(char::from_u32)
                .or(Some(char::REPLACEMENT_CHARACTER))
                .map(|letter| ConstValue::Str(SmolStr::from(letter.to_string()))),
            (basic, ConstValue::Int(value)) if basic.is_float() =>
            {
                #[expect(clippy::cast_precision_loss, reason = "Go rounds to the type as well")]
                Some(ConstValue::Float(value as f64))
            }
            (Basic::Float32, ConstValue::Float(value)) =>
            {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "Go rounds to the type as well"
                )]
                Some(ConstValue::Float(f64::from(value as f32)))
            }
            (Basic::Float64, value @ ConstValue::Float(_)) => Some(value),
            (basic, ConstValue::Int(value)) => match basic.integer_range() {
                Some((min, max)) if value < min || value > max => {
                    return Err(fail(file, expr, &format!("constant {value} overflows {name}")));
                }
                Some(_) => Some(ConstValue::Int(value)),
                None => None,
            },
            (basic, ConstValue::Float(value)) if basic.is_integer() => {
                match whole(value).filter(|value| {
                    basic.integer_range().is_some_and(|(min, max)| *value >= min && *value <= max)
                }) {
                    Some(value) => Some(ConstValue::Int(value)),
                    None => {
                        return Err(fail(
                            file,
                            expr,
                            &format!("constant {value} truncated to {name}"),
                        ));
                    }
                }
            }
            _ => None,
        };
        match out {
            Some(value) => Ok((value, ConstType::Typed(ty))),
            None => Err(fail(file, expr, &format!("constant cannot be of type {name}"))),
        }
    }

    /// For `^x` on unsigned types: the mask of the type.
    fn unsigned_mask(&self, ty: ConstType) -> Option<i128> {
        let ConstType::Typed(ty) = ty else { return None };
        let basic = self.files.universe.basic(ty)?;
        basic.integer_range().filter(|(min, _)| *min == 0).map(|(_, max)| max)
    }

    fn binary(
        &mut self,
        scope: &Scope,
        expr: &Expr,
        op: Kind,
        left: Evaluated,
        right: Evaluated,
    ) -> Outcome {
        let bad = || fail(scope.file, expr, "constants do not fit this operator");
        let (left_value, left_ty) = left;
        let (right_value, right_ty) = right;
        if matches!(op, Kind::Shl | Kind::Shr) {
            let value = shift(op, &left_value, &right_value).ok_or_else(bad)?;
            let ConstType::Typed(ty) = left_ty else {
                return Ok((value, ConstType::Untyped(Basic::Int)));
            };
            return self.convert(scope.file, expr, value, ty, false);
        }
        let ty = match (left_ty, right_ty) {
            (ConstType::Typed(a), ConstType::Typed(b)) => {
                if self.files.universe.unalias(a) != self.files.universe.unalias(b) {
                    return Err(fail(scope.file, expr, "constants have different types"));
                }
                ConstType::Typed(a)
            }
            (ConstType::Typed(a), _) | (_, ConstType::Typed(a)) => ConstType::Typed(a),
            (ConstType::Untyped(a), ConstType::Untyped(b)) => ConstType::Untyped(a.max(b)),
        };
        if let Some(value) = compare(op, &left_value, &right_value) {
            return Ok((ConstValue::Bool(value), ConstType::Untyped(Basic::Bool)));
        }
        let float = matches!(ty, ConstType::Untyped(Basic::Float64))
            || matches!(ty, ConstType::Typed(ty) if self.files.universe.basic(ty).is_some_and(Basic::is_float));
        let value = arithmetic(op, left_value, right_value, float).ok_or_else(bad)?;
        match ty {
            ConstType::Typed(ty) => self.convert(scope.file, expr, value, ty, false),
            untyped @ ConstType::Untyped(_) => Ok((value, untyped)),
        }
    }
}

impl Universe {
    /// The language type beneath a type, if that is what it is.
    #[must_use]
    pub fn basic(&self, ty: TypeId) -> Option<Basic> {
        match self.ty(self.underlying(ty)) {
            Type::Basic(basic) => Some(*basic),
            _ => None,
        }
    }
}

fn fail(file: FileId, expr: &Expr, message: &str) -> EvalError {
    EvalError { pos: Pos { file, offset: expr.span.start }, message: message.into() }
}

fn unary(op: Kind, value: ConstValue, mask: Option<i128>) -> Option<ConstValue> {
    Some(match (op, value) {
        (Kind::Add, value @ (ConstValue::Int(_) | ConstValue::Float(_))) => value,
        (Kind::Sub, ConstValue::Int(value)) => ConstValue::Int(value.checked_neg()?),
        (Kind::Sub, ConstValue::Float(value)) => ConstValue::Float(-value),
        (Kind::Not, ConstValue::Bool(value)) => ConstValue::Bool(!value),
        (Kind::Xor, ConstValue::Int(value)) => {
            ConstValue::Int(mask.map_or(!value, |mask| value ^ mask))
        }
        _ => return None,
    })
}

fn shift(op: Kind, left: &ConstValue, right: &ConstValue) -> Option<ConstValue> {
    let as_int = |value: &ConstValue| match value {
        ConstValue::Int(value) => Some(*value),
        ConstValue::Float(value) => whole(*value),
        _ => None,
    };
    let (value, by) = (as_int(left)?, u32::try_from(as_int(right)?).ok()?);
    Some(ConstValue::Int(if op == Kind::Shr {
        value.checked_shr(by).unwrap_or(if value < 0 { -1 } else { 0 })
    } else {
        let shifted = value.checked_shl(by)?;
        if shifted.checked_shr(by)? != value {
            return None;
        }
        shifted
    }))
}

fn compare(op: Kind, left: &ConstValue, right: &ConstValue) -> Option<bool> {
    if let (ConstValue::Bool(left), ConstValue::Bool(right)) = (left, right) {
        return match op {
            Kind::Eq => Some(left == right),
            Kind::Ne => Some(left != right),
            Kind::LAnd => Some(*left && *right),
            Kind::LOr => Some(*left || *right),
            _ => None,
        };
    }
    let order = match (left, right) {
        (ConstValue::Str(left), ConstValue::Str(right)) => left.cmp(right),
        (ConstValue::Int(left), ConstValue::Int(right)) => left.cmp(right),
        (left, right) => as_float(left)?.partial_cmp(&as_float(right)?)?,
    };
    match op {
        Kind::Eq => Some(order.is_eq()),
        Kind::Ne => Some(order.is_ne()),
        Kind::Lt => Some(order.is_lt()),
        Kind::Le => Some(order.is_le()),
        Kind::Gt => Some(order.is_gt()),
        Kind::Ge => Some(order.is_ge()),
        _ => None,
    }
}

fn arithmetic(op: Kind, left: ConstValue, right: ConstValue, float: bool) -> Option<ConstValue> {
    match (left, right) {
        (ConstValue::Str(left), ConstValue::Str(right)) if op == Kind::Add => {
            if left.len() + right.len() > STRING_BYTES_MAX {
                return None;
            }
            Some(ConstValue::Str(SmolStr::from(format!("{left}{right}"))))
        }
        (ConstValue::Int(left), ConstValue::Int(right)) if !float => {
            Some(ConstValue::Int(match op {
                Kind::Add => left.checked_add(right)?,
                Kind::Sub => left.checked_sub(right)?,
                Kind::Mul => left.checked_mul(right)?,
                Kind::Quo => left.checked_div(right)?,
                Kind::Rem => left.checked_rem(right)?,
                Kind::And => left & right,
                Kind::Or => left | right,
                Kind::Xor => left ^ right,
                Kind::AndNot => left & !right,
                _ => return None,
            }))
        }
        (left, right) => {
            let (left, right) = (as_float(&left)?, as_float(&right)?);
            let out = match op {
                Kind::Add => left + right,
                Kind::Sub => left - right,
                Kind::Mul => left * right,
                Kind::Quo if right != 0.0 => left / right,
                _ => return None,
            };
            out.is_finite().then_some(ConstValue::Float(out))
        }
    }
}

fn as_float(value: &ConstValue) -> Option<f64> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "mixed constants are compared as floats")]
        ConstValue::Int(value) => Some(*value as f64),
        ConstValue::Float(value) => Some(*value),
        ConstValue::Bool(_) | ConstValue::Str(_) => None,
    }
}

/// A float that is a whole number within 128 bits.
fn whole(value: f64) -> Option<i128> {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
    (value.fract() == 0.0 && value.abs() < 1e38).then_some(value as i128)
}
