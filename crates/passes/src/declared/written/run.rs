//! The walk: structs, their fields, and what these hold.

use std::cell::{Cell, RefCell};

use ordain_cel::program::EvalOptions;
use ordain_cel::value::{Error as CelError, Map as CelMap, Result as CelResult, Str, Val, ViewRef};
use ordain_schema::native::TypeId;
use ordain_schema::written::{Below, ExpressionId, FieldRules, Let, Over, Rule, StructRules, Test};
use ordain_value::field::{self, ErrorList, Path};
use ordain_value::{Map, Value};

use super::asked::Asked;
use super::outline::Outline;
use super::shape::Visit;
use super::shapes::{LetKeys, Name, is_before};
use super::subject::{Own, Subject};
use super::{Code, Compiled, Write, WrittenRules};

/// Structs nest at most this deep, which recursive types need.
const DEPTH_MAX: usize = 200;
/// No honest object makes one expression cost so much.
const COST_MAX: u64 = 20_000_000;
/// Nor all expressions together: what is left over keeps a chain of them within the time of a request.
const TOTAL_COST_MAX: u64 = 100_000_000;

/// The name in paths of a field whose errors are those of its struct, and of its items alike.
const SAME_PLACE: &str = ".";

/// What the name in paths of a field begins with whose errors are told beside its struct.
const BESIDE: &str = "^.";

static NO_FIELDS: Map = Map::new();

/// One validation.
pub(super) struct Run<'v> {
    pub(super) set: &'v WrittenRules,
    pub(super) write: Write<'v>,
    /// The structs around the place that have a name or named values, the outermost first.
    around: Vec<Around<'v>>,
    pub(super) errors: ErrorList,
    depth: usize,
    /// What expressions may still cost.
    pub(super) budget: Cell<u64>,
    /// A field around the place says that writes of this part are judged.
    asked: bool,
}

/// A struct around a place.
struct Around<'v> {
    name: &'v str,
    named: &'v [Let],
    keys: &'v LetKeys,
    value: &'v Map,
    old: Option<&'v Map>,
    /// Named values as far as they were asked for, with their places among the lets: of many, few
    /// are.
    lets: RefCell<Vec<(usize, Known<'v>)>>,
    /// Lists without the items that errors were found in.
    sound: Vec<(&'v str, Val<'v>)>,
}

impl<'v> Around<'v> {
    fn new(
        name: &'v str,
        (named, keys): (&'v [Let], &'v LetKeys),
        value: &'v Map,
        old: Option<&'v Map>,
    ) -> Self {
        Around { name, named, keys, value, old, lets: RefCell::default(), sound: Vec::new() }
    }
}

/// A field to look at.
struct Visited<'v> {
    field: &'v FieldRules,
    /// By what its named values are found.
    keys: &'v LetKeys,
    /// Its value, if there is one.
    given: Option<&'v Value>,
    /// What is known of it in an object of its shape.
    visit: Option<&'v Visit>,
    parent: (&'v Map, ViewRef<'v>),
    /// What the struct was before.
    old: Option<&'v Map>,
}

enum Known<'v> {
    /// Being computed: a named value that needs itself.
    Now,
    Is(CelResult<Val<'v>>),
}

/// Walks an object.
pub(super) fn run<'v>(
    set: &'v WrittenRules,
    root: TypeId,
    object: &'v Value,
    write: Write<'v>,
    path: &Path<'_>,
) -> ErrorList {
    let (around, errors) = (Vec::new(), ErrorList::new());
    let budget = Cell::new(TOTAL_COST_MAX);
    let mut run = Run { set, write, around, errors, depth: 0, budget, asked: false };
    let old = write.old.and_then(Value::as_map);
    if let Some(map) = object.as_map() {
        run.structure(root, map, old, path);
    }
    run.errors
}

impl<'v> Run<'v> {
    fn structure(&mut self, ty: TypeId, value: &'v Map, old: Option<&'v Map>, path: &Path<'_>) {
        let Some((rules, outline)) = self.set.rules_of(ty) else { return };
        if self.depth >= DEPTH_MAX {
            let detail = format!("validation nests deeper than {DEPTH_MAX}");
            self.errors.push(field::Error::internal(path, detail));
            return;
        }
        self.depth += 1;
        if outline.named {
            let lets = (rules.lets.as_slice(), &outline.keys);
            self.around.push(Around::new(&rules.name, lets, value, old));
        }
        self.parts(ty, (rules, outline), (value, old), path);
        if outline.named {
            self.around.pop();
        }
        self.depth -= 1;
    }

