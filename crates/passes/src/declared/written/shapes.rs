//! Go types as expressions see them: types for the checker, views for evaluation.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use ordain_cel::check::Checked;
use ordain_cel::env::TypeProvider;
use ordain_cel::types::Type;
use ordain_cel::value::{Field, ListKind, View, ViewId, ViewRef, Views};
use ordain_schema::native::{GoField, GoKind, Program, Special, TypeId};
use ordain_schema::written::{ExpressionId, Let, Rule, Test, Written};
use ordain_value::Text;

use super::{OLD_SELF, TRUTH};
use crate::cel_library::Environment;

/// The types of a program, ready for expressions.
pub(super) struct Shapes {
    pub(super) program: Arc<Program>,
    views: Views,
    names: HashMap<Text, Name>,
    /// The types of named values, once they were asked for.
    let_types: HashMap<ExpressionId, OnceLock<Type>>,
    /// Whether a named value says if rules have anything against some structs, by its expression.
    wrong: Vec<bool>,
}

/// What a variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// The value that a rule is about.
    Own,
    /// What it was before.
    OwnBefore,
    /// The struct that has the field.
    Parent,
    /// A struct around the place.
    Around(TypeId),
    /// What it was before.
    AroundBefore(TypeId),
    /// A named value: where nothing around names one so, it is computed by this. Values of one name
    /// have one number.
    Let(ExpressionId, u32),
    /// The items of a list that nothing was found against.
    Sound(TypeId),
    Kind,
    Part,
    IsUpdate,
    /// The key of the entry of a map that a rule is about.
    Key,
    /// The place of an item in its list.
    Index,
}

/// The number of a named value, and whether it is a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LetKey(u32, bool);

/// By what the named values of a place are found, in their order.
#[derive(Debug, Default)]
pub(super) struct LetKeys {
    keys: Box<[LetKey]>,
    /// The bits of all numbers: most places name few values.
    numbers: u64,
}

impl LetKeys {
    /// The place of the named value with this number, and whether it is a default. A place may have
    /// both; the default stands behind then.
    #[inline]
    pub(super) fn find(&self, number: u32) -> Option<(usize, bool)> {
        if self.numbers & bit(number) == 0 {
            return None;
        }
        let place = |key: LetKey| self.keys.iter().position(|it| *it == key);
        let own = place(LetKey(number, false)).map(|at| (at, false));
        own.or_else(|| place(LetKey(number, true)).map(|at| (at, true)))
    }
}

fn bit(number: u32) -> u64 {
    1 << (number % 64)
}

/// Structs nest at most this deep in each other.
const DEPTH_MAX: usize = 32;

impl Shapes {
    pub(super) fn new(program: Arc<Program>) -> Arc<Self> {
        let mut views = Views::new();
        let ids: Vec<ViewId> = program.types.iter().map(|_| views.reserve()).collect();
        for (at, id) in ids.iter().enumerate() {
            views.set(*id, view(&program, &program.types[at].kind), true);
        }
        let mut names = HashMap::new();
        let mut let_types = HashMap::new();
        let mut numbers = 0u32;
        let mut wrong = vec![false; program.written.expressions.len()];
        let plain = [
            ("kind", Name::Kind),
            ("part", Name::Part),
            ("isUpdate", Name::IsUpdate),
            ("key", Name::Key),
            ("index", Name::Index),
            ("self", Name::Own),
            (OLD_SELF, Name::OwnBefore),
            ("parent", Name::Parent),
        ];
        for (name, is) in plain {
            names.insert(Text::from(name), is);
        }
        for rules in &program.written.structs {
            if !rules.name.is_empty() {
                names.insert(rules.name.clone(), Name::Around(rules.ty));
                names.insert(before(&rules.name).into(), Name::AroundBefore(rules.ty));
            }
            let of_fields = rules.fields.iter().flat_map(|it| &it.lets);
            for it in rules.lets.iter().chain(of_fields) {
                // Values of one name have one type; outside of all that name one, a default counts.
                let known = names.get(&it.name).copied();
                let number = match known {
                    Some(Name::Let(_, number)) => number,
                    _ => {
                        numbers += 1;
                        numbers
                    }
                };
                if it.default || known.is_none() {
                    names.insert(it.name.clone(), Name::Let(it.value, number));
                }
                let_types.insert(it.value, OnceLock::new());
                if let Some(slot) = wrong.get_mut(it.value.0 as usize) {
                    *slot |= it.wrong;
                }
            }
            for field in rules.fields.iter().filter(|it| !it.sound.is_empty()) {
                names.insert(field.sound.clone(), Name::Sound(field.ty));
            }
        }
        Arc::new(Shapes { program, views, names, let_types, wrong })
    }

