//! What a declaration says beside its published schema: where its rules are written, and which
//! fields are gated. For people who look at an API; nothing is judged by it.

use ordain_schema::NodeId;
use ordain_schema::declared::Version;
use ordain_value::Text;

/// Where a rule is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedRule {
    /// The field that has the rule, `spec.items[]`; empty for the object itself.
    pub path: String,
    /// Its place among the field's rules.
    pub rule: usize,
    /// The text of the rule.
    pub expression: Text,
    /// `types.go:12:6`
    pub place: Text,
}

/// A field that exists only while gates are on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatedField {
    /// The path of the field.
    pub path: String,
    /// The gates that must be on.
    pub gates: Vec<Text>,
}

/// The rules and gated fields of a version by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Its CEL rules with their places.
    pub rules: Vec<PlacedRule>,
    /// Fields that stand behind gates.
    pub gated: Vec<GatedField>,
}

impl Outline {
    /// The outline of a version. A type that contains itself is entered once.
    #[must_use]
    pub fn of(version: &Version) -> Self {
        let schema = &version.schema;
        let mut outline = Self::default();
        let mut seen = vec![false; schema.nodes().len()];
        let mut pending = vec![(schema.root(), String::new())];
        while let Some((id, path)) = pending.pop() {
            match seen.get_mut(id.0 as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            outline.take(version, id, &path);
            let node = schema.node(id);
            for (name, child) in node.properties.iter().rev() {
                let inner =
                    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                pending.push((*child, inner));
            }
            pending.extend(node.items.map(|child| (child, format!("{path}[]"))));
            pending.extend(node.additional_node().map(|child| (child, format!("{path}.*"))));
        }
        outline
    }

    fn take(&mut self, version: &Version, id: NodeId, path: &str) {
        let node = version.schema.node(id);
        for it in version.rule_places.iter().filter(|it| it.node == id) {
            let Some(rule) = node.rules.get(it.rule) else { continue };
            self.rules.push(PlacedRule {
                path: path.to_owned(),
                rule: it.rule,
                expression: rule.rule.clone(),
                place: it.place.clone(),
            });
        }
        if let Some(gates) = node.declared.as_ref().map(|it| &it.gates).filter(|it| !it.is_empty())
        {
            self.gated.push(GatedField { path: path.to_owned(), gates: gates.clone() });
        }
    }
}
