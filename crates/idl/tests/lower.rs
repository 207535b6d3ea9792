//! Lowering: one declaration to schema, kinds and versions.

use ordain_idl::declare::{self, Constant, Enum, Field, Package, Struct, Ty};
use ordain_idl::lower::{Lowered, lower, lower_type};
use ordain_idl::{Loader, MemorySource, Universe};
use ordain_schema::publish::{Options, publish};
use ordain_schema::{Schema, Type};
use ordain_value::{Value, json, value};

const HEAD: &str = "// +groupName=shop.example.com\npackage v1\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n)\n\n";

fn load(body: &str) -> Universe {
    let source = MemorySource::new().with("v1/types.go", format!("{HEAD}{body}"));
    Loader::new(&source).package_as("v1", "example.com/v1").load()
}

fn kinds(body: &str) -> Lowered {
    let universe = load(body);
    let lowered = lower(&universe);
    let shown: Vec<String> =
        lowered.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(!lowered.has_errors(), "{shown:#?}");
    lowered
}

fn errors(body: &str) -> Vec<String> {
    let universe = load(body);
    let lowered = lower(&universe);
    let errors = lowered.diagnostics.iter().filter(|it| it.is_error());
    errors.map(|it| universe.locate(it).to_string()).collect()
}

fn schema(body: &str, name: &str) -> Schema {
    let universe = load(body);
    let named = universe.lookup("example.com/v1", name).expect("declared");
    let (schema, diagnostics) = lower_type(&universe, named);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    schema.expect("lowers")
}

fn published(schema: &Schema) -> Value {
    let published = publish(schema, Options::V3);
    Value::Map(published.definitions.into_iter().collect())
}

fn text(value: &Value) -> String {
    json::encode_string(value)
}

const WIDGET: &str = r#"
// A widget.
//
// +k8s:printerColumn(name: "Born", type: "date", jsonPath: ".metadata.creationTimestamp")
type Widget struct {
	metav1.TypeMeta `json:",inline"`
	// +nameFormat=dns1123label
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	Spec WidgetSpec `json:"spec"`
	Status WidgetStatus `json:"status,omitzero"`
}

type WidgetSpec struct {
	// How many.
	// +default=1
	// +minimum=0
	// +optional
	Replicas *int32 `json:"replicas,omitempty"`
	// +k8s:selectableField
	// +k8s:printerColumn
	// +optional
	Color string `json:"color,omitempty"`
	// +k8s:featureGate=WidgetPriority
	// +k8s:warning="priority is young"
	// +optional
	Priority *int32 `json:"priority,omitempty"`
	// +required
	Owner string `json:"owner"`
	// +optional
	Parent *WidgetSpec `json:"parent,omitempty"`
	// +listType=map
	// +listMapKey=name
	// +optional
	Parts []Part `json:"parts,omitempty"`
}

// +validationRule="self.name != 'bad'",message="no bad parts",reason=Forbidden,field="name"
type Part struct {
	Name string `json:"name"`
	// +immutable
	// +optional
	Serial string `json:"serial,omitempty"`
}

type WidgetStatus struct {
	// +optional
	Ready bool `json:"ready,omitempty"`
}
"#;

#[test]
fn a_kind_has_names_versions_and_what_its_fields_declare() {
    let lowered = kinds(WIDGET);
    let kind = lowered.api.kind("shop.example.com", "Widget").expect("a kind");
    assert_eq!((kind.plural.as_str(), kind.singular.as_str()), ("widgets", "widget"));
    assert!(kind.namespaced);
    assert_eq!(kind.storage_version, "v1");
    assert!(kind.place.starts_with("v1/types.go:"), "{}", kind.place);
    let version = kind.version("v1").expect("a version");
    assert!(version.status, "a status field makes a status subresource");
    assert_eq!(version.name_format.as_deref(), Some("dns1123label"));
    assert_eq!(version.selectable_fields, ["spec.color"]);
    let columns: Vec<_> =
        version.columns.iter().map(|it| (it.name.as_str(), it.json_path.as_str())).collect();
    assert_eq!(columns, [("Born", ".metadata.creationTimestamp"), ("Color", ".spec.color")]);
}

