//! Calls: which function is meant, and which of its overloads fit the arguments.

use std::mem;
use std::sync::Arc;

use super::Checker;
use crate::ast::{Call, Expr, ExprId, Text, operator};
use crate::check::assign::{is_exact, map_params};
use crate::check::errors;
use crate::decl::{FunctionDecl, OVERLOADS_MAX, OverloadDecl, Reference};
use crate::types::Type;

impl Checker<'_> {
    pub(super) fn check_call(&mut self, id: ExprId) {
        let Expr::Call(call) = self.ast.expr(id) else {
            return;
        };
        let (target, args) = (call.target, call.args.clone());
        for arg in &args {
            self.check(*arg);
        }
        let Some(target) = target else {
            self.check_global_call(id, &args);
            return;
        };
        if self.qualify(target) {
            let mut qualified = mem::take(&mut self.qualified);
            qualified.push('.');
            if let Expr::Call(call) = self.ast.expr(id) {
                qualified.push_str(&call.function);
            }
            let found = self.env.find_function(&qualified);
            self.qualified = qualified;
            if let Some(function) = found {
                // The target was a namespace; keeping it would mean evaluating it.
                self.rename_call(id, &function.name, true);
                self.resolve_call(id, &function, None, &args);
                return;
            }
        }
        self.check(target);
        match self.find_called(id) {
            Ok(function) => self.resolve_call(id, &function, Some(target), &args),
            Err(message) => {
                self.set_type(id, Type::Error);
                self.error(id, message);
            }
        }
    }

    pub(super) fn check_global_call(&mut self, id: ExprId, args: &[ExprId]) {
        match self.find_called(id) {
            Ok(function) => {
                self.rename_call(id, &function.name, false);
                self.resolve_call(id, &function, None, args);
            }
            Err(message) => {
                self.error(id, message);
                self.set_type(id, Type::Error);
            }
        }
    }

    pub(super) fn find_called(&self, id: ExprId) -> Result<Arc<FunctionDecl>, String> {
        let Expr::Call(call) = self.ast.expr(id) else {
            return Err(errors::unexpected_expression());
        };
        self.env
            .find_function(&call.function)
            .ok_or_else(|| errors::undeclared_reference(&call.function, self.env.container()))
    }

    pub(super) fn rename_call(&mut self, id: ExprId, name: &Text, drop_target: bool) {
        if let Some(Expr::Call(Call { function, target, .. })) = self.ast.expr_mut(id) {
            if function != name {
                function.clone_from(name);
            }
            if drop_target {
                *target = None;
            }
        }
    }

    pub(super) fn resolve_call(
        &mut self,
        id: ExprId,
        function: &Arc<FunctionDecl>,
        target: Option<ExprId>,
        args: &[ExprId],
    ) {
        let resolved =
            if matches!(function.name.as_str(), operator::LOGICAL_AND | operator::LOGICAL_OR) {
                self.resolve_logic(args)
            } else {
                self.resolve_overload(id, function, target, args)
            };
        match resolved {
            Some((ty, overloads)) => {
                self.set_type(id, ty);
                self.set_reference(
                    id,
                    Reference::Function { function: Arc::clone(function), overloads },
                );
            }
            None => self.set_type(id, Type::Error),
        }
    }

    /// `&&` and `||` name the operand at fault rather than the operator.
    pub(super) fn resolve_logic(&mut self, args: &[ExprId]) -> Option<(Type, u128)> {
        let mut valid = true;
        for arg in args {
            let ty = self.type_of(*arg);
            if !self.substitution.is_assignable(&ty, &Type::Bool) {
                self.error(*arg, errors::type_mismatch(&Type::Bool, &ty));
                valid = false;
            }
        }
        valid.then_some((Type::Bool, 1))
    }

    pub(super) fn resolve_overload(
        &mut self,
        id: ExprId,
        function: &FunctionDecl,
        target: Option<ExprId>,
        args: &[ExprId],
    ) -> Option<(Type, u128)> {
        let arg_types: Vec<Type> =
            target.iter().chain(args).map(|arg| self.type_of(*arg)).collect();
        let mut result: Option<Type> = None;
        let mut matching = 0_u128;
        for (index, overload) in function.overloads.iter().enumerate().take(OVERLOADS_MAX) {
            if overload.member != target.is_some()
                || (self.filter_overloads && is_cross_type_comparison(overload))
            {
                continue;
            }
            let Some(ty) = self.match_overload(overload, &arg_types) else {
                continue;
            };
            matching |= 1 << index;
            result = Some(match result {
                Some(before) if before.is_dyn() || is_exact(&ty, &before) => before,
                Some(_) => Type::Dyn,
                None => ty,
            });
        }
        if let Some(ty) = result {
            return Some((ty, matching));
        }
        let shown: Vec<Type> =
            arg_types.iter().map(|ty| self.substitution.apply_to_dyn(ty)).collect();
        self.error(id, errors::no_matching_overload(&function.name, &shown, target.is_some()));
        None
    }

    /// The result type if the arguments fit the overload.
    pub(super) fn match_overload(
        &mut self,
        overload: &OverloadDecl,
        args: &[Type],
    ) -> Option<Type> {
        if overload.type_params.is_empty() {
            return self
                .substitution
                .is_assignable_list(args, &overload.params)
                .then(|| overload.result.clone());
        }
        let variables: Vec<Type> =
            overload.type_params.iter().map(|_| self.substitution.fresh()).collect();
        if overload.params.len() != args.len() {
            return None;
        }
        let params: Vec<Type> = overload
            .params
            .iter()
            .map(|ty| instantiate(ty, &overload.type_params, &variables))
            .collect();
        if !self.substitution.is_assignable_list(args, &params) {
            return None;
        }
        let result = instantiate(&overload.result, &overload.type_params, &variables);
        Some(self.substitution.apply(&result))
    }
}

pub(super) fn instantiate(ty: &Type, names: &[Text], variables: &[Type]) -> Type {
    match ty {
        Type::Param(name) => names
            .iter()
            .position(|candidate| candidate == name)
            .and_then(|index| variables.get(index))
            .cloned()
            .unwrap_or(Type::Dyn),
        _ => map_params(ty, |param| instantiate(param, names, variables)),
    }
}

/// Whether the overload compares numbers of two types: `less_int64_double`.
pub(super) fn is_cross_type_comparison(overload: &OverloadDecl) -> bool {
    let is_comparison = ["less_", "greater_"].iter().any(|prefix| overload.id.starts_with(prefix));
    let is_number = |ty: &Type| matches!(ty, Type::Int | Type::Uint | Type::Double);
    match overload.params.as_slice() {
        [left, right] => is_comparison && left != right && is_number(left) && is_number(right),
        _ => false,
    }
}