    /// The rules of a struct and of its fields.
    fn parts(
        &mut self,
        ty: TypeId,
        (rules, outline): (&'v StructRules, &'v Outline),
        (value, old): (&'v Map, Option<&'v Map>),
        path: &Path<'_>,
    ) {
        let own = Subject::of_struct(self.set, ty, value, old);
        let parent = (value, own.view);
        // Only of a new object it is known what is asked of absent fields.
        let is_new = !self.is_update() && self.write.part != "status";
        let shape = is_new.then(|| outline.shape(self.set, rules, value)).flatten();
        if let Some(shape) = shape {
            let mut due = shape.own.iter();
            if due.any(|it| self.ends_due(&rules.rules[it.rule], it.holds, &own, path)) {
                return;
            }
            for visit in &shape.visits {
                let (field, keys) = (&rules.fields[visit.field], &outline.field_keys[visit.field]);
                if visit.passes(field, value) {
                    continue;
                }
                let given = visit.entry.map(|at| &value.entries()[at].1);
                let visit = Some(visit);
                self.field(&Visited { field, keys, given, visit, parent, old }, path);
            }
            return;
        }
        if rules.rules.iter().any(|rule| self.ends(rule, &own, path)) {
            return;
        }
        let mut look = |at: usize| {
            let (field, keys) = (&rules.fields[at], &outline.field_keys[at]);
            let given = value.get(&field.json).filter(|it| !it.is_null());
            self.field(&Visited { field, keys, given, visit: None, parent, old }, path);
        };
        match is_new.then(|| outline.asked(rules, value)).flatten() {
            Some(places) => places.for_each(look),
            None => (0..rules.fields.len()).for_each(&mut look),
        }
    }

    fn field(&mut self, visited: &Visited<'v>, path: &Path<'_>) {
        let Visited { field, keys, parent, old, .. } = *visited;
        let before = self.asked;
        if !field.on.is_empty() {
            if !field.on.iter().any(|it| it == self.write.part) {
                return;
            }
            self.asked = true;
        }
        if !field.lets.is_empty() {
            self.around.push(Around::new("", (&field.lets, keys), parent.0, old));
        }
        let known = self.errors.len();
        self.given_field(visited, path);
        if self.errors.len() > known {
            self.tell_twice(visited, known, path);
        }
        if !field.lets.is_empty() {
            self.around.pop();
        }
        self.asked = before;
    }

    /// Repeats the errors that were found in a field, where it says so.
    fn tell_twice(&mut self, visited: &Visited<'v>, known: usize, path: &Path<'_>) {
        let Some(twice) = visited.field.twice else { return };
        let (map, view) = visited.parent;
        let holder = Subject::of_struct(self.set, TypeId(view.id().0), map, visited.old);
        if self.holds(twice, &holder, path) == Some(true) {
            let found = self.errors.as_slice()[known..].to_vec();
            self.errors.extend(found);
        }
    }

    fn given_field(&mut self, visited: &Visited<'v>, path: &Path<'_>) {
        let Visited { field, given: value, visit, parent, old, .. } = *visited;
        if field.json.is_empty() {
            // An embedded struct shares the object of its parent.
            if let Some(ty) = field.below.ty() {
                self.structure(ty, parent.0, old, path);
            }
            return;
        }
        let before = old.and_then(|it| it.get(&field.json)).filter(|it| !it.is_null());
        let subject = Subject {
            own: value.map_or(Own::Absent, Own::Value),
            old: before.map_or(Own::Absent, Own::Value),
            ty: field.ty,
            view: self.set.shapes.view(field.ty),
            pointer: field.pointer,
            parent: Some(parent),
            key: "",
            index: 0,
        };
        let (above, name) = match field.path.strip_prefix(BESIDE) {
            Some(name) => (path.parent().unwrap_or(path), name),
            None => (path, field.path.as_str()),
        };
        let child = above.child(name);
        let path = if field.path == SAME_PLACE { path } else { &child };
        let ended = match visit {
            Some(visit) => self.ends_visit(visit, field, &subject, path),
            None => field.rules.iter().any(|it| self.ends_own(field, it, &subject, path)),
        };
        if ended {
            return;
        }
        let old = before.and_then(Value::as_map);
        match (value, field.below) {
            (None, Below::Struct(ty)) if !field.pointer => {
                self.structure(ty, &NO_FIELDS, old, path);
            }
            (Some(Value::Map(map)), Below::Struct(ty)) => self.structure(ty, map, old, path),
            (Some(Value::List(_)), _) => self.items(field, subject, path),
            (Some(Value::Map(map)), _) => self.entries(field, map, old, subject, path),
            _ => {}
        }
    }

