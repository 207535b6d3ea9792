//! The checker: one function per kind of expression.

use std::mem;

use super::assign::{Substitution, most_general};
use super::{Checked, errors};
use crate::ast::{Ast, Comprehension, Const, Expr, ExprId, Text, operator};
use crate::decl::{Reference, VariableDecl};
use crate::env::Env;
use crate::source::Location;
use crate::syntax::Diagnostics;
use crate::types::{Primitive, Type};

mod calls;

/// Gives every expression a type and every name and call a reference.
///
/// The tree comes back with names fully qualified. When diagnostics come with it, it must not
/// be planned.
#[must_use]
pub fn check(ast: Ast, env: &Env) -> (Checked, Diagnostics) {
    let ids = ast.id_count();
    let root = ast.root();
    let mut checker = Checker {
        ast,
        env,
        types: vec![None; ids],
        references: vec![None; ids],
        substitution: Substitution::default(),
        diagnostics: Diagnostics::default(),
        scopes: Vec::new(),
        filter_overloads: !env.options().cross_type_comparisons,
        qualified: String::new(),
    };
    checker.check(root);
    let Checker { ast, mut types, references, substitution, diagnostics, .. } = checker;
    for ty in types.iter_mut().flatten() {
        *ty = substitution.apply_to_dyn(ty);
    }
    let checked = Checked { ast, types, references };
    (checked, diagnostics)
}

struct Checker<'a> {
    ast: Ast,
    env: &'a Env,
    types: Vec<Option<Type>>,
    references: Vec<Option<Reference>>,
    substitution: Substitution,
    diagnostics: Diagnostics,
    /// Variables of the enclosing comprehensions, innermost last.
    scopes: Vec<(Text, Type)>,
    /// Whether comparisons across numeric types are hidden. The reference implementation
    /// forgets to hide them once it has seen a comprehension, and rules rely on it.
    filter_overloads: bool,
    qualified: String,
}