#[test]
fn fields_are_required_and_defaulted_as_go_types_imply() {
    let lowered = kinds(WIDGET);
    let kind = &lowered.api.kinds[0];
    let schema = &kind.versions[0].schema;
    let root = schema.root_node();
    assert_eq!(root.validation.as_ref().map(|it| it.required.clone()), Some(vec!["spec".into()]));
    let spec = schema.node(root.property("spec").expect("spec"));
    assert_eq!(spec.default, Some(value!({})), "a struct that is no pointer is there");
    let required = &spec.validation.as_ref().expect("validation").required;
    assert_eq!(required, &["owner"]);
    let owner = schema.node(spec.property("owner").expect("owner"));
    assert_eq!(owner.default, None, "what is required is not made up");
    assert!(owner.declared.as_ref().expect("declared").strip_zero);
    let replicas = schema.node(spec.property("replicas").expect("replicas"));
    assert_eq!(replicas.default, Some(Value::Int(1)));
    let declared = replicas.declared.as_ref().expect("declared");
    assert!(declared.pointer && !declared.strip_zero);
    let priority = schema.node(spec.property("priority").expect("priority"));
    let declared = priority.declared.as_ref().expect("declared");
    assert_eq!(declared.gates, ["WidgetPriority"]);
    assert_eq!(declared.warnings, ["priority is young"]);
    let parts = schema.node(spec.property("parts").expect("parts"));
    assert_eq!(parts.list_map_keys, ["name"]);
    let part = schema.node(parts.items.expect("items"));
    assert_eq!(part.rules.len(), 2, "its own rule and that of the immutable field");
    assert_eq!(part.rules[0].field_path, ".serial");
    assert_eq!(part.rules[1].reason.as_deref(), Some("FieldValueForbidden"));
    let name = schema.node(part.property("name").expect("name"));
    assert_eq!(name.default, Some(Value::str("")), "a scalar without omitempty has its zero value");
    let places = &kind.versions[0].rule_places;
    assert!(!places.is_empty() && places.iter().all(|it| it.place.contains("types.go:")));
}

#[test]
fn recursion_is_a_reference() {
    let schema = kinds(WIDGET).api.kinds[0].versions[0].schema.clone();
    let spec = schema.root_node().property("spec").expect("spec");
    let parent = schema.node(spec).property("parent").expect("parent");
    let again = schema.node(parent).property("parent").expect("parent");
    assert_eq!(parent, again);
    let published = published(&schema);
    let reference = published
        .get_path(&["com.example.v1.WidgetSpec", "properties", "parent", "allOf"])
        .or(published.get_path(&["com.example.v1.WidgetSpec", "properties", "parent", "$ref"]));
    assert!(reference.is_some(), "{}", text(&published));
}

#[test]
fn prefixless_tags_accumulate_along_chains_of_names() {
    let schema = schema(
        "type Widget struct {\n\t// +validationRule=\"self.matches('[a-z][1-9]+')\"\n\tComponent PartId `json:\"component\"`\n}\n\n// +maxLength=20\ntype PartId = Identifier\n\n// +format=dns1123label\ntype Identifier string\n\ntype Contraption struct {\n\tComponent Identifier `json:\"component\"`\n}\n",
        "Widget",
    );
    let component = schema.node(schema.root_node().property("component").expect("component"));
    let validation = component.validation.as_ref().expect("validation");
    assert_eq!(validation.format, "dns1123label");
    assert_eq!(validation.max_length, Some(20));
    assert_eq!(component.rules.len(), 1);
}

#[test]
fn unions_are_declared_on_the_struct_and_published_on_the_discriminator() {
    let schema = schema(
        "// +enum\ntype Kind string\n\nconst (\n\tA Kind = \"FieldA\"\n\tB Kind = \"FieldB\"\n\tNone Kind = \"\"\n)\n\ntype Holder struct {\n\tUnion `json:\",inline\"`\n}\n\ntype Union struct {\n\t// +unionDiscriminator\n\t// +required\n\tType Kind `json:\"type\"`\n\t// +unionMember\n\t// +optional\n\tFieldA *int32 `json:\"fieldA,omitempty\"`\n\t// +unionMember,optional\n\t// +optional\n\tFieldB *int32 `json:\"fieldB,omitempty\"`\n}\n",
        "Holder",
    );
    let unions = &schema.root_node().declared.as_ref().expect("declared").unions;
    assert_eq!(unions.len(), 1, "the union of an embedded struct is its holder's");
    assert_eq!(unions[0].empty_values, [""]);
    let published = published(&schema);
    let members = published.get_path(&[
        "com.example.v1.Holder",
        "properties",
        "type",
        "x-kubernetes-unions",
        "fieldMembers",
    ]);
    let expected = value!({
        "": null,
        "FieldA": {"name": "fieldA", "optional": false},
        "FieldB": {"name": "fieldB", "optional": true}
    });
    assert_eq!(members, Some(&expected), "{}", text(&published));
}

