//! Environments: what an expression may refer to. Whatever is not declared is an error.
//!
//! A base environment is built once from libraries; giving it variables or types of one place
//! shares everything else, so that environments per schema node cost next to nothing.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use crate::ast::{Const, Text, operator};
use crate::check::{self, Checked, Validator};
use crate::decl::{FunctionDecl, OVERLOADS_MAX, VariableDecl};
use crate::source::Source;
use crate::syntax::macros::Macro;
use crate::syntax::{self, Diagnostics, ParseOptions};
use crate::types::{Type, message_field};

/// Knows the named types of an environment and the fields of its object types.
///
/// Names are nominal: whoever binds a schema gives every object node a name of its own and
/// answers for the names it gave out. Well-known protobuf messages and the core types are
/// known without a provider.
pub trait TypeProvider: Send + Sync {
    /// The type that this name denotes in an expression, if it denotes one.
    fn find_type(&self, name: &str) -> Option<Type>;

    /// The type of a field of an object type.
    fn find_field(&self, object: &str, field: &str) -> Option<Type>;

    /// The type of a variable by its full name, for environments with more variables than are
    /// worth declaring one by one.
    fn find_variable(&self, _name: &str) -> Option<Type> {
        None
    }

    /// The value of an enum constant by its full name.
    fn find_enum(&self, _name: &str) -> Option<i64> {
        None
    }
}

/// What a set of functions adds to an environment.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// The library's name.
    pub name: &'static str,
    /// Its functions. Functions of one name in several libraries share their overloads.
    pub functions: Vec<FunctionDecl>,
    /// Its constants and type names.
    pub variables: Vec<VariableDecl>,
    /// Its macros.
    pub macros: Vec<Macro>,
    /// What it checks in checked expressions.
    pub validators: Vec<Validator>,
    /// Functions in whose arguments list and map literals may mix types.
    pub mixed_literal_functions: Vec<&'static str>,
    /// Whether it turns the optional syntax on.
    pub optional_syntax: bool,
}

/// Switches of the checker.
#[derive(Clone, Copy, Debug, Default)]
pub struct EnvOptions {
    /// Whether `1 < 1.5` is declared.
    pub cross_type_comparisons: bool,
    /// Whether the elements of a list or map literal must have one type.
    pub homogeneous_literals: bool,
}

/// Why declarations do not go together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvError {
    /// Two different overloads with one id.
    OverloadConflict {
        /// The function.
        function: Text,
        /// The id.
        overload: Text,
    },
    /// A function with more overloads than a reference can hold.
    TooManyOverloads {
        /// The function.
        function: Text,
    },
}

impl fmt::Display for EnvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OverloadConflict { function, overload } => {
                write!(f, "overload `{overload}` of `{function}` is declared twice")
            }
            Self::TooManyOverloads { function } => {
                write!(f, "`{function}` has more than {OVERLOADS_MAX} overloads")
            }
        }
    }
}

impl std::error::Error for EnvError {}

/// Why an expression does not compile: shows every error with its line and a caret.
#[derive(Clone, Debug)]
pub struct CompileError {
    /// The text.
    pub source: Source,
    /// What is wrong with it.
    pub diagnostics: Diagnostics,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostics.display(&self.source))
    }
}

impl std::error::Error for CompileError {}

type Table<V> = HashMap<Text, V, BuildHasherDefault<NameHasher>>;

/// Declared names are trusted, so a short multiplicative hash will do.
#[derive(Clone, Copy, Default)]
struct NameHasher(u64);

impl Hasher for NameHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word))
                .wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }
}

#[derive(Clone, Debug)]
struct Base {
    functions: Table<Arc<FunctionDecl>>,
    variables: Table<VariableDecl>,
    optional_select: Arc<FunctionDecl>,
    options: EnvOptions,
    validators: Vec<Validator>,
    mixed_literal_functions: Vec<&'static str>,
    parse: ParseOptions,
}

/// What an expression may refer to. Cloning shares everything.
#[derive(Clone)]
pub struct Env {
    base: Arc<Base>,
    container: Text,
    /// Abbreviations: a simple name and what it stands for.
    aliases: Arc<[(Text, Text)]>,
    variables: Arc<Vec<VariableDecl>>,
    provider: Option<Arc<dyn TypeProvider>>,
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Env")
            .field("container", &self.container)
            .field("variables", &self.variables)
            .finish_non_exhaustive()
    }
}

impl Env {
    /// Starts an environment that declares the core types and nothing else.
    #[must_use]
    pub fn builder() -> EnvBuilder {
        EnvBuilder::default()
    }

    /// The environment with one more variable, which hides one of the same name.
    #[must_use]
    pub fn with_variable(&self, name: &str, ty: Type) -> Self {
        let mut env = self.clone();
        Arc::make_mut(&mut env.variables).push(VariableDecl::new(name, ty));
        env
    }

