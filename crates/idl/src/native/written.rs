//! `+rule:` tags as rules: what they say of each struct and field that kinds reach.

use ordain_cel::ast::Expr;
use ordain_cel::source::Source;
use ordain_cel::syntax::{self, ParseOptions};
use ordain_schema::native::{GoField, GoKind, GoType, TypeId as ShapeId};
use ordain_schema::written::{
    Below, Expression, ExpressionId, FieldRules, Let, Over, Reason, Rule, StructRules, Test,
    format_names,
};
use ordain_value::Text;

use super::lower::Lowering;
use super::rule_tag::{self, RuleTag};
use crate::diagnostic::Diagnostic;
use crate::graph::{Docs, NamedId, Package, Type, TypeId, Universe};

/// What rules of one place see.
#[derive(Clone, Copy)]
struct Seen {
    own: ShapeId,
    parent: Option<ShapeId>,
}

/// What the tags of a struct or field say besides rules.
#[derive(Default)]
struct Said {
    name: Text,
    path: Text,
    sound: Text,
    on: Vec<Text>,
    twice: Option<ExpressionId>,
    /// Of a type: its rules only hold where a field asks for them.
    shared: bool,
    /// Of a field: its type's rules hold here.
    valid: bool,
    lets: Vec<Let>,
    rules: Vec<Rule>,
}

