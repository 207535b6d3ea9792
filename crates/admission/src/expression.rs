//! One expression of a policy: text to a program, or the words that say why not.

use ordain_cel::program::Program;
use ordain_cel::types::Type;
use ordain_value::Text;

use crate::environment::{Age, Given, OBJECT_TYPE, PATCH_TYPE, VariableTypes, environment};

/// What an expression must evaluate to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Returns {
    Anything,
    Bool,
    Text,
    TextOrNull,
    /// An apply configuration.
    Object,
    /// A list of JSON patch operations.
    Patches,
}

impl Returns {
    fn types(self) -> Vec<Type> {
        match self {
            Self::Anything => Vec::new(),
            Self::Bool => vec![Type::Bool],
            Self::Text => vec![Type::String],
            Self::TextOrNull => vec![Type::String, Type::Null],
            Self::Object => vec![Type::object(OBJECT_TYPE)],
            Self::Patches => vec![Type::list(Type::object(PATCH_TYPE))],
        }
    }
}

/// Why an expression does not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) detail: String,
    /// Whether the fault is not in the expression itself.
    pub(crate) internal: bool,
    /// About how many states of constant patterns it took to find out.
    pub(crate) patterns: usize,
}

/// A compiled expression.
#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) text: Text,
    pub(crate) program: Result<Program, Failure>,
    /// What it evaluates to; `dyn` when it does not compile.
    pub(crate) ty: Type,
}

impl Expression {
    /// Compiles a text in the scope of the variables before it.
    pub(crate) fn compile(
        text: &str,
        returns: Returns,
        age: Age,
        given: Given,
        variables: Option<&VariableTypes>,
    ) -> Self {
        let failed =
            |failure: Failure| Self { text: text.into(), program: Err(failure), ty: Type::Dyn };
        let wrong = |detail: String| failed(Failure { detail, internal: false, patterns: 0 });
        let (base, env) = environment(age, given, variables);
        let checked = match env.compile(text) {
            Ok(checked) => checked,
            Err(error) => return wrong(format!("compilation failed: {error}")),
        };
        let ty = checked.result_type().clone();
        let wanted = returns.types();
        if !wanted.is_empty() && !wanted.contains(&ty) {
            let got = declared_name(&ty);
            let names: Vec<String> = wanted.iter().map(declared_name).collect();
            let detail = match names.as_slice() {
                [one] => format!("must evaluate to {one} but got {got}"),
                many => format!("must evaluate to one of [{}] but got {got}", many.join(" ")),
            };
            return wrong(detail);
        }
        match Program::new(&checked, &base.functions) {
            Ok(program) => Self { text: text.into(), program: Ok(program), ty },
            Err(error) => failed(Failure {
                detail: format!("program instantiation failed: {error}"),
                internal: true,
                patterns: error.patterns_size(),
            }),
        }
    }
}

impl Expression {
    /// Whether the expression reads a name, or a field of it.
    pub(crate) fn reads(&self, name: &str) -> bool {
        let is_read =
            |it: &str| it.strip_prefix(name).is_some_and(|it| it.is_empty() || it.starts_with('.'));
        let program = self.program.as_ref();
        program.is_ok_and(|program| program.variables().iter().any(|it| is_read(it)))
    }
}

/// A type by the name of its declaration, parameters included.
fn declared_name(ty: &Type) -> String {
    match ty {
        Type::Wrapper(_) => ty.to_string(),
        _ => {
            let params: Vec<String> = ty.params().map(declared_name).collect();
            let name = ty.runtime_name();
            if params.is_empty() {
                name.to_owned()
            } else {
                format!("{name}({})", params.join(", "))
            }
        }
    }
}
