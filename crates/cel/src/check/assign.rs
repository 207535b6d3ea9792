//! Assignability and unification of types.

use std::sync::Arc;

use crate::types::{Opaque, Type};

/// What the type variables of one check stand for. Failed attempts are rolled back.
#[derive(Debug, Default)]
pub(super) struct Substitution {
    bindings: Vec<Option<Type>>,
    trail: Vec<(u32, Option<Type>)>,
}

impl Substitution {
    /// A fresh type variable.
    pub(super) fn fresh(&mut self) -> Type {
        let number = u32::try_from(self.bindings.len()).unwrap_or(u32::MAX);
        self.bindings.push(None);
        Type::Var(number)
    }

    fn find(&self, number: u32) -> Option<&Type> {
        self.bindings.get(number as usize)?.as_ref()
    }

    fn bind(&mut self, number: u32, ty: Type) {
        if let Some(slot) = self.bindings.get_mut(number as usize) {
            let before = slot.replace(ty);
            self.trail.push((number, before));
        }
    }

    fn roll_back(&mut self, mark: usize) {
        while self.trail.len() > mark {
            if let Some((number, before)) = self.trail.pop()
                && let Some(slot) = self.bindings.get_mut(number as usize)
            {
                *slot = before;
            }
        }
    }

    /// Whether `from` and `to` agree; binds variables when they do.
    pub(super) fn is_assignable(&mut self, to: &Type, from: &Type) -> bool {
        let mark = self.trail.len();
        let agree = self.unify(to, from);
        if !agree {
            self.roll_back(mark);
        }
        agree
    }

    /// Whether all pairs agree; binds variables when all do.
    pub(super) fn is_assignable_list(&mut self, to: &[Type], from: &[Type]) -> bool {
        let mark = self.trail.len();
        let agree = self.unify_lists(to.iter(), from.iter());
        if !agree {
            self.roll_back(mark);
        }
        agree
    }

    fn unify_lists<'t>(
        &mut self,
        mut left: impl Iterator<Item = &'t Type>,
        mut right: impl Iterator<Item = &'t Type>,
    ) -> bool {
        loop {
            match (left.next(), right.next()) {
                (Some(a), Some(b)) => {
                    if !self.unify(a, b) {
                        return false;
                    }
                }
                (None, None) => return true,
                _ => return false,
            }
        }
    }

    fn unify(&mut self, t1: &Type, t2: &Type) -> bool {
        if let Type::Var(number) = t2 {
            let (valid, bound) = self.substitutes(t1, *number);
            if valid || bound {
                return valid;
            }
        }
        if let Type::Var(number) = t1 {
            return self.substitutes(t2, *number).0;
        }
        match (t1, t2) {
            _ if t1.is_dyn_or_error() || t2.is_dyn_or_error() => true,
            (Type::Null, other) | (other, Type::Null) => is_nullable(other),
            (Type::Type(_), Type::Type(_)) => true,
            (Type::List(a), Type::List(b)) => self.unify(a, b),
            (Type::Map(a), Type::Map(b)) => self.unify(&a.0, &b.0) && self.unify(&a.1, &b.1),
            (Type::Opaque(a), Type::Opaque(b)) => {
                a.name == b.name && self.unify_lists(a.params.iter(), b.params.iter())
            }
            _ => is_exact(t1, t2),
        }
    }

    /// Whether the variable may stand for `ty`, and whether it stood for something before.
    fn substitutes(&mut self, ty: &Type, number: u32) -> (bool, bool) {
        if matches!(ty, Type::Var(other) if *other == number) {
            return (true, true);
        }
        if let Some(bound) = self.find(number) {
            if is_exact(ty, bound) {
                return (true, true);
            }
            let bound = bound.clone();
            if !self.unify(ty, &bound) {
                return (false, true);
            }
            let general = most_general(ty, &bound);
            if self.is_absent_from(number, general) {
                self.bind(number, general.clone());
            }
            return (true, true);
        }
        if self.is_absent_from(number, ty) {
            self.bind(number, ty.clone());
            return (true, false);
        }
        (false, false)
    }

    /// The occurs check.
    fn is_absent_from(&self, number: u32, ty: &Type) -> bool {
        match ty {
            Type::Var(other) if *other == number => false,
            Type::Var(other) => {
                self.find(*other).is_none_or(|bound| self.is_absent_from(number, bound))
            }
            _ => ty.params().all(|param| self.is_absent_from(number, param)),
        }
    }

    /// The type with bound variables replaced by what they stand for.
    pub(super) fn apply(&self, ty: &Type) -> Type {
        self.replace(ty, false)
    }

    /// As [`Self::apply`], and free variables become dynamic.
    pub(super) fn apply_to_dyn(&self, ty: &Type) -> Type {
        self.replace(ty, true)
    }

    fn replace(&self, ty: &Type, free_is_dyn: bool) -> Type {
        match ty {
            Type::Var(number) => match self.find(*number) {
                Some(bound) => self.replace(bound, free_is_dyn),
                None if free_is_dyn => Type::Dyn,
                None => ty.clone(),
            },
            Type::Param(_) if free_is_dyn => Type::Dyn,
            _ if !has_variable(ty) => ty.clone(),
            _ => map_params(ty, |param| self.replace(param, free_is_dyn)),
        }
    }
}