    pub(super) fn name(&self, name: &str) -> Option<Name> {
        self.names.get(name).copied()
    }

    /// By what a named value is found: its number, and whether it only counts where no other does.
    fn key(&self, it: &Let) -> LetKey {
        match self.name(&it.name) {
            Some(Name::Let(_, number)) => LetKey(number, it.default),
            _ => LetKey(u32::MAX, it.default),
        }
    }

    /// The same for all named values of a place.
    pub(super) fn keys(&self, lets: &[Let]) -> LetKeys {
        let keys: Box<[LetKey]> = lets.iter().map(|it| self.key(it)).collect();
        let numbers = keys.iter().fold(0, |all, it| all | bit(it.0));
        LetKeys { keys, numbers }
    }

    /// How values of a type are presented.
    pub(super) fn view(&self, ty: TypeId) -> ViewRef<'_> {
        self.views.at(ViewId(pointee(&self.program, ty).0))
    }

    /// The type of the items or values of a list or map; the type itself otherwise.
    pub(super) fn element(&self, ty: TypeId) -> TypeId {
        match self.program.ty(pointee(&self.program, ty)).kind {
            GoKind::List(of) | GoKind::Map(of) => of,
            _ => ty,
        }
    }

    /// Whether errors show a value of a type as null where it is not given: lists and maps are nil
    /// then, and times are written so.
    pub(super) fn is_nil_able(&self, ty: TypeId) -> bool {
        let kind = &self.program.ty(pointee(&self.program, ty)).kind;
        let is_time = matches!(kind, GoKind::Special(Special::Time | Special::MicroTime));
        is_time || matches!(kind, GoKind::List(_) | GoKind::Map(_))
    }

    /// Whether a type is a string with a name of its own.
    pub(super) fn is_named_text(&self, ty: TypeId) -> bool {
        let ty = self.program.ty(pointee(&self.program, ty));
        ty.kind == GoKind::String && ty.name != "string"
    }

    /// Parses and checks an expression.
    pub(super) fn check(self: &Arc<Self>, id: ExpressionId) -> Result<Checked, String> {
        let expression = &self.program.written.expressions[id.0 as usize];
        let own = self.cel_type(expression.own);
        let provider = Arc::new(Provider(Arc::clone(self)));
        let mut env = Environment::written()
            .env
            .with_provider(provider)
            .with_variable("self", own.clone())
            .with_variable(OLD_SELF, own);
        if let Some(parent) = expression.parent {
            env = env.with_variable("parent", self.cel_type(parent));
        }
        env.compile(&expression.text).map_err(|why| why.to_string())
    }

    /// Expressions that give something else than what is asked of them.
    pub(super) fn wrong_types(self: &Arc<Self>) -> Vec<String> {
        let mut out = Vec::new();
        for rule in all_rules(&self.program.written) {
            let truths = [
                rule.when,
                match rule.test {
                    Test::Expression(id) => Some(id),
                    _ => None,
                },
            ];
            for id in truths.into_iter().flatten() {
                let ty = self.check(id).map(|it| it.result_type().clone());
                if ty.is_ok_and(|ty| ty != TRUTH) {
                    let place = &self.program.written.expressions[id.0 as usize].place;
                    out.push(format!("{place}: the expression gives no truth value"));
                }
            }
        }
        out
    }

    fn cel_type(&self, ty: TypeId) -> Type {
        match &self.program.ty(ty).kind {
            GoKind::Bool => Type::Bool,
            GoKind::Int => Type::Int,
            GoKind::Float => Type::Double,
            GoKind::String | GoKind::Bytes => Type::String,
            GoKind::Special(Special::IntOrString) | GoKind::Any => Type::Dyn,
            GoKind::Special(_) => Type::String,
            GoKind::Pointer(to) => self.cel_type(*to),
            GoKind::List(of) => Type::list(self.cel_type(*of)),
            GoKind::Map(of) => Type::map(Type::String, self.cel_type(*of)),
            GoKind::Struct(_) => Type::Object(format!("go{}", ty.0).into()),
        }
    }

    fn field(&self, object: &str, name: &str) -> Option<TypeId> {
        let ty = TypeId(object.strip_prefix("go")?.parse().ok()?);
        let GoKind::Struct(fields) = &self.program.types.get(ty.0 as usize)?.kind else {
            return None;
        };
        field_type(&self.program, fields, name, 0)
    }

    /// Whether a named value tells whether rules have anything against some structs.
    pub(super) fn is_wrong(&self, id: ExpressionId) -> bool {
        self.wrong.get(id.0 as usize).copied().unwrap_or(false)
    }

    fn let_type(self: &Arc<Self>, id: ExpressionId) -> Type {
        if self.is_wrong(id) {
            return Type::Bool;
        }
        let check = || self.check(id).map_or(Type::Dyn, |it| it.result_type().clone());
        self.let_types.get(&id).map_or(Type::Dyn, |it| it.get_or_init(check).clone())
    }
}