impl Checker<'_> {
    fn location(&self, id: ExprId) -> Location {
        self.ast.span(id).map_or(Location::NONE, |span| self.ast.source().location(span.start))
    }

    fn error(&mut self, at: ExprId, message: String) {
        let location = self.location(at);
        self.diagnostics.push(location, message);
    }

    fn set_type(&mut self, id: ExprId, ty: Type) {
        if let Some(slot) = self.types.get_mut(id.index()) {
            *slot = Some(ty);
        }
    }

    fn set_reference(&mut self, id: ExprId, reference: Reference) {
        if let Some(slot) = self.references.get_mut(id.index()) {
            *slot = Some(reference);
        }
    }

    fn type_of(&self, id: ExprId) -> Type {
        self.types.get(id.index()).and_then(Clone::clone).unwrap_or(Type::Error)
    }

    fn check(&mut self, id: ExprId) {
        match self.ast.expr(id) {
            Expr::Unspecified => {
                self.error(id, errors::unexpected_expression());
                self.set_type(id, Type::Error);
            }
            Expr::Const(value) => {
                let ty = type_of_const(value);
                self.set_type(id, ty);
            }
            Expr::Ident(_) => self.check_ident(id),
            Expr::Select(_) => self.check_select(id),
            Expr::Call(call) if call.function == operator::OPTIONAL_SELECT => {
                self.check_optional_select(id);
            }
            Expr::Call(_) => self.check_call(id),
            Expr::List(_) => self.check_list(id),
            Expr::Map(_) => self.check_map(id),
            Expr::Struct(_) => self.check_struct(id),
            Expr::Comprehension(_) => self.check_comprehension(id),
        }
    }

    fn lookup_ident(&self, name: &str) -> Option<VariableDecl> {
        let head = name.split('.').next().unwrap_or(name);
        let local = self.scopes.iter().rev().find(|(known, _)| known == head);
        // A comprehension's variable hides whatever the container has under its name.
        if let Some((known, ty)) = local {
            let decl = VariableDecl { name: known.clone(), ty: ty.clone(), value: None };
            return (head == name).then_some(decl);
        }
        let mut found = self.env.find_map_candidate(name, |name| self.env.find_variable(name))?;
        // The dot of an absolute name stays where a comprehension has a variable of that name.
        let hidden = |decl: &VariableDecl| self.scopes.iter().any(|(known, _)| *known == decl.name);
        if name.starts_with('.') && hidden(&found) {
            found.name = Text::from(format!(".{}", found.name));
        }
        Some(found)
    }

    fn resolve_ident(&mut self, id: ExprId, decl: VariableDecl) {
        self.set_type(id, decl.ty);
        if let Some(Expr::Ident(name)) = self.ast.expr_mut(id) {
            name.clone_from(&decl.name);
        } else {
            self.ast.set_expr(id, Expr::Ident(decl.name.clone()));
        }
        self.set_reference(id, Reference::Ident { name: decl.name, value: decl.value });
    }

    fn check_ident(&mut self, id: ExprId) {
        let Expr::Ident(name) = self.ast.expr(id) else {
            return;
        };
        if let Some(decl) = self.lookup_ident(name) {
            self.resolve_ident(id, decl);
            return;
        }
        let message = errors::undeclared_reference(name, self.env.container());
        self.set_type(id, Type::Error);
        self.error(id, message);
    }

    /// Writes `a.b.c` into the buffer if the expression is nothing but names.
    fn qualify(&mut self, id: ExprId) -> bool {
        self.qualified.clear();
        qualify(&self.ast, id, &mut self.qualified)
    }

    fn check_select(&mut self, id: ExprId) {
        if self.qualify(id) {
            let qualified = mem::take(&mut self.qualified);
            let found = self.lookup_ident(&qualified);
            self.qualified = qualified;
            if let Some(decl) = found {
                self.resolve_ident(id, decl);
                return;
            }
        }
        let Expr::Select(select) = self.ast.expr(id) else {
            return;
        };
        let (operand, field, test_only) = (select.operand, select.field.clone(), select.test_only);
        let mut ty = self.check_field(id, operand, &field, false);
        if test_only {
            ty = Type::Bool;
        }
        let ty = self.substitution.apply(&ty);
        self.set_type(id, ty);
    }

    fn check_optional_select(&mut self, id: ExprId) {
        let Expr::Call(call) = self.ast.expr(id) else {
            return;
        };
        let [operand, field] = call.args[..] else {
            self.error(id, errors::optional_select_of_non_literal());
            return;
        };
        let Expr::Const(Const::String(field)) = self.ast.expr(field) else {
            self.error(id, errors::optional_select_of_non_literal());
            return;
        };
        let field = field.clone();
        let ty = self.check_field(id, operand, &field, true);
        let ty = self.substitution.apply(&ty);
        self.set_type(id, ty);
        self.set_reference(
            id,
            Reference::Function { function: self.env.optional_select(), overloads: 1 },
        );
    }

    fn check_field(&mut self, id: ExprId, operand: ExprId, field: &str, optional: bool) -> Type {
        self.check(operand);
        let operand_type = self.substitution.apply(&self.type_of(operand));
        let element = operand_type.optional_element();
        let target = element.unwrap_or(&operand_type);
        let ty = match target {
            Type::Map(pair) => pair.1.clone(),
            Type::Object(name) => self.field_type(id, name, field).unwrap_or(Type::Error),
            Type::Var(_) => {
                self.substitution.is_assignable(&Type::Dyn, target);
                Type::Dyn
            }
            _ => {
                if !target.is_dyn_or_error() {
                    self.error(id, errors::no_field_selection(target));
                }
                Type::Dyn
            }
        };
        if element.is_some() || optional { Type::optional(ty) } else { ty }
    }

    fn field_type(&mut self, at: ExprId, object: &str, field: &str) -> Option<Type> {
        if !self.env.is_object(object) {
            self.error(at, errors::unexpected_failed_resolution(object));
            return None;
        }
        let found = self.env.find_field(object, field);
        if found.is_none() {
            self.error(at, errors::undefined_field(field));
        }
        found
    }

    /// The element type of an optional element, which must be an optional.
    fn unwrap_optional(&mut self, id: ExprId, ty: Type) -> Type {
        if let Some(element) = ty.optional_element() {
            return element.clone();
        }
        if !ty.is_dyn() {
            let expected = Type::optional(ty.clone());
            self.error(id, errors::type_mismatch(&expected, &ty));
        }
        ty
    }

    fn join(&mut self, id: ExprId, before: Option<Type>, ty: Type) -> Type {
        let Some(before) = before else {
            return ty;
        };
        if self.substitution.is_assignable(&before, &ty) {
            return most_general(&before, &ty).clone();
        }
        if !self.env.options().homogeneous_literals {
            return Type::Dyn;
        }
        self.error(id, errors::type_mismatch(&before, &ty));
        Type::Error
    }

    fn check_list(&mut self, id: ExprId) {
        let Expr::List(list) = self.ast.expr(id) else {
            return;
        };
        let list = list.clone();
        let mut element_type = None;
        for (index, element) in list.elements.iter().enumerate() {
            self.check(*element);
            let mut ty = self.type_of(*element);
            if list.optional_indices.iter().any(|optional| *optional as usize == index) {
                ty = self.unwrap_optional(*element, ty);
            }
            element_type = Some(self.join(*element, element_type, ty));
        }
        let element_type = element_type.unwrap_or_else(|| self.substitution.fresh());
        self.set_type(id, Type::list(element_type));
    }

    fn check_map(&mut self, id: ExprId) {
        let Expr::Map(entries) = self.ast.expr(id) else {
            return;
        };
        let entries = entries.clone();
        let mut key_type = None;
        let mut value_type = None;
        for entry in entries {
            self.check(entry.key);
            let ty = self.type_of(entry.key);
            key_type = Some(self.join(entry.key, key_type, ty));
            self.check(entry.value);
            let mut ty = self.type_of(entry.value);
            if entry.optional {
                ty = self.unwrap_optional(entry.value, ty);
            }
            value_type = Some(self.join(entry.value, value_type, ty));
        }
        let key_type = key_type.unwrap_or_else(|| self.substitution.fresh());
        let value_type = value_type.unwrap_or_else(|| self.substitution.fresh());
        self.set_type(id, Type::map(key_type, value_type));
    }

    fn check_struct(&mut self, id: ExprId) {
        let Expr::Struct(message) = self.ast.expr(id) else {
            return;
        };
        let Some(decl) = self.lookup_ident(&message.type_name) else {
            let text = errors::undeclared_reference(&message.type_name, self.env.container());
            self.error(id, text);
            self.set_type(id, Type::Error);
            return;
        };
        let fields = message.fields.clone();
        let mut type_name = decl.name.clone();
        if let Some(Expr::Struct(message)) = self.ast.expr_mut(id) {
            message.type_name.clone_from(&decl.name);
        }
        self.set_reference(id, Reference::Ident { name: decl.name, value: None });
        let mut ty = Type::Error;
        match &decl.ty {
            Type::Error => {}
            Type::Type(Some(of)) => match (well_known_name(of), &**of) {
                (Some(name), _) => {
                    type_name = Text::new_static(name);
                    ty = Type::clone(of);
                }
                (None, Type::Object(name)) => {
                    type_name = Text::from(&**name);
                    ty = Type::clone(of);
                }
                (None, _) => self.error(id, errors::not_a_message_type(&declared_name(of))),
            },
            other => self.error(id, errors::not_a_type(&declared_name(other))),
        }
        self.set_type(id, ty);
        for field in fields {
            self.check(field.value);
            let field_type =
                self.field_type(field.id, &type_name, &field.name).unwrap_or(Type::Error);
            let mut value_type = self.type_of(field.value);
            if field.optional {
                value_type = self.unwrap_optional(field.value, value_type);
            }
            if !self.substitution.is_assignable(&field_type, &value_type) {
                self.error(
                    field.id,
                    errors::field_type_mismatch(&field.name, &field_type, &value_type),
                );
            }
        }
    }

    fn check_comprehension(&mut self, id: ExprId) {
        let Expr::Comprehension(fold) = self.ast.expr(id) else {
            return;
        };
        let fold = Comprehension::clone(fold);
        self.check(fold.iter_range);
        self.check(fold.accu_init);
        let range_type = self.substitution.apply(&self.type_of(fold.iter_range));
        let accu_type = self.type_of(fold.accu_init);
        let outer = self.scopes.len();
        self.scopes.push((fold.accu_var.clone(), accu_type.clone()));
        self.filter_overloads = false;
        let (first, second) = self.iteration_types(&fold, &range_type);
        let block = self.scopes.len();
        self.scopes.push((fold.iter_var.clone(), first));
        if let Some(name) = &fold.iter_var2 {
            self.scopes.push((name.clone(), second));
        }
        self.check(fold.loop_condition);
        self.assert_type(fold.loop_condition, &Type::Bool);
        self.check(fold.loop_step);
        self.assert_type(fold.loop_step, &accu_type);
        self.scopes.truncate(block);
        self.check(fold.result);
        self.scopes.truncate(outer);
        let ty = self.substitution.apply(&self.type_of(fold.result));
        self.set_type(id, ty);
    }

    /// The types of the iteration variables.
    fn iteration_types(&mut self, fold: &Comprehension, range: &Type) -> (Type, Type) {
        let two = fold.iter_var2.is_some();
        match range {
            Type::List(element) if two => (Type::Int, Type::clone(element)),
            Type::List(element) => (Type::clone(element), Type::Error),
            Type::Map(pair) => (pair.0.clone(), pair.1.clone()),
            Type::Dyn | Type::Error | Type::Var(_) => {
                self.substitution.is_assignable(&Type::Dyn, range);
                (Type::Dyn, Type::Dyn)
            }
            _ => {
                self.error(fold.iter_range, errors::not_a_range(range));
                (Type::Error, Type::Error)
            }
        }
    }

    fn assert_type(&mut self, id: ExprId, expected: &Type) {
        let found = self.type_of(id);
        if !self.substitution.is_assignable(expected, &found) {
            self.error(id, errors::type_mismatch(expected, &found));
        }
    }
}