#[test]
fn overrides_change_a_shared_type_where_it_is_used() {
    let body = "type Template struct {\n\t// +override(capacity)=+optional\n\t// +override(capacity)=+maxLength=5\n\tInline Volume `json:\"inline\"`\n\tPlain Volume `json:\"plain\"`\n}\n\ntype Volume struct {\n\t// +required\n\tCapacity string `json:\"capacity\"`\n}\n";
    let schema = schema(body, "Template");
    let root = schema.root_node();
    let inline = schema.node(root.property("inline").expect("inline"));
    let plain = schema.node(root.property("plain").expect("plain"));
    assert!(inline.validation.as_ref().is_none_or(|it| it.required.is_empty()));
    assert_eq!(plain.validation.as_ref().map(|it| it.required.len()), Some(1));
    let length = |node: &ordain_schema::Node| {
        let child = schema.node(node.property("capacity").expect("capacity"));
        child.validation.as_ref().and_then(|it| it.max_length)
    };
    assert_eq!((length(inline), length(plain)), (Some(5), None));
}

#[test]
fn well_known_types_have_their_json_shape() {
    let source = MemorySource::new().with(
        "v1/types.go",
        "package v1\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"k8s.io/apimachinery/pkg/api/resource\"\n\t\"k8s.io/apimachinery/pkg/util/intstr\"\n\t\"k8s.io/apimachinery/pkg/runtime\"\n)\n\ntype T struct {\n\tAt metav1.Time `json:\"at\"`\n\tSize resource.Quantity `json:\"size\"`\n\tPort intstr.IntOrString `json:\"port\"`\n\tRaw runtime.RawExtension `json:\"raw\"`\n\tData []byte `json:\"data\"`\n}\n",
    );
    let universe = Loader::new(&source).package_as("v1", "example.com/v1").load();
    let named = universe.lookup("example.com/v1", "T").expect("T");
    let schema = lower_type(&universe, named).0.expect("lowers");
    let node = |name: &str| schema.node(schema.root_node().property(name).expect("property"));
    assert_eq!(node("at").validation.as_ref().map(|it| it.format.as_str()), Some("date-time"));
    assert_eq!(node("size").ty, Type::IntOrString);
    assert_eq!(node("port").ty, Type::IntOrString);
    assert!(node("raw").preserve_unknown);
    assert_eq!(node("data").validation.as_ref().map(|it| it.format.as_str()), Some("byte"));
    assert!(schema.nodes().iter().all(|it| it.default.is_none()), "nothing is implied for them");
}

#[test]
fn versions_of_a_kind_need_a_storage_version() {
    let widget = "type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty,omitzero\"`\n}\n";
    let load = |first: &str, second: &str| {
        let source =
            MemorySource::new().with("v1/types.go", format!("{HEAD}{first}{widget}")).with(
                "v2/types.go",
                format!("{}{second}{widget}", HEAD.replace("package v1", "package v2")),
            );
        let universe = Loader::new(&source)
            .package_as("v1", "example.com/v1")
            .package_as("v2", "example.com/v2")
            .load();
        lower(&universe)
    };
    let lowered = load("", "");
    assert!(lowered.diagnostics.iter().any(|it| it.message.contains("no storage version")));
    let lowered = load("", "// +kubebuilder:storageversion\n");
    assert!(!lowered.has_errors(), "{:?}", lowered.diagnostics);
    let kind = &lowered.api.kinds[0];
    assert_eq!((kind.versions.len(), kind.storage_version.as_str()), (2, "v2"));
}

#[test]
fn mistakes_are_told_with_their_place() {
    let reported = errors(
        "type W struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty,omitzero\"`\n\t// +k8s:selectableField\n\t// +listType=heap\n\tParts []string `json:\"parts\"`\n}\n",
    );
    assert!(
        reported.iter().any(|it| it.contains("types.go:12:6") && it.contains("heap")),
        "{reported:?}"
    );
}