/// The type with its parameters mapped.
pub(super) fn map_params(ty: &Type, mut map: impl FnMut(&Type) -> Type) -> Type {
    match ty {
        Type::List(element) => Type::list(map(element)),
        Type::Map(pair) => Type::map(map(&pair.0), map(&pair.1)),
        Type::Type(Some(of)) => Type::type_of(map(of)),
        Type::Opaque(opaque) => Type::Opaque(Arc::new(Opaque {
            name: opaque.name.clone(),
            params: opaque.params.iter().map(map).collect(),
        })),
        _ => ty.clone(),
    }
}

fn has_variable(ty: &Type) -> bool {
    matches!(ty, Type::Var(_) | Type::Param(_)) || ty.params().any(has_variable)
}

fn is_nullable(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Null
            | Type::Wrapper(_)
            | Type::Opaque(_)
            | Type::Object(_)
            | Type::Duration
            | Type::Timestamp
    )
}

/// Whether two types are the same; a wrapper is the same as what it wraps.
pub(super) fn is_exact(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Wrapper(primitive), other) | (other, Type::Wrapper(primitive)) => match other {
            Type::Wrapper(second) => primitive == second,
            _ => primitive.unwrapped() == *other,
        },
        (Type::List(a), Type::List(b)) => is_exact(a, b),
        (Type::Map(a), Type::Map(b)) => is_exact(&a.0, &b.0) && is_exact(&a.1, &b.1),
        (Type::Type(Some(a)), Type::Type(Some(b))) => is_exact(a, b),
        (Type::Opaque(a), Type::Opaque(b)) => {
            a.name == b.name
                && a.params.len() == b.params.len()
                && a.params.iter().zip(&b.params).all(|(a, b)| is_exact(a, b))
        }
        _ => a == b,
    }
}

/// The more general of two types that agree.
pub(super) fn most_general<'t>(a: &'t Type, b: &'t Type) -> &'t Type {
    if is_equal_or_less_specific(a, b) { a } else { b }
}

fn is_equal_or_less_specific(a: &Type, b: &Type) -> bool {
    if a.is_dyn() || matches!(a, Type::Var(_) | Type::Param(_)) {
        return true;
    }
    if b.is_dyn() || matches!(b, Type::Var(_) | Type::Param(_)) {
        return false;
    }
    match (a, b) {
        (Type::Opaque(a), Type::Opaque(b)) => {
            a.name == b.name
                && a.params.len() == b.params.len()
                && a.params.iter().zip(&b.params).all(|(a, b)| is_equal_or_less_specific(a, b))
        }
        (Type::List(a), Type::List(b)) => is_equal_or_less_specific(a, b),
        (Type::Map(a), Type::Map(b)) => {
            is_equal_or_less_specific(&a.0, &b.0) && is_equal_or_less_specific(&a.1, &b.1)
        }
        (Type::Type(_), Type::Type(_)) => true,
        _ => is_exact(a, b),
    }
}
