//! Rules that Kubernetes writes by hand, declared: runs what `+rule:` tags were lowered to.
//!
//! The walk ([`run`]) goes over the object itself, along the Go types that have a rule in or below
//! them; nothing is copied, and a path becomes text only for an error. Expressions see Go structs
//! ([`shapes`]): what is absent reads as the zero value of its type. Each is compiled when it is first
//! asked, once for all kinds of a package.

mod asked;
mod outline;
mod plain;
mod run;
mod shape;
mod shapes;
mod subject;
mod test;
mod worded;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use ordain_cel::program::Program as CelProgram;
use ordain_cel::types::Type;
use ordain_schema::native::{Program, TypeId};
use ordain_schema::written::{ExpressionId, StructRules};
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Text, Value};

use crate::cel_library::Environment;
pub use asked::Asked;
use outline::Outline;
use shapes::{Name, Shapes};
use worded::Worded;

/// The variable that holds what the value was before.
const OLD_SELF: &str = "oldSelf";

/// A rule in code.
pub type Code = fn(&Asked<'_, '_>, &Path<'_>, &mut ErrorList);

/// What is being done to the object.
#[derive(Clone, Copy, Debug)]
pub struct Write<'a> {
    /// The name of the kind.
    pub kind: &'a str,
    /// The object before the write; none on create.
    pub old: Option<&'a Value>,
    /// `main` for the object itself, or the name of a subresource.
    pub part: &'a str,
}

/// The rules of a package, compiled as far as they were asked.
pub struct WrittenRules {
    shapes: Arc<Shapes>,
    expressions: Vec<OnceLock<Compiled>>,
    /// The places of the rules of structs, by type.
    places: Vec<Option<u32>>,
    /// The structs with rules, by their Go names.
    structs: HashMap<Text, TypeId>,
    /// By those places.
    outlines: Vec<OnceLock<Outline>>,
    code: fn(&str) -> Option<Code>,
}

/// An expression, compiled.
struct Compiled {
    program: Result<CelProgram, String>,
    /// What its variables stand for.
    variables: Box<[Option<Name>]>,
    /// The format that it asks for, if it asks nothing else.
    worded: Option<Worded>,
    /// The field that it reads of the value, if it does nothing else.
    field: Option<Text>,
}

/// Programs and what was made of them; kinds of one package share theirs.
static MADE: Mutex<Vec<(Weak<Program>, Weak<WrittenRules>)>> = Mutex::new(Vec::new());

impl WrittenRules {
    /// The rules of a program, given the rules in code by name.
    #[must_use]
    pub fn of(program: &Arc<Program>, code: fn(&str) -> Option<Code>) -> Arc<Self> {
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |it: &&(Weak<Program>, Weak<Self>)| std::ptr::eq(it.0.as_ptr(), &**program);
        if let Some(known) = made.iter().find(same).and_then(|it| it.1.upgrade()) {
            return known;
        }
        made.retain(|it| it.1.strong_count() > 0);
        let expressions = program.written.expressions.iter().map(|_| OnceLock::new()).collect();
        let structs = &program.written.structs;
        let mut places = vec![None; program.types.len()];
        for (at, rules) in (0..).zip(structs) {
            if let Some(place) = places.get_mut(rules.ty.0 as usize) {
                *place = Some(at);
            }
        }
        let name = |ty: TypeId| program.ty(ty).name.clone();
        // Of structs with one name the first counts.
        let named = structs.iter().rev().map(|it| (name(it.ty), it.ty)).collect();
        let outlines = structs.iter().map(|_| OnceLock::new()).collect();
        let shapes = Shapes::new(Arc::clone(program));
        let rules =
            Arc::new(WrittenRules { shapes, expressions, places, structs: named, outlines, code });
        made.push((Arc::downgrade(program), Arc::downgrade(&rules)));
        rules
    }

    /// What the rules have against a write.
    #[must_use]
    pub fn validate(&self, object: &Value, write: Write<'_>) -> ErrorList {
        let Some(root) = self.shapes.program.written.root(write.kind) else {
            return ErrorList::new();
        };
        run::run(self, root, object, write, &Path::root())
    }

    /// What the rules of a struct by its Go name (`v1.PodSpec`) have against a value of it, given
    /// what it was before; for parts that code judges under conditions of its own.
    #[must_use]
    pub fn validate_struct(
        &self,
        name: &str,
        value: &Value,
        write: Write<'_>,
        path: &Path<'_>,
    ) -> ErrorList {
        match self.structs.get(name) {
            Some(ty) => run::run(self, *ty, value, write, path),
            None => Error::internal(path, format!("{name} has no rules")).into(),
        }
    }

    /// The rules of a struct with their outline.
    fn rules_of(&self, ty: TypeId) -> Option<(&StructRules, &Outline)> {
        let at = self.places.get(ty.0 as usize).copied().flatten()? as usize;
        let written = &self.shapes.program.written;
        let rules = written.structs.get(at)?;
        let outline = self.outlines.get(at)?.get_or_init(|| Outline::new(&self.shapes, rules));
        Some((rules, outline))
    }

    fn compiled(&self, id: ExpressionId) -> Option<&Compiled> {
        let slot = self.expressions.get(id.0 as usize)?;
        Some(slot.get_or_init(|| self.compile(id)))
    }

    fn compile(&self, id: ExpressionId) -> Compiled {
        let checked = match self.shapes.check(id) {
            Ok(checked) => checked,
            Err(why) => {
                let (variables, worded, field) = (Box::default(), None, None);
                return Compiled { program: Err(why), variables, worded, field };
            }
        };
        let functions = &Environment::written().functions;
        let program = CelProgram::new(&checked, functions).map_err(|why| why.to_string());
        let names = program.as_ref().map_or(&[] as &[_], CelProgram::variables);
        let variables = names.iter().map(|it| self.shapes.name(it)).collect();
        let text = &self.shapes.program.written.expressions[id.0 as usize].text;
        let worded = program.as_ref().ok().and_then(|_| Worded::of(text));
        let field = program.as_ref().ok().and_then(|_| worded::field_of(text));
        Compiled { program, variables, worded, field }
    }

    /// The expressions that do not compile, each with its place, and names of code that nobody
    /// wrote.
    #[must_use]
    pub fn mistakes(&self) -> Vec<String> {
        let written = &self.shapes.program.written;
        let mut out = Vec::new();
        for (at, expression) in written.expressions.iter().enumerate() {
            let id = ExpressionId(u32::try_from(at).unwrap_or(u32::MAX));
            if let Some(Compiled { program: Err(why), .. }) = self.compiled(id) {
                out.push(format!("{}: {why}", expression.place));
            }
        }
        out.extend(self.shapes.wrong_types());
        for rule in shapes::all_rules(written) {
            if let ordain_schema::written::Test::Code(name) = &rule.test
                && (self.code)(name).is_none()
            {
                out.push(format!("no code has the name {name}"));
            }
        }
        out
    }
}

/// What conditions and tests give.
const TRUTH: Type = Type::Bool;
