//! Mistakes that the generators refuse, each in a declaration of its own.

use ordain_gen::{crd, openapi};
use ordain_idl::{Loader, MemorySource, Universe};

fn load(text: &str) -> Universe {
    let source = MemorySource::new().with("v1/types.go", text);
    Loader::new(&source).package_as("v1", "example.com/v1").load()
}

/// Text of the errors of a generator, and whether all have a place.
fn errors(universe: &Universe, found: &[ordain_idl::Diagnostic]) -> (String, bool) {
    let errors: Vec<_> = found.iter().filter(|finding| finding.is_error()).collect();
    let placed = errors.iter().all(|finding| finding.pos.is_some());
    let texts: Vec<String> =
        errors.iter().map(|finding| universe.locate(finding).to_string()).collect();
    (texts.join("\n"), placed)
}

/// A field with its comment (or more, when it closes the struct), and what is said of it.
const OPENAPI: &[(&str, &str)] = &[
    (
        "// +k8s:validation:cel[0]:rule=\"true\"\n// +k8s:validation:cel[0]:message=\"m\"\n// +k8s:validation:cel[2]:rule=\"true\"\nA string `json:\"a\"`",
        "non-consecutive index 2",
    ),
    ("// +k8s:validation:cel[1]:rule=\"true\"\nA string `json:\"a\"`", "non-consecutive index 1"),
    ("// +default=word\nA string `json:\"a,omitempty\"`", "failed to unmarshal default"),
    (
        "// +default={\"b\":1}\nA B `json:\"a\"`\n}\ntype B struct {\nB int32 `json:\"b\"`",
        "If specified, must be: {}",
    ),
    (
        "// +k8s:validation:maxLength=3\nA int32 `json:\"a\"`",
        "maxLength can only be used on string types",
    ),
    (
        "// +k8s:validation:minItems=3\n// +k8s:validation:maxItems=1\nA []string `json:\"a\"`",
        "minItems 3 is greater than maxItems 1",
    ),
    (
        "// +k8s:validation:minLength=3\n// +k8s:validation:maxLength=1\nA string `json:\"a\"`",
        "minLength 3 is greater than maxLength 1",
    ),
    (
        "// +k8s:validation:minimum=3\nA string `json:\"a\"`",
        "minimum can only be used on numeric types",
    ),
    (
        "// +k8s:validation:maxProperties=-1\nA map[string]string `json:\"a\"`",
        "maxProperties cannot be negative",
    ),
    ("// +k8s:validation:minItems=-1\nA []string `json:\"a\"`", "minItems cannot be negative"),
    ("A []string `json:\"a\" patchStrategy:\"merge\"`", "Tags in comment and struct should match"),
    (
        "// +k8s:validation:properties:b:maxLength=3\nA string `json:\"a\"`",
        "properties can only be used on struct types",
    ),
    (
        "// +k8s:validation:properties:c:maxLength=3\nA B `json:\"a\"`\n}\ntype B struct {\nB string `json:\"b\"`",
        "not found in struct",
    ),
    (
        "// +k8s:validation:properties:b:maxItems=3\nA B `json:\"a\"`\n}\ntype B struct {\nB string `json:\"b\"`",
        "failed to validate property \"b\"",
    ),
    ("// +k8s:openapi-gen=x-kubernetes-a:\"b\"\nA string `json:\"a\"`", "holds a quote"),
    ("// +k8s:validation:maxLength\nA string `json:\"a\"`", "cannot unmarshal bool"),
    (
        "// +k8s:validation:maxLength=3\n// +k8s:validation:maxLength=4\nA string `json:\"a\"`",
        "cannot have multiple values for key",
    ),
    (
        "A B `json:\"a\"`\n}\ntype B struct {\nb string\n}\nfunc (B) OpenAPIV3OneOfTypes() []string { return []string{\"string\"} }\ntype C struct {\nC string `json:\"c\"`",
        "has v3 one of types but not v2 type or format",
    ),
    (
        "// +mapType=atomic\n// +structType=atomic\nA map[string]string `json:\"a\"`",
        "is stated twice",
    ),
    ("A uintptr `json:\"a\"`", "uintptr"),
    (
        "A T `json:\"a\"`\n}\ntype T map[string]T\ntype D struct {\nD string `json:\"d\"`",
        "without end",
    ),
    ("*Mistake `json:\",inline\"`", "without end"),
    (
        "A B `json:\"a\"`\n}\ntype B struct {\nb string\n}\nfunc (B) OpenAPISchemaFormat() string { return \"\" }\nfunc (B) OpenAPISchemaType() []string { return types() }\ntype C struct {\nC string `json:\"c\"`",
        "without running it",
    ),
];

