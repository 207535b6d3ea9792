//! Go literals of strings, lists and `spec.Schema`s as JSON.

use ordain_idl::Universe;
use ordain_idl::go::ast::{Expr, ExprKind, TypeExpr, TypeExprKind};
use ordain_idl::go::literal;
use ordain_idl::go::token::Kind;
use ordain_idl::graph::{ConstValue, Package, SourceFile};
use ordain_value::{List, Map, Text, Value};

/// Reads the expressions of one method.
pub(super) struct Reader<'a> {
    universe: &'a Universe,
    package: &'a Package,
    file: &'a SourceFile,
    /// The text that the spans of expressions are of.
    text: &'a str,
}

/// Fields of `spec.SchemaProps` that hold texts, numbers, flags and lists of them, with their keys.
const PLAIN: &[(&str, &str)] = &[
    ("ID", "id"),
    ("Schema", "$schema"),
    ("Description", "description"),
    ("Type", "type"),
    ("Nullable", "nullable"),
    ("Format", "format"),
    ("Title", "title"),
    ("Default", "default"),
    ("Maximum", "maximum"),
    ("ExclusiveMaximum", "exclusiveMaximum"),
    ("Minimum", "minimum"),
    ("ExclusiveMinimum", "exclusiveMinimum"),
    ("MaxLength", "maxLength"),
    ("MinLength", "minLength"),
    ("Pattern", "pattern"),
    ("MaxItems", "maxItems"),
    ("MinItems", "minItems"),
    ("UniqueItems", "uniqueItems"),
    ("MultipleOf", "multipleOf"),
    ("Enum", "enum"),
    ("MaxProperties", "maxProperties"),
    ("MinProperties", "minProperties"),
    ("Required", "required"),
    ("Discriminator", "discriminator"),
    ("ReadOnly", "readOnly"),
    ("Example", "example"),
];

impl<'a> Reader<'a> {
    pub(super) fn new(
        universe: &'a Universe,
        package: &'a Package,
        file: &'a SourceFile,
        text: &'a str,
    ) -> Self {
        Self { universe, package, file, text }
    }

