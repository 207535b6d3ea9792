//! Types that state their own schema in methods. The methods are read, not run: what they return
//! has to be written as a literal.

mod literal;

use ordain_idl::Diagnostic;
use ordain_idl::go::ast::{DeclKind, Expr, ImportSpec};
use ordain_idl::go::parse_expression;
use ordain_idl::graph::{Method, NamedId, SourceFile, Type, TypeId};
use ordain_value::{Map, Text, Value};

use super::limits::Limits;
use super::tags::Lines;
use super::{Generator, Outcome, description};
use crate::insert_text;

const COMMON: &str = "k8s.io/kube-openapi/pkg/common";
const V2_SCHEMA: &str = "x-kubernetes-v2-schema";

/// A method that a type states its schema with, and what it has to return.
const TYPES: &str = "OpenAPISchemaType";
const FORMAT: &str = "OpenAPISchemaFormat";
const ONE_OF: &str = "OpenAPIV3OneOfTypes";
const DEFINITION: &str = "OpenAPIDefinition";
const V3_DEFINITION: &str = "OpenAPIV3Definition";

impl<'u> Generator<'u> {
    /// Whether a type, or what it points to, states its schema; limits on it are not checked.
    pub(super) fn states_itself(&self, ty: TypeId) -> bool {
        let mut ty = self.universe.unalias(ty);
        // INVARIANT: a pointer type is finite; names end the walk.
        while let Type::Pointer(inner) = self.universe.ty(ty) {
            ty = self.universe.unalias(*inner);
        }
        let Some(id) = self.universe.as_named(ty) else { return false };
        let has = |name| self.stating(id, name).is_some();
        has(DEFINITION) || (has(TYPES) && has(FORMAT)) || has(V3_DEFINITION) || has(ONE_OF)
    }

    /// The schema a type states for itself, if it does.
    pub(super) fn stated_schema(
        &mut self,
        id: NamedId,
        lines: &Lines<'u>,
        limits: &Limits,
    ) -> Outcome<Option<Map>> {
        let has = |name| self.stating(id, name).is_some();
        let simple = has(TYPES) && has(FORMAT);
        let (v2, v3, one_of) = (has(DEFINITION), has(V3_DEFINITION), has(ONE_OF));
        if v2 || (v3 && !simple) {
            let older = if v2 { Some(self.stated_definition(id, DEFINITION)?) } else { None };
            let newer = if v3 { Some(self.stated_definition(id, V3_DEFINITION)?) } else { None };
            return Ok(match (newer, older) {
                (Some(newer), Some(older)) => Some(embed(newer, older)),
                (newer, older) => newer.or(older),
            });
        }
        if !simple {
            if one_of {
                let named = self.universe.named(id);
                let message = format!(
                    "type \"{}\" has v3 one of types but not v2 type or format",
                    self.universe.qualified(id)
                );
                let help = format!("add the methods {TYPES} and {FORMAT}");
                return Err(Diagnostic::error("openapi", named.pos, message).help(help));
            }
            return Ok(None);
        }
        let types = self.stated_texts(id, TYPES)?;
        let format = self.stated_text(id, FORMAT)?.unwrap_or_default();
        let mut base = Map::new();
        insert_text(&mut base, "description", &description::of(lines.texts()));
        insert_text(&mut base, "format", &format);
        limits.write(&mut base);
        self.struct_extensions(id, lines, limits, &mut base)?;
        let mut older = base.clone();
        match types.as_slice() {
            [] => {}
            [only] => drop(older.insert("type", Value::from(only.as_str()))),
            many => drop(older.insert("type", crate::texts(many.iter().map(String::as_str)))),
        }
        if v3 {
            return Ok(Some(embed(self.stated_definition(id, V3_DEFINITION)?, older)));
        }
        if one_of {
            let of = |ty: &String| {
                Value::Map(Map::from_entries(vec![(
                    Text::new_static("type"),
                    Value::from(ty.as_str()),
                )]))
            };
            let types = self.stated_texts(id, ONE_OF)?;
            base.insert("oneOf", Value::from(types.iter().map(of).collect::<Vec<_>>()));
            return Ok(Some(embed(base, older)));
        }
        Ok(Some(older))
    }