fn type_of_const(value: &Const) -> Type {
    match value {
        Const::Null => Type::Null,
        Const::Bool(_) => Type::Bool,
        Const::Int(_) => Type::Int,
        Const::Uint(_) => Type::Uint,
        Const::Double(_) => Type::Double,
        Const::String(_) => Type::String,
        Const::Bytes(_) => Type::Bytes,
    }
}

fn qualify(ast: &Ast, id: ExprId, into: &mut String) -> bool {
    match ast.expr(id) {
        Expr::Ident(name) => {
            into.push_str(name);
            true
        }
        Expr::Select(select) if !select.test_only => {
            if !qualify(ast, select.operand, into) {
                return false;
            }
            into.push('.');
            into.push_str(&select.field);
            true
        }
        _ => false,
    }
}

/// The message that a CEL type is a view of.
fn well_known_name(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Any => "google.protobuf.Any",
        Type::Duration => "google.protobuf.Duration",
        Type::Timestamp => "google.protobuf.Timestamp",
        Type::Dyn => "google.protobuf.Value",
        Type::Null => "google.protobuf.NullValue",
        Type::Wrapper(Primitive::Bool) => "google.protobuf.BoolValue",
        Type::Wrapper(Primitive::Bytes) => "google.protobuf.BytesValue",
        Type::Wrapper(Primitive::Double) => "google.protobuf.DoubleValue",
        Type::Wrapper(Primitive::Int) => "google.protobuf.Int64Value",
        Type::Wrapper(Primitive::Uint) => "google.protobuf.UInt64Value",
        Type::Wrapper(Primitive::String) => "google.protobuf.StringValue",
        Type::List(element) if **element == Type::Dyn => "google.protobuf.ListValue",
        Type::Map(pair) if **pair == (Type::String, Type::Dyn) => "google.protobuf.Struct",
        _ => return None,
    })
}

/// The name of a type without its parameters.
fn declared_name(ty: &Type) -> String {
    match ty {
        Type::Wrapper(_) => ty.to_string(),
        _ => ty.runtime_name().to_owned(),
    }
}