    /// A text, number, flag, nil, or a list or map of such. Nesting is bounded by the parser.
    pub(super) fn value(&self, expr: &Expr) -> Option<Value> {
        match &expr.kind {
            ExprKind::Literal(Kind::Str | Kind::RawStr, text) => {
                literal::unquote(text).map(Value::from)
            }
            ExprKind::Literal(Kind::Int | Kind::Float, text) => {
                text.replace('_', "").parse::<f64>().ok().map(crate::number)
            }
            ExprKind::Unary(Kind::Sub, inner) => match self.value(inner)? {
                Value::Int(int) => int.checked_neg().map(Value::Int),
                Value::Float(float) => Some(Value::Float(-float)),
                _ => None,
            },
            ExprKind::Unary(Kind::And | Kind::Mul, inner) => self.value(inner),
            ExprKind::Name(name) => match name.name.as_str() {
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                "nil" => Some(Value::Null),
                name => self.constant(self.package, name),
            },
            ExprKind::Select(left, name) => {
                let ExprKind::Name(qualifier) = &left.kind else { return None };
                let path = super::imported(self.file, &qualifier.name)?;
                self.constant(self.universe.package_by_path(path)?, &name.name)
            }
            ExprKind::Composite(ty, elements) => self.composite(ty.as_deref(), elements),
            // `ptr.To(1)`, `ptr.To[float64](1)` and conversions such as `float64(1)`.
            ExprKind::Call(callee, args) => match args.as_slice() {
                [only] if self.is_wrapper(callee) => self.value(only),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_wrapper(&self, callee: &Expr) -> bool {
        let span = callee.span;
        let name = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        let name = name.split('[').next().unwrap_or(name);
        let name = name.rsplit('.').next().unwrap_or(name);
        matches!(name, "To" | "Int64Ptr" | "Float64Ptr" | "Int64" | "Float64")
            || ordain_idl::graph::Basic::from_name(name).is_some()
    }

    fn constant(&self, package: &Package, name: &str) -> Option<Value> {
        let constant = self.universe.constant(*package.consts.get(name)?);
        Some(match &constant.value {
            ConstValue::Bool(flag) => Value::Bool(*flag),
            ConstValue::Str(text) => Value::from(text.as_str()),
            ConstValue::Int(int) => Value::Int(i64::try_from(*int).ok()?),
            ConstValue::Float(float) => crate::number(*float),
        })
    }

    fn composite(&self, ty: Option<&TypeExpr>, elements: &[(Option<Expr>, Expr)]) -> Option<Value> {
        let is_map = matches!(ty.map(|ty| &ty.kind), Some(TypeExprKind::Map(..)))
            || elements.first().is_some_and(|(key, _)| key.is_some());
        if !is_map {
            let items = elements.iter().map(|(_, item)| self.value(item));
            return items.collect::<Option<Vec<_>>>().map(|items| Value::List(List::from(items)));
        }
        let entries = elements.iter().map(|(key, item)| {
            let Value::Str(key) = self.value(key.as_ref()?)? else { return None };
            Some((key, self.value(item)?))
        });
        entries.collect::<Option<Vec<_>>>().map(|entries| Value::Map(Map::from_entries(entries)))
    }

    /// `common.OpenAPIDefinition{Schema: …}`
    pub(super) fn definition(&self, expr: &Expr) -> Option<Map> {
        let fields = self.fields(expr)?;
        match fields.iter().find(|(name, _)| *name == "Schema") {
            Some((_, schema)) => self.schema(schema),
            None => Some(Map::new()),
        }
    }

    /// The fields of a struct literal by name.
    fn fields<'e>(&self, expr: &'e Expr) -> Option<Vec<(&'e str, &'e Expr)>> {
        match &expr.kind {
            ExprKind::Unary(Kind::And | Kind::Mul, inner) => self.fields(inner),
            ExprKind::Composite(_, elements) => elements
                .iter()
                .map(|(key, value)| match &key.as_ref()?.kind {
                    ExprKind::Name(name) => Some((name.name.as_str(), value)),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }

    /// `spec.Schema{…}`, or one of the functions that make one.
    fn schema(&self, expr: &Expr) -> Option<Map> {
        match &expr.kind {
            ExprKind::Unary(Kind::And | Kind::Mul, inner) => return self.schema(inner),
            ExprKind::Call(callee, args) => return self.made(callee, args),
            _ => {}
        }
        let mut out = Map::new();
        for (name, value) in self.fields(expr)? {
            match name {
                "SchemaProps" | "SwaggerSchemaProps" => self.props(value, &mut out)?,
                "VendorExtensible" => {
                    for (_, extensions) in self.fields(value)? {
                        let Value::Map(map) = self.value(extensions)? else { return None };
                        map.iter().for_each(|(key, value)| {
                            out.insert(key.clone(), value.clone());
                        });
                    }
                }
                _ => return None,
            }
        }
        Some(out)
    }

    /// The functions of the spec package that make simple schemas.
    fn made(&self, callee: &Expr, args: &[Expr]) -> Option<Map> {
        let ExprKind::Select(_, name) = &callee.kind else { return None };
        let (ty, format) = match name.name.as_str() {
            "StringProperty" => ("string", ""),
            "BooleanProperty" | "BoolProperty" => ("boolean", ""),
            "Float64Property" => ("number", "double"),
            "Float32Property" => ("number", "float"),
            "Int8Property" => ("integer", "int8"),
            "Int16Property" => ("integer", "int16"),
            "Int32Property" => ("integer", "int32"),
            "Int64Property" => ("integer", "int64"),
            "DateProperty" => ("string", "date"),
            "DateTimeProperty" => ("string", "date-time"),
            "MapProperty" => ("object", ""),
            "ArrayProperty" => ("array", ""),
            "RefProperty" | "RefSchema" => {
                let reference = self.value(args.first()?)?;
                return Some(Map::from_entries(vec![(Text::new_static("$ref"), reference)]));
            }
            _ => return None,
        };
        let mut out = Map::new();
        out.insert("type", Value::from(ty));
        crate::insert_text(&mut out, "format", format);
        if let ("object" | "array", Some(inner)) = (ty, args.first()) {
            let key = if ty == "object" { "additionalProperties" } else { "items" };
            if !matches!(self.value(inner), Some(Value::Null)) {
                out.insert(key, Value::Map(self.schema(inner)?));
            }
        }
        Some(out)
    }

    fn props(&self, expr: &Expr, out: &mut Map) -> Option<()> {
        for (name, value) in self.fields(expr)? {
            if let Some((_, key)) = PLAIN.iter().find(|(field, _)| *field == name) {
                let empty = |value: &Value| {
                    matches!(value, Value::Null | Value::Bool(false))
                        || value.as_str() == Some("")
                        || value.as_list().is_some_and(|list| list.is_empty())
                };
                match self.value(value)? {
                    value if *key != "default" && empty(&value) => {}
                    Value::List(list) if *key == "type" && list.len() == 1 => {
                        out.insert(*key, list.as_slice().first().cloned().unwrap_or(Value::Null));
                    }
                    value => drop(out.insert(*key, value)),
                }
                continue;
            }
            match name {
                "Ref" => match &value.kind {
                    ExprKind::Call(_, args) => {
                        out.insert("$ref", self.value(args.first()?)?);
                    }
                    _ => return None,
                },
                "AllOf" => drop(out.insert("allOf", self.schemas(value)?)),
                "OneOf" => drop(out.insert("oneOf", self.schemas(value)?)),
                "AnyOf" => drop(out.insert("anyOf", self.schemas(value)?)),
                "Not" => drop(out.insert("not", Value::Map(self.schema(value)?))),
                "Properties" => drop(out.insert("properties", self.schema_map(value)?)),
                "Items" => self.holder(value, "items", out)?,
                "AdditionalProperties" => self.holder(value, "additionalProperties", out)?,
                _ => return None,
            }
        }
        Some(())
    }

    /// `&spec.SchemaOrArray{Schema: …}` and `&spec.SchemaOrBool{Allows: …, Schema: …}`
    fn holder(&self, expr: &Expr, key: &'static str, out: &mut Map) -> Option<()> {
        let fields = self.fields(expr)?;
        let field = |name: &str| fields.iter().find(|(found, _)| *found == name);
        if let Some((_, schema)) = field("Schema") {
            out.insert(key, Value::Map(self.schema(schema)?));
        } else if let Some((_, allows)) = field("Allows") {
            out.insert(key, self.value(allows)?);
        }
        Some(())
    }

    fn schemas(&self, expr: &Expr) -> Option<Value> {
        let ExprKind::Composite(_, elements) = &expr.kind else { return None };
        let read = elements.iter().map(|(_, item)| self.schema(item).map(Value::Map));
        read.collect::<Option<Vec<_>>>().map(|items| Value::List(List::from(items)))
    }

    fn schema_map(&self, expr: &Expr) -> Option<Value> {
        let ExprKind::Composite(_, elements) = &expr.kind else { return None };
        let entries = elements.iter().map(|(key, item)| {
            let Value::Str(key) = self.value(key.as_ref()?)? else { return None };
            Some((key, Value::Map(self.schema(item)?)))
        });
        entries.collect::<Option<Vec<_>>>().map(|entries| Value::Map(Map::from_entries(entries)))
    }
}