    /// The text that a method returns, when there is such a method.
    pub(super) fn stated_text(&self, id: NamedId, name: &'static str) -> Outcome<Option<String>> {
        let Some(method) = self.stating(id, name) else { return Ok(None) };
        match self.returned(id, method, name, |reader, expr| reader.value(expr))? {
            Value::Str(text) => Ok(Some(text.to_string())),
            _ => Err(unread(method, name)),
        }
    }

    fn stated_texts(&self, id: NamedId, name: &'static str) -> Outcome<Vec<String>> {
        let Some(method) = self.stating(id, name) else { return Ok(Vec::new()) };
        match self.returned(id, method, name, |reader, expr| reader.value(expr))? {
            Value::Null => Ok(Vec::new()),
            Value::List(list) => {
                Ok(list.iter().filter_map(Value::as_str).map(str::to_string).collect())
            }
            _ => Err(unread(method, name)),
        }
    }

    fn stated_definition(&self, id: NamedId, name: &'static str) -> Outcome<Map> {
        let Some(method) = self.stating(id, name) else { return Ok(Map::new()) };
        self.returned(id, method, name, |reader, expr| reader.definition(expr))
    }

    /// A method without parameters that returns what its name promises.
    fn stating(&self, id: NamedId, name: &str) -> Option<&'u Method> {
        let method = self.universe.method(id, name)?;
        let file = self.universe.file(method.pos.file);
        let signature = file.slice(method.signature).trim();
        let parameters = signature.strip_prefix('(')?;
        let (inside, result) = parameters.split_once(')')?;
        let result = result.trim().trim_start_matches('(').trim_end_matches(')').trim();
        let right = match name {
            TYPES | ONE_OF => result == "[]string",
            DEFINITION | V3_DEFINITION => {
                let qualifier = result.strip_suffix(".OpenAPIDefinition").unwrap_or("");
                imported(file, qualifier) == Some(COMMON)
            }
            _ => result == "string",
        };
        (inside.trim().is_empty() && right).then_some(method)
    }

    /// What a method returns, read from its only statement.
    fn returned<T>(
        &self,
        id: NamedId,
        method: &Method,
        name: &'static str,
        read: fn(&literal::Reader<'_>, &Expr) -> Option<T>,
    ) -> Outcome<T> {
        let file = self.universe.file(method.pos.file);
        let body = method.body.map_or("", |span| file.slice(span));
        let text = returned_text(body).ok_or_else(|| unread(method, name))?;
        let expr = parse_expression(text).map_err(|_| unread(method, name))?;
        let reader = literal::Reader::new(self.universe, self.universe.package_of(id), file, text);
        read(&reader, &expr).ok_or_else(|| unread(method, name))
    }
}

/// The path that a qualifier stands for in a file.
pub(super) fn imported<'f>(file: &'f SourceFile, qualifier: &str) -> Option<&'f str> {
    let specs = file.parsed.ast.decls.iter().filter_map(|decl| match &decl.kind {
        DeclKind::Import(specs) => Some(specs.iter()),
        _ => None,
    });
    let named = |spec: &&ImportSpec| match &spec.alias {
        Some(alias) => alias.name == qualifier,
        None => spec.path.rsplit('/').next() == Some(qualifier),
    };
    specs.flatten().find(named).map(|spec| spec.path.as_str())
}

/// The expression behind `return` in a body that has no other statement.
fn returned_text(body: &str) -> Option<&str> {
    let mut rest = body.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    loop {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/")?.1.trim_start();
        } else {
            return rest.strip_prefix("return").map(str::trim_start);
        }
    }
}

fn unread(method: &Method, name: &str) -> Diagnostic {
    let message = format!("what {name} returns is not known without running it");
    Diagnostic::error("openapi", method.pos, message)
        .help("return a literal, in a single statement")
}

fn embed(mut newer: Map, older: Map) -> Map {
    newer.insert(V2_SCHEMA, Value::Map(older));
    newer
}
