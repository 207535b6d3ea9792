//! Which fields of `object` an expression reads: where to look for the cause of a refusal.
//!
//! Only the text is looked at, so what an expression reaches through a loop's variable is reported as
//! the list or map that the loop goes over.

use ordain_cel::ast::{Ast, Const, Expr, ExprId, operator};
use ordain_cel::source::Source;
use ordain_cel::syntax::{ParseOptions, parse};

use crate::environment::{Age, Given, OBJECT, VARIABLES, environment};
use crate::evaluate::Variables;

/// Variables of variables are followed so far.
const VARIABLES_DEPTH_MAX: usize = 8;
/// More fields than this are of no use to a reader.
const FIELDS_MAX: usize = 64;

/// The fields of `object` that a text reads, as paths, in the order in which it names them; those
/// that its variables read are where the variable is named.
pub(crate) fn fields(text: &str, variables: &Variables) -> Vec<String> {
    let (_, env) = environment(Age::Stored, Given::default(), None);
    let mut found = Vec::new();
    collect(text, variables, env.parse_options(), 0, &mut found);
    found
}

fn collect(
    text: &str,
    variables: &Variables,
    options: &ParseOptions,
    depth: usize,
    found: &mut Vec<String>,
) {
    let (ast, diagnostics) = parse(&Source::new(text), options);
    if !diagnostics.is_empty() {
        return;
    }
    let mut open = vec![ast.root()];
    while let Some(id) = open.pop() {
        if found.len() >= FIELDS_MAX {
            return;
        }
        match chain(&ast, id) {
            Some((OBJECT, path)) if !path.is_empty() => {
                if !found.contains(&path) {
                    found.push(path);
                }
            }
            Some((VARIABLES, path)) if depth < VARIABLES_DEPTH_MAX => {
                let name = path.split(['.', '[']).next().unwrap_or_default();
                if let Some(text) = variables.text(name) {
                    collect(text, variables, options, depth + 1, found);
                }
            }
            _ => {
                let from = open.len();
                ast.for_each_child(id, |child| open.push(child));
                // What is named first is looked at first.
                open[from..].reverse();
            }
        }
    }
}

/// The name that a chain of selections starts with and the path behind it.
fn chain(ast: &Ast, id: ExprId) -> Option<(&str, String)> {
    let (mut parts, mut at) = (Vec::new(), id);
    let root = loop {
        match ast.expr(at) {
            Expr::Ident(name) => break name.as_str(),
            Expr::Select(select) => {
                parts.push(format!(".{}", select.field));
                at = select.operand;
            }
            Expr::Call(call) if is_access(&call.function) => {
                let [operand, key] = call.args.as_slice() else { return None };
                match ast.expr(*key) {
                    Expr::Const(Const::String(key))
                        if call.function == operator::OPTIONAL_SELECT =>
                    {
                        parts.push(format!(".{key}"));
                    }
                    Expr::Const(Const::String(key)) => parts.push(format!("[{key}]")),
                    Expr::Const(Const::Int(index)) => parts.push(format!("[{index}]")),
                    // What an expression picks is somewhere below.
                    _ => parts.clear(),
                }
                at = *operand;
            }
            _ => return None,
        }
    };
    let path: String = parts.into_iter().rev().collect();
    Some((root, path.trim_start_matches('.').to_owned()))
}

fn is_access(function: &str) -> bool {
    [operator::INDEX, operator::OPTIONAL_INDEX, operator::OPTIONAL_SELECT].contains(&function)
}