/// `pod` before the write.
pub(super) fn before(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| {
        format!("old{}{}", first.to_ascii_uppercase(), letters.as_str())
    })
}

/// Whether a name is that of something before the write.
pub(super) fn is_before(name: &str, of: &str) -> bool {
    let (Some(rest), Some(first)) = (name.strip_prefix("old"), of.chars().next()) else {
        return false;
    };
    rest.strip_prefix(first.to_ascii_uppercase()) == of.get(first.len_utf8()..)
}

/// All rules of all places.
pub(super) fn all_rules(written: &Written) -> impl Iterator<Item = &Rule> {
    written
        .structs
        .iter()
        .flat_map(|it| it.rules.iter().chain(it.fields.iter().flat_map(|field| &field.rules)))
}

struct Provider(Arc<Shapes>);

impl TypeProvider for Provider {
    fn find_type(&self, name: &str) -> Option<Type> {
        let ty = name.strip_prefix("go")?.parse().ok()?;
        self.0.program.types.get(ty as usize)?;
        Some(self.0.cel_type(TypeId(ty)))
    }

    fn find_field(&self, object: &str, field: &str) -> Option<Type> {
        self.0.field(object, field).map(|ty| self.0.cel_type(ty))
    }

    fn find_variable(&self, name: &str) -> Option<Type> {
        Some(match self.0.name(name)? {
            Name::Around(ty) | Name::AroundBefore(ty) | Name::Sound(ty) => self.0.cel_type(ty),
            Name::Let(id, _) => self.0.let_type(id),
            // Declared with the expression, as far as there are such.
            Name::Own | Name::OwnBefore | Name::Parent => return None,
            Name::Kind | Name::Part | Name::Key => Type::String,
            Name::IsUpdate => Type::Bool,
            Name::Index => Type::Int,
        })
    }
}

fn pointee(program: &Program, ty: TypeId) -> TypeId {
    match program.ty(ty).kind {
        GoKind::Pointer(to) => to,
        _ => ty,
    }
}

fn view(program: &Program, kind: &GoKind) -> View {
    let at = |ty: &TypeId| ViewId(pointee(program, *ty).0);
    match kind {
        GoKind::Bool => View::Bool,
        GoKind::Int => View::Int,
        GoKind::Float => View::Double,
        GoKind::String | GoKind::Bytes => View::Str,
        GoKind::Special(Special::IntOrString) => View::IntOrString,
        GoKind::Special(_) => View::Str,
        GoKind::Any | GoKind::Pointer(_) => View::Dyn,
        GoKind::List(of) => View::List { items: at(of), kind: ListKind::Atomic },
        GoKind::Map(of) => View::Map(at(of)),
        GoKind::Struct(fields) => {
            let mut out = Vec::new();
            flatten(program, fields, &mut out, 0);
            View::Record(out)
        }
    }
}

/// The fields of a struct with those of embedded ones.
fn flatten(program: &Program, fields: &[GoField], out: &mut Vec<Field>, depth: usize) {
    for field in fields {
        let to = pointee(program, field.ty);
        if field.inline {
            if let GoKind::Struct(inner) = &program.ty(to).kind
                && depth < DEPTH_MAX
            {
                flatten(program, inner, out, depth + 1);
            }
            continue;
        }
        out.push(Field {
            name: field.json.clone(),
            key: field.json.clone(),
            view: ViewId(to.0),
            pointer: to != field.ty,
        });
    }
}

fn field_type(program: &Program, fields: &[GoField], name: &str, depth: usize) -> Option<TypeId> {
    fields.iter().find_map(|field| {
        if !field.inline {
            return (field.json == name).then_some(field.ty);
        }
        match &program.ty(pointee(program, field.ty)).kind {
            GoKind::Struct(inner) if depth < DEPTH_MAX => {
                field_type(program, inner, name, depth + 1)
            }
            _ => None,
        }
    })
}