impl Lowering<'_> {
    /// Reads the rules of all that these kinds reach.
    pub(super) fn written(&mut self, kinds: &[(Text, NamedId)]) {
        let universe = self.universe;
        let mut roots = Vec::new();
        for (name, id) in kinds {
            roots.push((name.clone(), self.shape(universe.type_of(*id))));
        }
        let is_struct =
            |it: ShapeId| matches!(self.program.types[it.0 as usize].kind, GoKind::Struct(_));
        let mut structs: Vec<(ShapeId, TypeId)> =
            self.shapes.iter().map(|(ty, shape)| (*shape, *ty)).collect();
        structs.retain(|it| is_struct(it.0));
        structs.sort();
        let mut found: Vec<StructRules> =
            structs.into_iter().map(|(shape, ty)| self.struct_rules(shape, ty)).collect();
        prune(&mut found);
        roots.retain(|it| found.iter().any(|rules| rules.ty == it.1));
        roots.sort();
        self.program.written.roots = roots;
        self.program.written.structs = found;
    }

    fn struct_rules(&mut self, shape: ShapeId, ty: TypeId) -> StructRules {
        let universe = self.universe;
        let mut said = Said::default();
        if let Some(named) = universe.as_named(ty) {
            let docs = universe.named(named).docs;
            self.say(&docs, "", Seen { own: shape, parent: None }, &mut said);
        }
        let GoKind::Struct(fields) = self.program.types[shape.0 as usize].kind.clone() else {
            return empty(shape);
        };
        let mut out = Vec::new();
        for field in &fields {
            let declared = universe.fields(ty).iter().find(|it| it.name == field.go);
            let Some((docs, declared)) = declared.map(|it| (it.docs, it.ty)) else { continue };
            out.push(self.field_rules(shape, field, &docs, declared));
        }
        StructRules { ty: shape, name: said.name, lets: said.lets, rules: said.rules, fields: out }
    }

    fn field_rules(
        &mut self,
        parent: ShapeId,
        field: &GoField,
        docs: &Docs,
        declared: TypeId,
    ) -> FieldRules {
        let universe = self.universe;
        let own = self.pointee(field.ty);
        let holder = Seen { own: parent, parent: None };
        let parent = Some(parent);
        let mut said = Said::default();
        self.say(docs, "", Seen { own, parent }, &mut said);
        for id in said.lets.iter().map(|it| it.value).chain(said.twice) {
            // What a field names is computed from the struct that has it.
            let expression = &mut self.program.written.expressions[id.0 as usize];
            (expression.own, expression.parent) = (holder.own, None);
        }
        // Rules of a named type that is no struct hold wherever it is used.
        let base = universe.deref(declared);
        self.named_rules(base, "", Seen { own, parent }, &mut said);
        let inner = match universe.ty(universe.underlying(base)) {
            Type::Slice(of) => Some((*of, "each")),
            Type::Map(_, of) => Some((*of, "values")),
            _ => None,
        };
        if let Some((of, over)) = inner {
            let item = self.element(own);
            self.named_rules(universe.deref(of), over, Seen { own: item, parent }, &mut said);
        }
        let path = if said.path.is_empty() { field.json.clone() } else { said.path };
        FieldRules {
            json: if field.inline { Text::default() } else { field.json.clone() },
            path,
            ty: field.ty,
            pointer: matches!(self.program.ty(field.ty).kind, GoKind::Pointer(_)),
            rules: said.rules,
            on: said.on,
            lets: said.lets,
            sound: said.sound,
            twice: said.twice,
            below: self.below(own).filter(|ty| said.valid || !self.is_shared(ty)),
        }
    }

    fn named_rules(&mut self, ty: TypeId, over: &str, seen: Seen, said: &mut Said) {
        let universe = self.universe;
        let Some(named) = universe.as_named(ty).filter(|_| universe.as_struct(ty).is_none()) else {
            return;
        };
        let docs = universe.named(named).docs;
        self.say(&docs, over, seen, said);
    }

    /// Reads the tags of a comment.
    fn say(&mut self, docs: &Docs, over: &str, seen: Seen, said: &mut Said) {
        for tag in rule_tag::read(self.universe, docs) {
            let (pos, outcome) = match tag {
                Ok(mut tag) => {
                    if tag.over.is_empty() {
                        tag.over = over.to_owned();
                    }
                    (tag.pos, self.tag(&tag, seen, said))
                }
                Err((pos, why)) => (pos, Err(why)),
            };
            if let Err(why) = outcome {
                let help = "docs/rules.md has every tag with an example";
                self.diagnostics.push(Diagnostic::error("rule-tag", pos, why).help(help));
            }
        }
    }

    fn tag(&mut self, tag: &RuleTag, seen: Seen, said: &mut Said) -> Result<(), String> {
        let value = Text::from(tag.value.as_str());
        let named =
            tag.name.split_once(':').filter(|it| matches!(it.0, "let" | "default" | "wrong"));
        if let Some((how, name)) = named {
            let value = self.expression(&tag.value, seen, tag);
            let (default, wrong) = (how == "default", how == "wrong");
            said.lets.push(Let { name: name.into(), value, default, wrong });
            return Ok(());
        }
        match tag.name.as_str() {
            "as" => said.name = value,
            "path" => said.path = value,
            "sound" => said.sound = value,
            "on" => said.on = value.split(';').map(Text::from).collect(),
            "twice" => said.twice = Some(self.expression(&tag.value, seen, tag)),
            "shared" => said.shared = true,
            "valid" => said.valid = true,
            _ => {
                let rule = self.rule(tag, seen)?;
                said.rules.push(rule);
            }
        }
        Ok(())
    }

    fn rule(&mut self, tag: &RuleTag, seen: Seen) -> Result<Rule, String> {
        let over = match tag.over.as_str() {
            "each" => Over::Items,
            "keys" => Over::Keys,
            "values" => Over::Values,
            _ => Over::Own,
        };
        // What items and keys are told apart by, and what is asked of each, sees one of them.
        let seen = match (over, tag.name.as_str()) {
            (Over::Items | Over::Values, _) | (Over::Own, "unique") => {
                Seen { own: self.element(seen.own), ..seen }
            }
            (Over::Keys, _) => Seen { own: self.string(), ..seen },
            (Over::Own, _) => seen,
        };
        let test = self.test(tag, seen)?;
        let mut rule = Rule {
            over,
            on: Vec::new(),
            updates: false,
            when: None,
            ends: matches!(test, Test::Required | Test::Forbidden | Test::OneOf(_)),
            test,
            reason: None,
            message: Text::default(),
            message_expression: None,
            value: None,
            valueless: false,
            at: Text::default(),
        };
        for (key, text) in &tag.args {
            match key.as_str() {
                "on" => rule.on = text.split(';').map(Text::from).collect(),
                "when" => rule.when = Some(self.expression(text, seen, tag)),
                "message" => rule.message = text.as_str().into(),
                "messageExpression" => {
                    rule.message_expression = Some(self.expression(text, seen, tag));
                }
                "value" => rule.value = Some(self.expression(text, seen, tag)),
                "at" => rule.at = text.as_str().into(),
                "valueless" => rule.valueless = true,
                "updates" => rule.updates = true,
                "ends" => rule.ends = true,
                "continues" => rule.ends = false,
                "reason" => {
                    let reason = Reason::from_name(text);
                    rule.reason = Some(reason.ok_or_else(|| {
                        let names = Reason::ALL.map(|it| it.0).join(", ");
                        format!("reason `{text}` is none of {names}")
                    })?);
                }
                "among" => match &mut rule.test {
                    Test::Unique { among, .. } => {
                        *among = Some(self.expression(text, seen, tag));
                    }
                    _ => return Err("only `unique` has `among`".into()),
                },
                other => return Err(format!("a rule has no `{other}`")),
            }
        }
        Ok(rule)
    }

    fn test(&mut self, tag: &RuleTag, seen: Seen) -> Result<Test, String> {
        let number = || {
            let parsed = tag.value.parse::<i64>();
            parsed.map_err(|_| format!("`{}` needs a whole number", tag.name))
        };
        Ok(match tag.name.as_str() {
            "required" => Test::Required,
            "forbidden" => Test::Forbidden,
            "optional" => Test::Optional,
            "skip" => Test::Skip,
            "immutable" => Test::Immutable,
            "minimum" => Test::Minimum(number()?),
            "maximum" => Test::Maximum(number()?),
            "maxBytes" => Test::MaxBytes(number()?),
            "minItems" => Test::MinItems(number()?),
            "maxItems" => Test::MaxItems(number()?),
            "range" => {
                let ends = tag.value.split_once("..");
                let ends = ends.and_then(|it| Some((it.0.parse().ok()?, it.1.parse().ok()?)));
                let (least, most) = ends.ok_or("`range` needs two whole numbers, as in 1..10")?;
                Test::Range(least, most)
            }
            "oneOf" if !tag.value.is_empty() => {
                Test::OneOf(tag.value.split(';').map(Text::from).collect())
            }
            "format" if format_names().contains(&tag.value.as_str()) => {
                Test::Format(tag.value.as_str().into())
            }
            "format" => {
                let message =
                    format!("format `{}` is none of {}", tag.value, format_names().join(", "));
                return Err(message);
            }
            "cel" => Test::Expression(self.expression(&tag.value, seen, tag)),
            "unique" => Test::Unique { key: self.expression(&tag.value, seen, tag), among: None },
            "code" if !tag.value.is_empty() => Test::Code(tag.value.as_str().into()),
            other => return Err(format!("there is no rule `{other}`, or it needs a value")),
        })
    }

    fn expression(&mut self, text: &str, seen: Seen, tag: &RuleTag) -> ExpressionId {
        let place = self.universe.position(tag.pos).to_string();
        let expressions = &mut self.program.written.expressions;
        let id = ExpressionId(u32::try_from(expressions.len()).unwrap_or(u32::MAX));
        expressions.push(Expression {
            text: text.into(),
            own: seen.own,
            parent: seen.parent,
            place: place.into(),
            uses_old: reads_old(text),
        });
        id
    }

    fn pointee(&self, ty: ShapeId) -> ShapeId {
        match self.program.ty(ty).kind {
            GoKind::Pointer(to) => to,
            _ => ty,
        }
    }

    /// The type of the items or values of a list or map; the type itself otherwise.
    fn element(&self, ty: ShapeId) -> ShapeId {
        match self.program.ty(ty).kind {
            GoKind::List(of) | GoKind::Map(of) => self.pointee(of),
            _ => ty,
        }
    }

    fn below(&self, own: ShapeId) -> Below {
        let is_struct = |ty: ShapeId| matches!(self.program.ty(ty).kind, GoKind::Struct(_));
        let item = self.element(own);
        match self.program.ty(own).kind {
            GoKind::Struct(_) => Below::Struct(own),
            GoKind::List(_) if is_struct(item) => Below::Items(item),
            GoKind::Map(_) if is_struct(item) => Below::Values(item),
            _ => Below::Nothing,
        }
    }

    /// Whether the rules of a type only hold where a field asks for them.
    fn is_shared(&self, shape: ShapeId) -> bool {
        let ty = self.shapes.iter().find(|it| *it.1 == shape).map(|it| *it.0);
        let Some(named) = ty.and_then(|it| self.universe.as_named(it)) else { return false };
        let tags = rule_tag::read(self.universe, &self.universe.named(named).docs);
        tags.iter().flatten().any(|it| it.name == "shared")
    }

    /// A type for the keys of maps.
    fn string(&mut self) -> ShapeId {
        let types = &mut self.program.types;
        let known = types.iter().position(|it| it.kind == GoKind::String);
        let at = known.unwrap_or_else(|| {
            types.push(GoType { name: "string".into(), kind: GoKind::String });
            types.len() - 1
        });
        ShapeId(u32::try_from(at).unwrap_or(u32::MAX))
    }
}