    /// The environment with types of one place instead of those it had.
    #[must_use]
    pub fn with_provider(&self, provider: Arc<dyn TypeProvider>) -> Self {
        let mut env = self.clone();
        env.provider = Some(provider);
        env
    }

    /// The environment with names resolved relative to `container`.
    #[must_use]
    pub fn with_container(&self, container: &str) -> Self {
        let mut env = self.clone();
        env.container = Text::from(container);
        env
    }

    /// The environment with `alias` standing for a qualified name.
    #[must_use]
    pub fn with_alias(&self, alias: &str, name: &str) -> Self {
        let mut env = self.clone();
        let added = (Text::from(alias), Text::from(name));
        env.aliases = env.aliases.iter().cloned().chain([added]).collect();
        env
    }

    /// Parses and checks an expression.
    ///
    /// # Errors
    /// When it has syntax or type errors or a validator refuses it.
    pub fn compile(&self, text: &str) -> Result<Checked, CompileError> {
        let source = Source::new(text);
        let (ast, diagnostics) = syntax::parse(&source, &self.base.parse);
        if !diagnostics.is_empty() {
            return Err(CompileError { source, diagnostics });
        }
        let (checked, mut diagnostics) = check::check(ast, self);
        if diagnostics.is_empty() && !self.base.validators.is_empty() {
            diagnostics = check::validate(&checked, self);
        }
        if diagnostics.is_empty() { Ok(checked) } else { Err(CompileError { source, diagnostics }) }
    }

    /// The options for the parser alone.
    #[must_use]
    pub fn parse_options(&self) -> &ParseOptions {
        &self.base.parse
    }

    /// The namespace that names are resolved in.
    #[must_use]
    pub fn container(&self) -> &str {
        &self.container
    }

    /// The checker's switches.
    #[must_use]
    pub fn options(&self) -> EnvOptions {
        self.base.options
    }

    pub(crate) fn validators(&self) -> &[Validator] {
        &self.base.validators
    }

    pub(crate) fn mixed_literal_functions(&self) -> &[&'static str] {
        &self.base.mixed_literal_functions
    }

    pub(crate) fn optional_select(&self) -> Arc<FunctionDecl> {
        Arc::clone(&self.base.optional_select)
    }

    /// The function of this name, resolved in the container.
    #[must_use]
    pub fn find_function(&self, name: &str) -> Option<Arc<FunctionDecl>> {
        self.find_map_candidate(name, |name| self.base.functions.get(name).cloned())
    }

    /// The variable, constant or type of this fully qualified name.
    #[must_use]
    pub fn find_variable(&self, name: &str) -> Option<VariableDecl> {
        let own = self.variables.iter().rev().find(|decl| decl.name == name);
        if let Some(decl) = own.or_else(|| self.base.variables.get(name)) {
            return Some(decl.clone());
        }
        if let Some(ty) = self.provider.as_ref().and_then(|it| it.find_variable(name)) {
            return Some(VariableDecl::new(name, ty));
        }
        if let Some(ty) = self.find_type(name) {
            return Some(VariableDecl::new(name, Type::type_of(ty)));
        }
        let value = self.provider.as_ref()?.find_enum(name)?;
        Some(VariableDecl { value: Some(Const::Int(value)), ..VariableDecl::new(name, Type::Int) })
    }

    /// The type that this fully qualified name denotes.
    #[must_use]
    pub fn find_type(&self, name: &str) -> Option<Type> {
        let own = self.provider.as_ref().and_then(|p| p.find_type(name));
        own.or_else(|| Type::core(name))
    }

    pub(crate) fn is_object(&self, name: &str) -> bool {
        let own = self.provider.as_ref().and_then(|p| p.find_type(name));
        own.is_some() || Type::is_message(name)
    }

    /// The type of a field of an object type.
    #[must_use]
    pub fn find_field(&self, object: &str, field: &str) -> Option<Type> {
        let own = self.provider.as_ref().and_then(|p| p.find_field(object, field));
        own.or_else(|| message_field(object, field))
    }