    /// Runs the rules of a field's own value that are to be asked in an object of a shape.
    fn ends_visit(
        &mut self,
        visit: &'v Visit,
        field: &'v FieldRules,
        subject: &Subject<'v>,
        path: &Path<'_>,
    ) -> bool {
        let set = self.set;
        let asks = match (visit.inner, subject.own) {
            (Some(ty), Own::Value(Value::Map(map))) => set
                .rules_of(ty)
                .and_then(|(rules, outline)| outline.shape(set, rules, map))
                .and_then(|shape| shape.asks(set, field)),
            _ => None,
        };
        visit.own.iter().any(|it| match asks.map(|asks| asks[it.rule]) {
            Some(None) => false,
            Some(Some(holds)) => {
                self.ends_due(&field.rules[it.rule], it.holds || holds, subject, path)
            }
            None => self.ends_due(&field.rules[it.rule], it.holds, subject, path),
        })
    }

    /// Runs a rule of a field's own value, if there is anything to ask.
    fn ends_own(
        &mut self,
        field: &FieldRules,
        rule: &'v Rule,
        subject: &Subject<'v>,
        path: &Path<'_>,
    ) -> bool {
        let about_value = !matches!(
            rule.test,
            Test::Required | Test::Forbidden | Test::Optional | Test::Skip | Test::Immutable
        );
        // Nothing can be said about what a nil pointer points to.
        let is_nil = about_value && field.pointer && subject.is_absent();
        rule.over == Over::Own && !is_nil && self.ends(rule, subject, path)
    }

    fn items(&mut self, field: &'v FieldRules, list: Subject<'v>, path: &Path<'_>) {
        let mut sound = Vec::new();
        for (at, item) in list.items(self.set).enumerate() {
            let item_path = path.index(at);
            let path = if field.path == SAME_PLACE { path } else { &item_path };
            let before = self.errors.len();
            let mut rules = field.rules.iter().filter(|it| it.over == Over::Items);
            let ended = rules.any(|rule| self.ends(rule, &item, path));
            if let (false, Below::Items(ty), Own::Value(Value::Map(map))) =
                (ended, field.below, item.own)
            {
                self.structure(ty, map, None, path);
            }
            if !field.sound.is_empty() && self.errors.len() == before {
                sound.extend(item.val(item.own));
            }
        }
        // A struct with such a list is always around its fields.
        if let (false, Some(around)) = (field.sound.is_empty(), self.around.last_mut()) {
            around.sound.push((&field.sound, Val::list(sound)));
        }
    }

    fn entries(
        &mut self,
        field: &'v FieldRules,
        map: &'v Map,
        old: Option<&'v Map>,
        whole: Subject<'v>,
        path: &Path<'_>,
    ) {
        for (key, value) in map.iter() {
            let path = path.key(key);
            let view = whole.view.property(key).unwrap_or(whole.view);
            let before = old.and_then(|it| it.get(key));
            let old = before.map_or(Own::Absent, Own::Value);
            let absent = Own::Absent;
            let of_key = Subject { own: Own::Key(key), old: absent, pointer: false, key, ..whole };
            let ty = self.set.shapes.element(whole.ty);
            let of_value = Subject { own: Own::Value(value), old, ty, view, ..of_key };
            let mut ended = false;
            for rule in &field.rules {
                ended |= match rule.over {
                    Over::Keys => self.ends(rule, &of_key, &path),
                    Over::Values if !ended => self.ends(rule, &of_value, &path),
                    _ => false,
                };
            }
            if let (false, Below::Values(ty), Value::Map(map)) = (ended, field.below, value) {
                self.structure(ty, map, before.and_then(Value::as_map), &path);
            }
        }
    }

    /// Runs a rule; true when nothing further is to be asked of the place.
    fn ends(&mut self, rule: &'v Rule, subject: &Subject<'v>, path: &Path<'_>) -> bool {
        let is_of_updates = rule.updates || self.set.shapes.program.written.uses_old(rule);
        (self.is_update() || !is_of_updates) && self.ends_due(rule, false, subject, path)
    }

