//! The rules of the `+k8s:` tags as keywords of the schema, where there is a keyword for them:
//! readers of a schema know no program of rules.

use std::collections::HashSet;
use std::sync::Arc;

use ordain_schema::declared::Kind;
use ordain_schema::native::{Check, Format, FuncId, Program, Rule};
use ordain_schema::{NodeId, Schema};
use ordain_value::{Text, Value};

/// Folds the rules of all versions into their schemas.
pub(super) fn native_rules(kind: &mut Kind) {
    for version in &mut kind.versions {
        let Some(native) = &version.native else { continue };
        let Some(root) = native.program.root(&native.root) else { continue };
        let mut schema = Schema::clone(&version.schema);
        let start = (schema.root(), root.func);
        Folding { program: &native.program, schema: &mut schema }.run(start);
        version.schema = Arc::new(schema);
    }
}

struct Folding<'a> {
    program: &'a Program,
    schema: &'a mut Schema,
}

impl Folding<'_> {
    fn run(&mut self, start: (NodeId, FuncId)) {
        let mut seen = HashSet::new();
        let mut waiting = vec![start];
        while let Some((node, func)) = waiting.pop() {
            if !seen.insert((node, func)) {
                continue;
            }
            let Some(func) = self.program.funcs.get(func.0 as usize) else { continue };
            self.all(node, &func.checks);
            if let Some(inside) = self.element(node) {
                self.all(inside, &func.values);
            }
            for field in &func.fields {
                let child = if field.inline {
                    Some(node)
                } else {
                    self.schema.node(node).property(&field.path)
                };
                let Some(child) = child else { continue };
                self.all(child, &field.checks);
                if field.checks.iter().any(|check| matches!(check.rule, Rule::Required(_))) {
                    let required = &mut self.schema.node_mut(node).validation_mut().required;
                    if !required.contains(&field.path) {
                        required.push(field.path.clone());
                    }
                }
                if let Some(inside) = self.element(child) {
                    self.all(inside, &field.values);
                }
                for check in field.checks.iter().chain(&field.values) {
                    waiting.extend(self.called(child, check));
                }
                waiting.extend(field.call.map(|func| (child, func)));
            }
        }
    }

    /// The node of a list's items or a map's values.
    fn element(&self, node: NodeId) -> Option<NodeId> {
        let node = self.schema.node(node);
        node.items.or_else(|| node.additional_node())
    }

    /// Functions that a check calls for the elements of a place.
    fn called(&self, node: NodeId, check: &Check) -> Option<(NodeId, FuncId)> {
        match &check.rule {
            Rule::Call(func) => Some((self.element(node).unwrap_or(node), *func)),
            Rule::EachValue { inner, .. } | Rule::EachMapValue { inner, .. } => match inner.rule {
                Rule::Call(func) => Some((self.element(node)?, func)),
                _ => None,
            },
            _ => None,
        }
    }

    fn all(&mut self, node: NodeId, checks: &[Check]) {
        checks.iter().for_each(|check| self.one(node, check));
    }

    fn one(&mut self, id: NodeId, check: &Check) {
        if check.non_error || check.level.is_some() {
            return;
        }
        if let Rule::EachValue { inner, .. } | Rule::EachMapValue { inner, .. } = &check.rule {
            if let Some(inside) = self.element(id) {
                self.one(inside, inner);
            }
            return;
        }
        let node = self.schema.node_mut(id);
        match &check.rule {
            Rule::Minimum(least) => node.validation_mut().minimum = Some(*least as f64),
            Rule::Maximum(most) => node.validation_mut().maximum = Some(*most as f64),
            Rule::MinLength(least) => node.validation_mut().min_length = Some(*least),
            Rule::MaxLength(most) => node.validation_mut().max_length = Some(*most),
            Rule::MinItems(least) => node.validation_mut().min_items = Some(*least),
            Rule::MaxItems(most) => node.validation_mut().max_items = Some(*most),
            Rule::Enum { values, exclusions } if exclusions.is_empty() => {
                node.validation_mut().enumeration =
                    values.iter().map(|value| Value::from(value.clone())).collect();
            }
            Rule::Format(format) => {
                let name = Text::new_static(format_name(*format));
                let check = ordain_schema::Check { name, args: Vec::new() };
                let checks = &mut node.declared_mut().checks;
                if !checks.contains(&check) {
                    checks.push(check);
                }
            }
            Rule::Immutable => {
                let check =
                    ordain_schema::Check { name: Text::new_static("immutable"), args: Vec::new() };
                let checks = &mut node.declared_mut().checks;
                if !checks.contains(&check) {
                    checks.push(check);
                }
            }
            _ => {}
        }
    }
}

/// The format as its tag names it.
fn format_name(format: Format) -> &'static str {
    match format {
        Format::ExtendedResourceName => "k8s-extended-resource-name",
        Format::LabelKey => "k8s-label-key",
        Format::LabelValue => "k8s-label-value",
        Format::LongName => "k8s-long-name",
        Format::LongNameCaseless => "k8s-long-name-caseless",
        Format::PathSegmentName => "k8s-path-segment-name",
        Format::ResourceFullyQualifiedName => "k8s-resource-fully-qualified-name",
        Format::ResourcePoolName => "k8s-resource-pool-name",
        Format::ShortName => "k8s-short-name",
        Format::Uuid => "k8s-uuid",
    }
}