    /// Calls `find` with the names that `name` may mean in the container, innermost first.
    pub(crate) fn find_map_candidate<T>(
        &self,
        name: &str,
        find: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let (absolute, name) = match name.strip_prefix('.') {
            Some(rest) => (true, rest),
            None => (false, name),
        };
        if !self.aliases.is_empty() {
            let (simple, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
            if let Some((_, full)) = self.aliases.iter().find(|(alias, _)| alias == simple) {
                return find(&format!("{full}{rest}"));
            }
        }
        if !absolute {
            let mut container = self.container.as_str();
            while !container.is_empty() {
                if let Some(found) = find(&format!("{container}.{name}")) {
                    return Some(found);
                }
                container = container.rfind('.').map_or("", |dot| &container[..dot]);
            }
        }
        find(name)
    }
}

/// Collects declarations.
#[derive(Clone, Default)]
pub struct EnvBuilder {
    functions: Vec<FunctionDecl>,
    variables: Vec<VariableDecl>,
    macros: Vec<Macro>,
    validators: Vec<Validator>,
    mixed_literal_functions: Vec<&'static str>,
    options: EnvOptions,
    optional_syntax: bool,
    escaped_identifiers: bool,
    container: Text,
    provider: Option<Arc<dyn TypeProvider>>,
}

impl EnvBuilder {
    /// Adds a library.
    #[must_use]
    pub fn library(mut self, library: Library) -> Self {
        self.functions.extend(library.functions);
        self.variables.extend(library.variables);
        self.macros.extend(library.macros);
        self.validators.extend(library.validators);
        self.mixed_literal_functions.extend(library.mixed_literal_functions);
        self.optional_syntax |= library.optional_syntax;
        self
    }

    /// Adds a function, or overloads to one.
    #[must_use]
    pub fn function(mut self, function: FunctionDecl) -> Self {
        self.functions.push(function);
        self
    }

    /// Adds a variable.
    #[must_use]
    pub fn variable(mut self, name: &str, ty: Type) -> Self {
        self.variables.push(VariableDecl::new(name, ty));
        self
    }

    /// Adds macros.
    #[must_use]
    pub fn macros(mut self, macros: &[Macro]) -> Self {
        self.macros.extend_from_slice(macros);
        self
    }

    /// Adds a validator.
    #[must_use]
    pub fn validator(mut self, validator: Validator) -> Self {
        self.validators.push(validator);
        self
    }

    /// Sets the checker's switches.
    #[must_use]
    pub fn options(mut self, options: EnvOptions) -> Self {
        self.options = options;
        self
    }

    /// Lets fields be written in backticks.
    #[must_use]
    pub fn escaped_identifiers(mut self, on: bool) -> Self {
        self.escaped_identifiers = on;
        self
    }

    /// Resolves names relative to `container`.
    #[must_use]
    pub fn container(mut self, container: &str) -> Self {
        self.container = Text::from(container);
        self
    }

    /// Sets who knows the object types.
    #[must_use]
    pub fn provider(mut self, provider: Arc<dyn TypeProvider>) -> Self {
        self.provider = Some(provider);
        self
    }

    /// Builds the environment.
    ///
    /// # Errors
    /// When declarations contradict each other.
    pub fn build(self) -> Result<Env, EnvError> {
        let mut functions: Table<FunctionDecl> = Table::default();
        for function in self.functions {
            match functions.get_mut(&function.name) {
                Some(known) => merge(known, function)?,
                None => {
                    functions.insert(function.name.clone(), function);
                }
            }
        }
        if let Some(function) =
            functions.values().find(|function| function.overloads.len() > OVERLOADS_MAX)
        {
            return Err(EnvError::TooManyOverloads { function: function.name.clone() });
        }
        let mut macros: Vec<Macro> = Vec::with_capacity(self.macros.len());
        for added in self.macros {
            // A later macro replaces an earlier one of the same shape.
            macros.retain(|known| !known.matches_macro(&added));
            macros.push(added);
        }
        let variables = self.variables.into_iter();
        Ok(Env {
            base: Arc::new(Base {
                functions: functions
                    .into_iter()
                    .map(|(name, function)| (name, Arc::new(function)))
                    .collect(),
                variables: variables.map(|decl| (decl.name.clone(), decl)).collect(),
                optional_select: Arc::new(optional_select()),
                options: self.options,
                validators: self.validators,
                mixed_literal_functions: self.mixed_literal_functions,
                parse: ParseOptions {
                    macros: macros.into(),
                    optional_syntax: self.optional_syntax,
                    escaped_identifiers: self.escaped_identifiers,
                },
            }),
            container: self.container,
            aliases: Arc::default(),
            variables: Arc::default(),
            provider: self.provider,
        })
    }
}

fn merge(known: &mut FunctionDecl, added: FunctionDecl) -> Result<(), EnvError> {
    for overload in added.overloads {
        match known.overloads.iter().find(|other| other.id == overload.id) {
            None => known.overloads.push(overload),
            Some(other) if *other == overload => {}
            Some(_) => {
                return Err(EnvError::OverloadConflict {
                    function: known.name.clone(),
                    overload: overload.id,
                });
            }
        }
    }
    Ok(())
}

/// `a.?b`: typed by the checker itself, so the signature only names it.
fn optional_select() -> FunctionDecl {
    FunctionDecl::new(operator::OPTIONAL_SELECT).overload(
        "select_optional_field",
        [Type::Dyn, Type::String],
        Type::optional(Type::Dyn),
    )
}
