//! Trees as they are published: groups from `register.go`, tags of newer releases, constants that
//! no kind needs, names that do not depend on where the tree lies.

use ordain_idl::lower::{Lowered, lower};
use ordain_idl::{Loader, MemorySource, Universe};

const KIND: &str = "import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
    type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\
    \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\
    \tSpec WidgetSpec `json:\"spec,omitempty\"`\n}\n\n";

fn read(dir: &str, files: &[(&str, String)]) -> (Universe, Lowered) {
    read_as(dir, files, false)
}

fn read_as(dir: &str, files: &[(&str, String)], strict: bool) -> (Universe, Lowered) {
    let mut source = MemorySource::new();
    for (name, text) in files {
        source.insert(format!("{dir}/{name}"), text.clone());
    }
    let universe = Loader::new(&source).strict_tags(strict).package(dir).load();
    let lowered = lower(&universe);
    (universe, lowered)
}

fn reported(universe: &Universe, lowered: &Lowered) -> Vec<String> {
    lowered.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect()
}

fn types(spec: &str) -> String {
    format!("package v1\n\n{KIND}type WidgetSpec struct {{\n{spec}}}\n")
}

/// The group that a package has by its other file.
fn group(register: &str) -> Option<String> {
    let files = [("types.go", types("")), ("register.go", format!("package v1\n\n{register}"))];
    let (_, lowered) = read("api/v1", &files);
    lowered.api.kinds.first().map(|it| it.group.to_string())
}

#[test]
fn the_group_is_what_a_package_registers_itself_with() {
    assert_eq!(
        group("const GroupName = \"shop.example.com\"\n").as_deref(),
        Some("shop.example.com")
    );
    assert_eq!(group("const GroupName = \"\"\n").as_deref(), Some(""), "the core group");
    let literal = "import \"k8s.io/apimachinery/pkg/runtime/schema\"\n\n\
        var (\n\tGroupVersion = schema.GroupVersion{Group: \"shop.example.com\", Version: \"v1\"}\n\
        \tOther = f(func() int { return 1 })\n)\n";
    assert_eq!(group(literal).as_deref(), Some("shop.example.com"));
    let named = "const group = \"shop.example.com\"\n\n\
        var SchemeGroupVersion = schema.GroupVersion{Group: group, Version: \"v1\"}\n";
    assert_eq!(group(named).as_deref(), Some("shop.example.com"));
    assert_eq!(group("var GroupVersion = make()\n"), None);
    assert_eq!(group("const GroupName = GroupName\n"), None, "a constant that means itself");
}

#[test]
fn an_omitempty_that_does_nothing_is_a_warning() {
    let (universe, lowered) =
        read("api/v1", &[("types.go", format!("// +groupName=shop.example.com\n{}", types("")))]);
    assert!(!lowered.has_errors());
    assert_eq!(
        reported(&universe, &lowered),
        ["api/v1/types.go:9:2: warning: omitempty on field `Spec` has no effect: structs are \
             never left out (help: make the field a pointer, or remove omitempty)"]
    );
}

#[test]
fn tags_of_newer_releases_are_warnings_until_somebody_is_strict() {
    let spec = "\t// +k8s:monotonic\n\t// +k8s:optional\n\tA *int32 `json:\"a,omitempty\"`\n\
        \t// +k8s:alpha(since: \"1.37\")=+k8s:dependentRequired(\"a\")\n\t// +k8s:optional\n\
        \tB *int32 `json:\"b,omitempty\"`\n\
        \t// +k8s:format=k8s-prefixed-label-key\n\t// +k8s:optional\n\
        \tC *string `json:\"c,omitempty\"`\n\
        \t// +k8s:brandNew\n\t// +k8s:optional\n\tD *string `json:\"d,omitempty\"`\n";
    let text = format!("// +groupName=shop.example.com\n{}", types(spec));
    let text = text.replace(
        "Spec WidgetSpec `json:\"spec,omitempty\"`",
        "Spec *WidgetSpec `json:\"spec,omitempty\"`",
    );
    let files = [("types.go", text)];
    let (universe, lowered) = read("api/v1", &files);
    assert_eq!(
        reported(&universe, &lowered),
        [
            "api/v1/types.go:13:6: warning: unknown tag `+k8s:monotonic` (help: Kubernetes 1.37 has it; here it has no effect)",
            "api/v1/types.go:16:32: warning: unknown tag `+k8s:dependentRequired` (help: Kubernetes 1.37 has it; here it has no effect)",
            "api/v1/types.go:19:6: warning: tag `+k8s:format`: unsupported validation format \"k8s-prefixed-label-key\" (help: Kubernetes 1.37 accepts it; here the tag has no effect)",
            "api/v1/types.go:22:6: warning: unknown tag `+k8s:brandNew` (help: no release known here has it, and it has no effect; `ordain tags` lists the tags there are)",
        ]
    );
    let (_, strict) = read_as("api/v1", &files, true);
    assert_eq!(strict.diagnostics.iter().filter(|it| it.is_error()).count(), 4);
}

