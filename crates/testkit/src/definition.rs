//! Definitions for tests that are about the schema of a kind and nothing else.

/// The text of a definition of a namespaced kind in `shop.example.com/v1`, whose `spec` has the
/// schema given in YAML.
#[must_use]
pub fn definition(kind: &str, spec: &str) -> String {
    let singular = kind.to_lowercase();
    let spec: String = spec.lines().map(|line| format!("            {line}\n")).collect();
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {singular}s.shop.example.com}}
spec:
  group: shop.example.com
  scope: Namespaced
  names: {{kind: {kind}, plural: {singular}s, singular: {singular}, listKind: {kind}List}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
{spec}"
    )
}
