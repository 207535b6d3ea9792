//! Validators: what is refused in well-typed expressions because it can only fail.

use super::assign::is_exact;
use super::{Checked, errors};
use crate::ast::{Const, Expr, ExprId, List, MapEntry};
use crate::env::Env;
use crate::source::Location;
use crate::syntax::Diagnostics;
use crate::types::Type;

/// A check of checked expressions.
#[derive(Clone, Copy, Debug)]
pub enum Validator {
    /// The first argument of a function, when it is a literal.
    Literal {
        /// The function's name.
        function: &'static str,
        /// Whether the function can take it.
        is_valid: fn(&Const) -> bool,
    },
    /// All elements of a list or map literal have exactly one type.
    HomogeneousLiterals,
    /// How deep comprehensions may nest.
    NestingLimit(usize),
    /// A check of one call: its receiver and arguments, with access to the whole.
    Call {
        /// The function's name.
        function: &'static str,
        /// Reports what is wrong: an expression and a text.
        check: fn(&Checked, ExprId, &mut Vec<(ExprId, String)>),
    },
}

/// Runs the environment's validators.
#[must_use]
pub fn validate(checked: &Checked, env: &Env) -> Diagnostics {
    let mut found = Vec::new();
    for validator in env.validators() {
        Walk { checked, env, validator: *validator, found: &mut found }.run();
    }
    let mut diagnostics = Diagnostics::default();
    for (id, message) in found {
        let location = checked
            .ast
            .span(id)
            .map_or(Location::NONE, |span| checked.ast.source().location(span.start));
        diagnostics.push(location, message);
    }
    diagnostics
}

struct Walk<'a> {
    checked: &'a Checked,
    env: &'a Env,
    validator: Validator,
    found: &'a mut Vec<(ExprId, String)>,
}

/// An expression, whether mixed literals are fine there, and the folds around it.
#[derive(Clone, Copy)]
struct Place {
    id: ExprId,
    mixed: bool,
    folds: usize,
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut pending = vec![Place { id: self.checked.ast.root(), mixed: false, folds: 0 }];
        while let Some(mut place) = pending.pop() {
            self.visit(&mut place);
            let start = pending.len();
            self.checked.ast.for_each_child(place.id, |child| {
                pending.push(Place { id: child, ..place });
            });
            if let Some(children) = pending.get_mut(start..) {
                children.reverse();
            }
        }
    }

    fn visit(&mut self, place: &mut Place) {
        let expr = self.checked.ast.expr(place.id);
        if let Expr::Call(call) = expr {
            let exempt = self.env.mixed_literal_functions();
            place.mixed |= exempt.iter().any(|name| *name == call.function);
        }
        match (self.validator, expr) {
            (Validator::Literal { function, is_valid }, Expr::Call(call))
                if call.function == function =>
            {
                if let Some(arg) = call.args.first()
                    && let Expr::Const(literal) = self.checked.ast.expr(*arg)
                    && !is_valid(literal)
                {
                    self.found.push((*arg, errors::invalid_argument(function)));
                }
            }
            (Validator::HomogeneousLiterals, Expr::List(list)) if !place.mixed => {
                self.check_list(list);
            }
            (Validator::HomogeneousLiterals, Expr::Map(entries)) if !place.mixed => {
                self.check_map(entries);
            }
            (Validator::NestingLimit(limit), Expr::Comprehension(fold)) => {
                let is_binding = matches!(
                    self.checked.ast.expr(fold.iter_range),
                    Expr::List(list) if list.elements.is_empty()
                );
                if !is_binding {
                    place.folds += 1;
                    if place.folds > limit {
                        self.found.push((place.id, errors::nesting_limit()));
                    }
                }
            }
            (Validator::Call { function, check }, Expr::Call(call))
                if call.function == function =>
            {
                check(self.checked, place.id, self.found);
            }
            _ => {}
        }
    }

    fn element_type(&self, id: ExprId, optional: bool) -> Type {
        let ty = self.checked.type_of(id);
        match ty.optional_element() {
            Some(element) if optional => element.clone(),
            _ => ty.clone(),
        }
    }

    fn check_list(&mut self, list: &List) {
        let mut first: Option<Type> = None;
        for (index, element) in list.elements.iter().enumerate() {
            let mut optional = list.optional_indices.iter();
            let optional = optional.any(|optional| *optional as usize == index);
            let ty = self.element_type(*element, optional);
            match &first {
                None => first = Some(ty),
                Some(expected) if is_exact(expected, &ty) => {}
                Some(expected) => {
                    self.found.push((*element, errors::type_mismatch(expected, &ty)));
                    return;
                }
            }
        }
    }

    fn check_map(&mut self, entries: &[MapEntry]) {
        let mut first: Option<(Type, Type)> = None;
        for entry in entries {
            let key = self.element_type(entry.key, false);
            let value = self.element_type(entry.value, entry.optional);
            let Some((expected_key, expected_value)) = &first else {
                first = Some((key, value));
                continue;
            };
            for (id, expected, ty) in
                [(entry.key, expected_key, key), (entry.value, expected_value, value)]
            {
                if !is_exact(expected, &ty) {
                    self.found.push((id, errors::type_mismatch(expected, &ty)));
                }
            }
        }
    }
}