fn empty(ty: ShapeId) -> StructRules {
    let (lets, rules, fields) = (Vec::new(), Vec::new(), Vec::new());
    StructRules { ty, name: Text::default(), lets, rules, fields }
}

/// Leaves out what has no rule and leads to none.
fn prune(structs: &mut Vec<StructRules>) {
    let own = |it: &StructRules| {
        !it.rules.is_empty() || it.fields.iter().any(|field| !field.rules.is_empty())
    };
    let mut reached: Vec<ShapeId> = structs.iter().filter(|it| own(it)).map(|it| it.ty).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for it in structs.iter() {
            let leads =
                |field: &FieldRules| field.below.ty().is_some_and(|ty| reached.contains(&ty));
            if !reached.contains(&it.ty) && it.fields.iter().any(leads) {
                reached.push(it.ty);
                changed = true;
            }
        }
    }
    structs.retain(|it| reached.contains(&it.ty));
    for it in structs {
        for field in &mut it.fields {
            if field.below.ty().is_some_and(|ty| !reached.contains(&ty)) {
                field.below = Below::Nothing;
            }
        }
        it.fields.retain(|it| !it.rules.is_empty() || it.below != Below::Nothing);
    }
}

/// Types of other projects have no such rules: nothing would hold them.
pub(crate) fn refuse_rules(universe: &Universe, package: &Package) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for id in package.types.values() {
        let named = universe.named(*id);
        let fields = universe.fields(universe.type_of(*id)).iter().map(|it| it.docs);
        for docs in std::iter::once(named.docs).chain(fields) {
            for tag in rule_tag::read(universe, &docs) {
                let (pos, name) = match tag {
                    Ok(tag) => (tag.pos, tag.name),
                    Err((pos, _)) => (pos, String::new()),
                };
                let message = format!(
                    "tag `+{}{name}` is for the kinds of Kubernetes itself",
                    rule_tag::PREFIX
                );
                let help = "write a `+k8s:` tag or `+validationRule`";
                out.push(Diagnostic::error("rule-tag", pos, message).help(help));
            }
        }
    }
    out
}

/// Whether an expression reads the value before the write. One that does not parse is refused where
/// it is compiled.
fn reads_old(text: &str) -> bool {
    let options =
        ParseOptions { optional_syntax: true, escaped_identifiers: true, ..Default::default() };
    let (ast, _) = syntax::parse(&Source::new(text), &options);
    let mut open = vec![ast.root()];
    while let Some(id) = open.pop() {
        if matches!(ast.expr(id), Expr::Ident(name) if name == "oldSelf") {
            return true;
        }
        ast.for_each_child(id, |child| open.push(child));
    }
    false
}
