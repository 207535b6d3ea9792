//! The texts of type errors.

use std::fmt::Write as _;

use crate::types::Type;

pub(super) fn undeclared_reference(name: &str, container: &str) -> String {
    format!("undeclared reference to '{name}' (in container '{container}')")
}

pub(super) fn type_mismatch(expected: &Type, found: &Type) -> String {
    format!("expected type '{expected}' but found '{found}'")
}

pub(super) fn field_type_mismatch(name: &str, field: &Type, value: &Type) -> String {
    format!("expected type of field '{name}' is '{field}' but provided type is '{value}'")
}

pub(super) fn undefined_field(name: &str) -> String {
    format!("undefined field '{name}'")
}

pub(super) fn unexpected_failed_resolution(type_name: &str) -> String {
    format!("unexpected failed resolution of '{type_name}'")
}

pub(super) fn not_a_type(name: &str) -> String {
    format!("'{name}' is not a type")
}

pub(super) fn not_a_message_type(name: &str) -> String {
    format!("'{name}' is not a message type")
}

pub(super) fn no_field_selection(ty: &Type) -> String {
    format!("type '{ty}' does not support field selection")
}

pub(super) fn not_a_range(ty: &Type) -> String {
    format!(
        "expression of type '{ty}' cannot be range of a comprehension \
         (must be list, map, or dynamic)"
    )
}

pub(super) fn optional_select_of_non_literal() -> String {
    "unsupported optional field selection: incorrect signature".to_owned()
}

pub(super) fn unexpected_expression() -> String {
    "unexpected unspecified type".to_owned()
}

pub(super) fn no_matching_overload(name: &str, args: &[Type], is_member: bool) -> String {
    let mut signature = String::new();
    let mut args = args;
    if is_member && let Some((target, rest)) = args.split_first() {
        let _ = write!(signature, "{target}.");
        args = rest;
    }
    signature.push('(');
    for (index, arg) in args.iter().enumerate() {
        let separator = if index > 0 { ", " } else { "" };
        let _ = write!(signature, "{separator}{arg}");
    }
    signature.push(')');
    format!("found no matching overload for '{name}' applied to '{signature}'")
}

pub(super) fn invalid_argument(function: &str) -> String {
    format!("invalid {function} argument")
}

pub(super) fn nesting_limit() -> String {
    "comprehension exceeds nesting limit".to_owned()
}