#[test]
fn a_declaration_that_is_no_go_text_gives_the_same_schema() {
    let field = |name: &str, json: &str, ty: Ty, omit: bool, tags: &[&str]| Field {
        name: name.into(),
        json: json.into(),
        ty,
        omit_empty: omit,
        tags: tags.iter().map(|it| (*it).to_owned()).collect(),
        ..Field::default()
    };
    let package = Package {
        path: "example.com/v1".into(),
        group: "shop.example.com".into(),
        structs: vec![
            Struct {
                name: "Widget".into(),
                kind: true,
                fields: vec![field("Spec", "spec", Ty::Local("Spec".into()), false, &[])],
                origin: Some(declare::Origin { file: "lib.rs".into(), line: 7, column: 1 }),
                ..Struct::default()
            },
            Struct {
                name: "Spec".into(),
                fields: vec![
                    field("Color", "color", Ty::Local("Color".into()), true, &["optional"]),
                    field(
                        "Size",
                        "size",
                        Ty::Pointer(Box::new(Ty::Int32)),
                        true,
                        &["optional", "default=3", "minimum=1"],
                    ),
                ],
                ..Struct::default()
            },
        ],
        enums: vec![Enum {
            name: "Color".into(),
            values: vec![Constant::new("Red", "Red"), Constant::new("Blue", "Blue")],
            ..Enum::default()
        }],
        ..Package::default()
    };
    let (universe, places) = declare::universe(std::slice::from_ref(&package));
    let lowered = lower(&universe);
    let shown: Vec<String> =
        lowered.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(!lowered.has_errors(), "{shown:#?}");
    let named = universe.lookup("example.com/v1", "Widget").expect("Widget");
    let position = universe.position(universe.named(named).pos);
    assert_eq!(places.origin(&position).map(|it| it.line), Some(7));
    let go = "type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty,omitzero\"`\n\tSpec Spec `json:\"spec\"`\n}\n\ntype Spec struct {\n\t// +optional\n\tColor Color `json:\"color,omitempty\"`\n\t// +optional\n\t// +default=3\n\t// +minimum=1\n\tSize *int32 `json:\"size,omitempty\"`\n}\n\n// +enum\ntype Color string\n\nconst (\n\tRed Color = \"Red\"\n\tBlue Color = \"Blue\"\n)\n";
    let same = kinds(go);
    assert_eq!(same.api.kinds[0].versions[0].schema, lowered.api.kinds[0].versions[0].schema);
}

#[test]
fn kubebuilders_markers_of_imported_types_hold() {
    let common = "// Package common is shared.\npackage common\n\n// +kubebuilder:validation:MaxLength=5\ntype Name string\n\n// +kubebuilder:validation:XValidation:rule=\"self.low <= self.high\",message=\"low first\",reason=FieldValueForbidden\ntype Range struct {\n\t// +kubebuilder:validation:Minimum=1\n\t// +kubebuilder:validation:Maximum=9\n\t// +kubebuilder:default=2\n\tLow int32 `json:\"low,omitempty\"`\n\t// +kubebuilder:validation:Enum=3;4\n\t// +kubebuilder:validation:Required\n\tHigh int32 `json:\"high,omitempty\"`\n\tName Name `json:\"name,omitempty\"`\n\t// +kubebuilder:validation:items:MaxLength=3\n\tWords []string `json:\"words,omitempty\"`\n}\n";
    let own = "// +groupName=shop.example.com\npackage v1\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"example.com/common\"\n)\n\ntype Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tRange *common.Range `json:\"range,omitempty\"`\n\tConditions []metav1.Condition `json:\"conditions,omitempty\"`\n}\n";
    let source = MemorySource::new()
        .with("go.mod", "module example.com\n")
        .with("common/types.go", common)
        .with("v1/types.go", own);
    let universe = Loader::new(&source).package("v1").load();
    let lowered = lower(&universe);
    let reported: Vec<String> =
        lowered.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(!lowered.has_errors(), "{reported:#?}");
    assert!(reported.is_empty(), "{reported:#?}");
    let kind = lowered.api.kind("shop.example.com", "Widget").expect("declared");
    let schema = &kind.versions[0].schema;
    let range = schema.node(schema.root_node().property("range").expect("range"));
    assert_eq!(range.rules[0].message, "low first");
    assert_eq!(range.rules[0].reason.as_deref(), Some("FieldValueForbidden"));
    let field = |name: &str| schema.node(range.property(name).expect("field"));
    let limits = |name: &str| field(name).validation.clone().unwrap_or_default();
    let word = schema.node(field("words").items.expect("items"));
    assert_eq!(word.validation.as_ref().and_then(|it| it.max_length), Some(3));
    assert_eq!((limits("low").minimum, limits("low").maximum), (Some(1.0), Some(9.0)));
    assert_eq!(field("low").default, Some(Value::Int(2)));
    assert_eq!(limits("high").enumeration, [Value::Int(3), Value::Int(4)]);
    assert_eq!(range.validation.as_ref().map(|it| it.required.len()), Some(1));
    assert_eq!(limits("name").max_length, Some(5));
}

#[test]
fn a_length_that_is_not_understood_is_a_warning_and_no_limit() {
    let body = "type T struct {\n\tKnown [2]string `json:\"known\"`\n\tOther [len(struct{ X [3]int }{}.X)]string `json:\"other\"`\n}\n";
    let universe = load(body);
    let reported: Vec<String> =
        universe.diagnostics().iter().map(|it| universe.locate(it).to_string()).collect();
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].starts_with("v1/types.go:10:9: warning: array length"), "{reported:?}");
    let schema = schema(body, "T");
    let limit = |name: &str| {
        let node = schema.node(schema.root_node().property(name).expect("a field"));
        node.validation.as_ref().and_then(|it| it.max_items)
    };
    assert_eq!((limit("known"), limit("other")), (Some(2), None));
}