    /// The same for a rule that is no matter of updates alone, whose condition may be known to hold.
    fn ends_due(
        &mut self,
        rule: &'v Rule,
        holds: bool,
        subject: &Subject<'v>,
        path: &Path<'_>,
    ) -> bool {
        let part = self.write.part;
        let asked = if rule.on.is_empty() {
            self.asked || part != "status"
        } else {
            rule.on.iter().any(|it| it == part)
        };
        if !asked {
            return false;
        }
        // Most fields are as they should be: then the condition need not be asked, nor compiled.
        match rule.test {
            Test::Forbidden if !subject.is_set() => return false,
            Test::Required if subject.is_set() => return false,
            _ => {}
        }
        let is_asked = holds || matches!(rule.test, Test::Unique { .. });
        if let (Some(when), false) = (rule.when, is_asked) {
            match self.holds(when, subject, path) {
                Some(true) => {}
                Some(false) => return false,
                None => return true,
            }
        }
        match &rule.test {
            Test::Skip => true,
            Test::Optional => !subject.is_set(),
            _ => self.test(rule, subject, path) && rule.ends,
        }
    }

    /// Whether an expression is true. One that cannot be computed is an error of its own.
    pub(super) fn holds(
        &mut self,
        id: ExpressionId,
        subject: &Subject<'v>,
        path: &Path<'_>,
    ) -> Option<bool> {
        if let Some(compiled) = self.set.compiled(id)
            && let Some((holds, cost)) = self.answer(compiled, subject)
        {
            self.budget.set(self.budget.get().saturating_sub(cost));
            return Some(holds);
        }
        match self.eval(id, subject) {
            Ok(Val::Bool(it)) => Some(it),
            Ok(_) => self.broken(id, "the expression gives no truth value", path),
            Err(why) => self.broken(id, why.message(), path),
        }
    }

    /// The answer of an expression that asks only what can be told without an evaluation, and what
    /// that costs.
    fn answer(&self, compiled: &'v Compiled, subject: &Subject<'v>) -> Option<(bool, u64)> {
        let limit = COST_MAX.min(self.budget.get());
        if let Some(worded) = compiled.worded.as_ref().filter(|it| it.cost <= limit) {
            return Some((worded.holds(subject.own)?, worded.cost));
        }
        let program = compiled.program.as_ref().ok()?;
        program.answer_asking(|at, name| self.variable(compiled, at, name, subject), limit)
    }