#[test]
fn only_constants_that_a_kind_needs_must_have_a_value() {
    let constants = "package v1\n\nimport \"example.com/nowhere\"\n\n\
        const Unused = nowhere.Length * 3\n\n// +enum\ntype Colour string\n\n\
        type Shade string\n\nconst Dark Shade = nowhere.Dark\n";
    let kind = format!("// +groupName=shop.example.com\n{}", types("\tC Colour `json:\"c\"`\n"));
    let read_with = |more: &str| {
        let files = [("types.go", kind.clone()), ("more.go", format!("{constants}{more}"))];
        let (universe, lowered) = read("api/v1", &files);
        let errors = lowered.diagnostics.iter().filter(|it| it.is_error());
        errors.map(|it| universe.locate(it).to_string()).collect::<Vec<_>>()
    };
    assert_eq!(read_with("\nconst Red Colour = \"Red\"\n"), Vec::<String>::new());
    let found = read_with("\nconst Red Colour = nowhere.Red\n");
    assert!(found.iter().any(|it| it.contains("more.go:14")), "{found:?}");
}

#[test]
fn models_are_named_by_module_or_package_and_never_by_the_folder() {
    let root = |dir: &str, files: &[(&str, String)]| {
        let (_, lowered) = read(dir, files);
        let kind = lowered.api.kinds.first().expect("a kind");
        let declared = kind.versions[0].schema.root_node().declared.clone();
        declared.and_then(|it| it.type_name).expect("a name").to_string()
    };
    let plain = || [("types.go", format!("// +groupName=shop.example.com\n{}", types("")))];
    assert_eq!(root("some/where/v1", &plain()), "com.example.shop.v1.Widget");
    assert_eq!(root("/else/where", &plain()), "com.example.shop.v1.Widget");
    let module = [
        ("types.go", format!("// +groupName=shop.example.com\n{}", types(""))),
        ("go.mod", "module example.com/shop/api\n".to_owned()),
    ];
    assert_eq!(root("some/where/v1", &module), "com.example.shop.api.Widget");
    let stated = [
        ("types.go", types("")),
        ("doc.go", "// +groupName=shop.example.com\n// +k8s:openapi-model-package=com.acme.v1\npackage v1\n".to_owned()),
    ];
    assert_eq!(root("some/where/v1", &stated), "com.acme.v1.Widget");
}

#[test]
fn packages_of_kubernetes_store_the_most_stable_version_and_others_say_which() {
    let stored = |doc: &str| {
        let mut source = MemorySource::new();
        for version in ["v1beta1", "v1", "v1alpha1"] {
            let text = format!(
                "{doc}// +groupName=shop.example.com\npackage {version}\n\n{KIND}type WidgetSpec struct {{}}\n"
            );
            source.insert(format!("api/{version}/types.go"), text);
        }
        let loader = ["v1beta1", "v1", "v1alpha1"]
            .iter()
            .fold(Loader::new(&source), |loader, it| loader.package(format!("api/{it}")));
        let lowered = lower(&loader.load());
        lowered.api.kinds.first().map(|it| it.storage_version.to_string())
    };
    assert_eq!(stored("// +k8s:openapi-gen=true\n").as_deref(), Some("v1"));
    assert_eq!(stored("").as_deref(), Some(""), "an error, and no version");
}

#[test]
fn what_validation_gen_does_not_support_hinders_only_those_who_ask_it() {
    let more = "\ntype Check func(Widget) error\n\ntype Rows []map[string]string\n\n\
        // Address is a text in JSON.\ntype Address struct {\n\tHost string `json:\"host\"`\n}\n\n\
        func (a Address) MarshalJSON() ([]byte, error) { return nil, nil }\n\n\
        func (a *Address) UnmarshalJSON(text []byte) error { return nil }\n";
    let group = "// +groupName=shop.example.com\n";
    let fields = |tags: &str| {
        types(&format!(
            "{tags}\tRows Rows `json:\"rows,omitempty\"`\n\tParts map[string]*Address `json:\"parts,omitempty\"`\n\
             \tAddress *Address `json:\"address,omitempty\"`\n"
        ))
    };
    let (universe, lowered) =
        read("api/v1", &[("types.go", format!("{group}{}{more}", fields("")))]);
    assert!(!lowered.has_errors(), "{:?}", reported(&universe, &lowered));
    let schema = &lowered.api.kinds[0].versions[0].schema;
    let at = |id: Option<ordain_schema::NodeId>, name: &str| {
        id.and_then(|it| schema.node(it).property(name))
    };
    let address = at(at(Some(schema.root()), "spec"), "address").expect("a field");
    // Its own methods make its JSON, so that the fields say nothing about it.
    assert!(schema.node(address).properties.is_empty() && schema.node(address).preserve_unknown);
    let (_, lowered) =
        read("api/v1", &[("types.go", format!("{group}{}{more}", fields("\t// +k8s:optional\n")))]);
    assert!(lowered.has_errors());
}
