//! Shows a checked expression with the type of every part and what calls refer to.
//!
//! `1 + x` reads `_+_(1~int, x~int)~int^add_int64`. Macros show as what they expand to.

use std::fmt::{self, Write as _};

use crate::ast::{Comprehension, Const, Expr, ExprId};
use crate::check::Checked;
use crate::decl::Reference;

impl Checked {
    /// The expression with types and references inline, for tests and debugging.
    #[must_use]
    pub fn to_typed_string(&self) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = write_expr(self, self.ast().root(), &mut out);
        out
    }
}

fn write_expr(checked: &Checked, id: ExprId, out: &mut String) -> fmt::Result {
    match checked.ast().expr(id) {
        Expr::Unspecified => out.push('?'),
        Expr::Const(value) => write_const(value, out)?,
        Expr::Ident(name) => out.push_str(name),
        Expr::Select(select) => {
            write_expr(checked, select.operand, out)?;
            write!(out, ".{}", select.field)?;
            if select.test_only {
                out.push_str("~test-only~");
            }
        }
        Expr::Call(call) => {
            if let Some(target) = call.target {
                write_expr(checked, target, out)?;
                out.push('.');
            }
            write!(out, "{}(", call.function)?;
            write_list(checked, call.args.iter().copied(), out)?;
            out.push(')');
        }
        Expr::List(list) => {
            out.push('[');
            for (index, element) in list.elements.iter().enumerate() {
                separate(index, out);
                if list.optional_indices.iter().any(|i| *i as usize == index) {
                    out.push('?');
                }
                write_expr(checked, *element, out)?;
            }
            out.push(']');
        }
        Expr::Map(entries) => {
            out.push('{');
            for (index, entry) in entries.iter().enumerate() {
                separate(index, out);
                if entry.optional {
                    out.push('?');
                }
                write_expr(checked, entry.key, out)?;
                out.push_str(": ");
                write_expr(checked, entry.value, out)?;
            }
            out.push('}');
        }
        Expr::Struct(message) => {
            write!(out, "{}{{", message.type_name)?;
            for (index, field) in message.fields.iter().enumerate() {
                separate(index, out);
                let mark = if field.optional { "?" } else { "" };
                write!(out, "{mark}{}: ", field.name)?;
                write_expr(checked, field.value, out)?;
            }
            out.push('}');
        }
        Expr::Comprehension(fold) => write_fold(checked, fold, out)?,
    }
    write!(out, "~{}", checked.type_of(id))?;
    if let Some(reference @ Reference::Function { .. }) = checked.reference(id) {
        let ids: Vec<&str> = reference.overload_ids().collect();
        write!(out, "^{}", ids.join("|"))?;
    }
    Ok(())
}

fn separate(index: usize, out: &mut String) {
    if index > 0 {
        out.push_str(", ");
    }
}

fn write_list(
    checked: &Checked,
    ids: impl Iterator<Item = ExprId>,
    out: &mut String,
) -> fmt::Result {
    for (index, id) in ids.enumerate() {
        separate(index, out);
        write_expr(checked, id, out)?;
    }
    Ok(())
}

fn write_fold(checked: &Checked, fold: &Comprehension, out: &mut String) -> fmt::Result {
    write!(out, "fold({}", fold.iter_var)?;
    if let Some(second) = &fold.iter_var2 {
        write!(out, ", {second}")?;
    }
    out.push_str(" in ");
    write_expr(checked, fold.iter_range, out)?;
    write!(out, "; {} = ", fold.accu_var)?;
    write_expr(checked, fold.accu_init, out)?;
    out.push_str("; while ");
    write_expr(checked, fold.loop_condition, out)?;
    out.push_str("; step ");
    write_expr(checked, fold.loop_step, out)?;
    out.push_str("; result ");
    write_expr(checked, fold.result, out)?;
    out.push(')');
    Ok(())
}

fn write_const(value: &Const, out: &mut String) -> fmt::Result {
    match value {
        Const::Null => out.push_str("null"),
        Const::Bool(value) => write!(out, "{value}")?,
        Const::Int(value) => write!(out, "{value}")?,
        Const::Uint(value) => write!(out, "{value}u")?,
        Const::Double(value) => write!(out, "{value:?}")?,
        Const::String(value) => write!(out, "{value:?}")?,
        Const::Bytes(value) => write!(out, "b\"{}\"", value.escape_ascii())?,
    }
    Ok(())
}