    /// A variable of an expression, by its place.
    fn variable(
        &self,
        compiled: &Compiled,
        at: usize,
        name: &str,
        subject: &Subject<'v>,
    ) -> Option<CelResult<Val<'v>>> {
        let is = compiled.variables.get(at).copied().flatten()?;
        self.read(is, name, subject)
    }

    pub(super) fn broken<T>(&mut self, id: ExpressionId, why: &str, path: &Path<'_>) -> Option<T> {
        let expression = &self.set.shapes.program.written.expressions[id.0 as usize];
        let detail = format!("rule at {}: {why}", expression.place);
        self.errors.push(field::Error::internal(path, detail));
        None
    }

    pub(super) fn eval(&self, id: ExpressionId, subject: &Subject<'v>) -> CelResult<Val<'v>> {
        let Some(compiled) = self.set.compiled(id) else {
            return Err(CelError::new("there is no such expression"));
        };
        let program = compiled.program.as_ref().map_err(|why| CelError::new(why.clone()))?;
        let cost_limit = Some(COST_MAX.min(self.budget.get()));
        let options = EvalOptions { cost_limit, ..EvalOptions::default() };
        let find = |at: usize, name: &str| self.variable(compiled, at, name, subject);
        let outcome = program.eval_asking(find, options);
        self.budget.set(self.budget.get().saturating_sub(outcome.cost));
        outcome.value
    }

    pub(super) fn is_update(&self) -> bool {
        self.write.old.is_some()
    }

    pub(super) fn code(&self, name: &str) -> Option<Code> {
        (self.set.code)(name)
    }

    pub(super) fn asked<'r>(&'r self, subject: Subject<'v>) -> Asked<'r, 'v> {
        Asked { run: self, subject }
    }

    pub(super) fn lookup(&self, name: &str, subject: &Subject<'v>) -> Option<CelResult<Val<'v>>> {
        self.read(self.set.shapes.name(name)?, name, subject)
    }

    /// What a variable stands for, and its name.
    fn read(&self, is: Name, name: &str, subject: &Subject<'v>) -> Option<CelResult<Val<'v>>> {
        Some(match is {
            Name::Own => subject.val(subject.own),
            Name::OwnBefore => subject.val(subject.old),
            Name::Parent => {
                let (map, ty) = subject.parent?;
                Ok(Val::Map(CelMap::View { map, ty }))
            }
            Name::Kind => Ok(Val::Str(Str::Ref(self.write.kind))),
            Name::Part => Ok(Val::Str(Str::Ref(self.write.part))),
            Name::IsUpdate => Ok(Val::Bool(self.is_update())),
            Name::Index => Ok(Val::Int(i64::try_from(subject.index).unwrap_or(i64::MAX))),
            Name::Key => Ok(Val::Str(Str::Ref(subject.key))),
            Name::Around(ty) => Ok(self.around(name, ty)),
            Name::AroundBefore(ty) => Ok(self.around_before(name, ty)),
            Name::Let(id, number) => self.named(number, id),
            Name::Sound(ty) => Ok(self.sound(name, ty)),
        })
    }

    /// A struct around the place. Where none has the name, it reads as one with nothing in it.
    fn around(&self, name: &str, ty: TypeId) -> Val<'v> {
        let ty = self.set.shapes.view(ty);
        let found = self.around.iter().rfind(|it| it.name == name);
        let map = found.map_or(&NO_FIELDS, |it| it.value);
        Val::Map(CelMap::View { map, ty })
    }

    fn around_before(&self, name: &str, ty: TypeId) -> Val<'v> {
        let ty = self.set.shapes.view(ty);
        let found = self.around.iter().rfind(|it| is_before(name, it.name));
        let map = found.and_then(|it| it.old).unwrap_or(&NO_FIELDS);
        Val::Map(CelMap::View { map, ty })
    }

    fn sound(&self, name: &str, ty: TypeId) -> Val<'v> {
        let known = self.around.iter().rev().flat_map(|it| &it.sound);
        let mut known = known.filter(|it| it.0 == name);
        known.next().map_or_else(|| self.set.shapes.view(ty).zero(), |it| it.1.clone())
    }

    /// A named value, computed for the struct that names it. Outside of such structs it is computed
    /// for one with nothing in it.
    fn named(&self, number: u32, otherwise: ExpressionId) -> CelResult<Val<'v>> {
        let own_or_default = self.find_named(number);
        let own = |id: ExpressionId| self.set.shapes.program.written.expressions[id.0 as usize].own;
        let Some((around, at)) = own_or_default else {
            let nothing = Subject::of_struct(self.set, own(otherwise), &NO_FIELDS, None);
            return self.let_value(otherwise, &nothing);
        };
        let id = around.named[at].value;
        match around.lets.borrow().iter().find(|it| it.0 == at) {
            Some((_, Known::Is(value))) => return value.clone(),
            Some((_, Known::Now)) => return Err(CelError::new("a named value needs itself")),
            None => {}
        }
        let known = |is: Known<'v>| {
            let mut lets = around.lets.borrow_mut();
            match lets.iter_mut().find(|it| it.0 == at) {
                Some(slot) => slot.1 = is,
                None => lets.push((at, is)),
            }
        };
        known(Known::Now);
        let subject = Subject::of_struct(self.set, own(id), around.value, around.old);
        let value = self.let_value(id, &subject);
        known(Known::Is(value.clone()));
        value
    }
}

impl<'v> Run<'v> {
    /// The innermost place around that names a value so, and the value's place among its own; one
    /// that only names a default counts where no other does.
    fn find_named(&self, number: u32) -> Option<(&Around<'v>, usize)> {
        let mut default = None;
        for around in self.around.iter().rev() {
            match around.keys.find(number) {
                Some((at, false)) => return Some((around, at)),
                Some((at, true)) => default = default.or(Some((around, at))),
                None => {}
            }
        }
        default
    }

    fn let_value(&self, id: ExpressionId, subject: &Subject<'v>) -> CelResult<Val<'v>> {
        let value = self.eval(id, subject)?;
        if !self.set.shapes.is_wrong(id) {
            return Ok(value);
        }
        let Val::List(list) = value else {
            return Err(CelError::new("the expression gives no list"));
        };
        for item in list.iter() {
            let Val::Map(CelMap::View { map, ty }) = item? else {
                return Err(CelError::new("the expression gives no list of structs"));
            };
            if self.is_wrong(TypeId(ty.id().0), map) {
                return Ok(Val::Bool(true));
            }
        }
        Ok(Val::Bool(false))
    }

    /// Whether rules have anything against a struct that stands alone and is new.
    fn is_wrong(&self, ty: TypeId, map: &'v Map) -> bool {
        let write = Write { old: None, ..self.write };
        let (around, errors, depth) = (Vec::new(), ErrorList::new(), self.depth);
        let budget = self.budget.clone();
        let mut run =
            Run { set: self.set, write, around, errors, depth, budget, asked: self.asked };
        run.structure(ty, map, None, &Path::root());
        self.budget.set(run.budget.get());
        !run.errors.is_empty()
    }
}