#[test]
fn openapi_mistakes_are_refused_with_a_place() {
    for (body, expected) in OPENAPI {
        let text = format!(
            "package v1\n\n// Mistake is one.\n// +k8s:openapi-gen=true\ntype Mistake struct {{\n{body}\n}}\n"
        );
        let universe = load(&text);
        let output =
            openapi::generate(&universe, openapi::Options { untagged: true, ..Default::default() });
        let (found, placed) = errors(&universe, &output.diagnostics);
        assert!(found.contains(expected) && placed, "{body}\nfound: {found}");
    }
}

/// Comment of the kind, field with its comment (or more), and what is said of it.
const CRD: &[(&str, &str, &str)] = &[
    ("", "A []struct{ B string `json:\"b\"` } `json:\"a\"`", "struct"),
    ("", "A any `json:\"a\"`", "interface type is not supported"),
    ("", "A interface{} `json:\"a\"`", "interface"),
    (
        "",
        "A I `json:\"a\"`\n}\ntype I interface{ F() }\ntype B struct {\nC string `json:\"c\"`",
        "interface",
    ),
    (
        "",
        "A G[string] `json:\"a\"`\n}\ntype G[T any] struct {\nC T `json:\"c\"`",
        "unsupported AST kind",
    ),
    ("", "// +kubebuilder:validation:Enum\nA string `json:\"a\"`", "missing argument"),
    ("", "// +kubebuilder:externalDocs:description=x\nA string `json:\"a\"`", "missing argument"),
    (
        "",
        "// +kubebuilder:validation:items:MaxLength=3\nA L `json:\"a\"`\n}\ntype L []string\ntype B struct {\nC string `json:\"c\"`",
        "must apply",
    ),
    (
        "",
        "A E `json:\"a\"`\n}\n// +k8s:enum\ntype E string\ntype B struct {\nC string `json:\"c\"`",
        "no enum values found",
    ),
    ("", "// +k8s:listType=heap\nA []string `json:\"a\"`", "ListType must be either"),
    ("", "// +kubebuilder:default=\nA string `json:\"a\"`", "types.go"),
    ("", "// +kubebuilder:default=\"a\nA string `json:\"a\"`", "types.go"),
    ("", "// +kubebuilder:validation:Maximum=x\nA int32 `json:\"a\"`", "expected"),
    (
        "",
        "// +kubebuilder:validation:MultipleOf=1.5\nA int32 `json:\"a\"`",
        "non-integral multipleof",
    ),
    ("", "// +default={a\nA string `json:\"a\"`", "invalid character"),
    ("", "A string", "without JSON tag"),
    ("", "// +kubebuilder:validation:Pattern=a,b\nA string `json:\"a\"`", "extra arguments"),
    ("+kubebuilder:resource:path=a,", "A string `json:\"a\"`", "expected argument name"),
    ("", "A other.B `json:\"a\"`", "is not an imported package"),
    ("", "A metav1.Nope `json:\"a\"`", "Nope"),
    ("+kubebuilder:validation:XValidation:message=a", "A string `json:\"a\"`", "missing argument"),
    (
        "+kubebuilder:validation:XValidation:rule=\"true\",nope=a",
        "A string `json:\"a\"`",
        "unknown argument",
    ),
    ("+kubebuilder:validation:XValidation:rule=\"true", "A string `json:\"a\"`", "types.go"),
    (
        "+kubebuilder:printcolumn:name=A,name=B,type=string,JSONPath=.a",
        "A string `json:\"a\"`",
        "given twice",
    ),
    (
        "",
        "// +kubebuilder:printcolumn:name=A,type=string,JSONPath=.a\nA string `json:\"a\"`",
        "has no effect on a field",
    ),
    (
        "",
        "A C `json:\"a\"`\n}\n// +kubebuilder:validation:ExactlyOneOf=b;c\ntype C struct {\n// +kubebuilder:validation:Required\nB *string `json:\"b,omitempty\"`\nD *string `json:\"c,omitempty\"`",
        "required",
    ),
    (
        "",
        "A C `json:\"a\"`\n}\n// +kubebuilder:validation:ExactlyOneOf=b;c\ntype C struct {\nB *string `json:\"b\"`\nD *string `json:\"c,omitempty\"`",
        "must have omitempty",
    ),
    (
        "",
        "A C `json:\"a\"`\n}\n// +kubebuilder:validation:AtLeastOneOf=b.x;c\ntype C struct {\nB *string `json:\"b,omitempty\"`\nD *string `json:\"c,omitempty\"`",
        "b.x",
    ),
];

#[test]
fn crd_mistakes_are_refused_with_a_place() {
    for (kind, body, expected) in CRD {
        let text = format!(
            "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// Mistake is one.\n// {kind}\ntype Mistake struct {{\nmetav1.TypeMeta `json:\",inline\"`\nmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n{body}\n}}\n"
        );
        let universe = load(&text);
        let output = crd::generate(&universe, &crd::Options::default());
        let (found, placed) = errors(&universe, &output.diagnostics);
        assert!(found.contains(expected) && placed, "{kind} {body}\nfound: {found}");
    }
}
