//! What the Go reader makes of declarations and the comments around them.

use ordain_idl::graph::{ConstValue, FileMarkers, Type};
use ordain_idl::{Loader, MemorySource, Universe};

fn load(text: &str) -> Universe {
    let source = MemorySource::new().with("p/types.go", text);
    Loader::new(&source).package_as("p", "example.com/p").load()
}

fn load_clean(text: &str) -> Universe {
    let universe = load(text);
    let found: Vec<String> =
        universe.diagnostics().iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(found.is_empty(), "{found:#?}");
    universe
}

fn closest(universe: &Universe, name: &str) -> (Vec<String>, Vec<String>) {
    let id = universe.lookup("example.com/p", name).expect("declared");
    let docs = &universe.named(id).docs;
    let text =
        |group| universe.lines(docs.file, group).iter().map(|line| line.text.to_string()).collect();
    (text(docs.closest), text(docs.second_closest))
}

fn field_type(universe: &Universe, owner: &str, field: &str) -> String {
    let id = universe.lookup("example.com/p", owner).expect("declared");
    let target = universe.named(id).target;
    let field = universe.fields(target).iter().find(|it| it.name == field).expect("field");
    universe.display(field.ty)
}

#[test]
fn doc_and_second_closest_comments_are_told_apart() {
    let universe = load_clean(
        "package p\n\n// +floating=1\n// more\n\n// A is documented.\n// +tag\ntype A string\n\n// +alone\n\ntype B string\n\n\n// far\n\n\ntype C string\n",
    );
    let (doc, second) = closest(&universe, "A");
    assert_eq!(doc, ["A is documented.", "+tag"]);
    assert_eq!(second, ["+floating=1", "more"]);
    let (doc, second) = closest(&universe, "B");
    assert!(doc.is_empty());
    assert_eq!(second, ["+alone"]);
    let (doc, second) = closest(&universe, "C");
    assert!(doc.is_empty() && second.is_empty());
}

#[test]
fn a_comment_behind_a_field_is_the_closest_of_the_next() {
    let universe =
        load_clean("package p\n\ntype A struct {\n\tX int // behind x\n\tY int\n\n\tZ int\n}\n");
    let id = universe.lookup("example.com/p", "A").expect("A");
    let fields = universe.fields(universe.named(id).target);
    let lines = |at: usize| {
        let docs = &fields[at].docs;
        universe
            .lines(docs.file, docs.closest)
            .iter()
            .map(|it| it.text.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(1), ["behind x"]);
    assert!(lines(2).is_empty());
    assert!(fields[1].docs.doc.is_none());
    assert!(fields[0].docs.trail.is_some());
}

#[test]
fn comment_text_loses_markers_directives_and_repeated_blanks() {
    let universe = load_clean(
        "package p\n\n//go:generate x\n//\n//  two spaces  \n//\n//\n//+k8s:tag\n/* block\nend */\ntype A string\n",
    );
    let (doc, _) = closest(&universe, "A");
    assert_eq!(doc, [" two spaces", "", "+k8s:tag", " block", "end"]);
}

#[test]
fn markers_go_to_the_nearest_owner() {
    let universe = load_clean(
        "// +pkg=1\npackage p\n\n// +free\n\n// +near\n\n// Doc.\n// +doc\ntype A struct { // +brace\n\t// +f1\n\n\t// +f2\n\tX int // +behind\n\tY int\n\t// +lost\n}\n\n// +last\n",
    );
    let id = universe.lookup("example.com/p", "A").expect("A");
    let named = universe.named(id);
    let markers = FileMarkers::of(universe.file(named.pos.file));
    let texts = |list: &[ordain_idl::graph::RawMarker<'_>]| {
        list.iter().map(|it| it.text.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&markers.package), ["+pkg=1", "+free", "+last"]);
    assert_eq!(texts(markers.of_type(named.spec)), ["+near", "+doc"]);
    let fields = universe.fields(named.target);
    assert_eq!(texts(markers.of_field(fields[0].line_id)), ["+f1", "+f2"]);
    assert!(markers.of_field(fields[1].line_id).is_empty());
}

#[test]
fn constants_follow_iota_types_and_expressions() {
    let universe = load_clean(
        "package p\n\nimport \"time\"\n\ntype Mode string\ntype Level int8\n\nconst (\n\tLow Level = iota + 1\n\t_\n\tHigh\n)\n\nconst Quiet Mode = \"qui\" + \"et\"\nconst Loud = Mode(`loud`)\nconst Wait = 3 * time.Second\nconst Mask = 1<<8 - 1\nconst Flag = Mask > 10 && !false\nconst Half = 1 / 2.0\nconst Rune = 'a'\n",
    );
    let value = |name: &str| {
        let package = universe.package_by_path("example.com/p").expect("package");
        universe.constant(package.consts[name]).value.clone()
    };
    assert_eq!(value("High"), ConstValue::Int(3));
    assert_eq!(value("Quiet"), ConstValue::Str("quiet".into()));
    assert_eq!(value("Wait"), ConstValue::Int(3_000_000_000));
    assert_eq!(value("Mask"), ConstValue::Int(255));
    assert_eq!(value("Flag"), ConstValue::Bool(true));
    assert_eq!(value("Half"), ConstValue::Float(0.5));
    assert_eq!(value("Rune"), ConstValue::Int(97));
    let mode = universe.lookup("example.com/p", "Mode").expect("Mode");
    let names: Vec<_> = universe.constants_of(mode).iter().map(|it| it.name.clone()).collect();
    assert_eq!(names, ["Loud", "Quiet"]);
}

#[test]
fn wrong_constants_are_reported_with_their_place() {
    let universe = load(
        "package p\n\n// +enum\ntype E string\n\nconst A E = 300\nconst B E = C\nconst C E = B\n\
         const D = f()\n",
    );
    let texts: Vec<String> =
        universe.diagnostics().iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(texts[0].contains("p/types.go:6:"), "{texts:?}");
    assert!(!texts.iter().any(|it| it.contains("types.go:9:")), "nobody needs D: {texts:?}");
    assert!(texts.iter().any(|it| it.contains("refers to itself")), "{texts:?}");
}

#[test]
fn generic_types_are_instantiated() {
    let universe = load_clean(
        "package p\n\ntype Box[T any, K comparable] struct {\n\tItem T\n\tBy map[K][]T\n}\n\ntype Use struct {\n\tBox[string, int]\n\tB *Box[[]byte, string]\n\tArr [4]Box[bool, bool]\n}\n",
    );
    assert_eq!(field_type(&universe, "Use", "Box"), "example.com/p.Box[string,int]");
    let id = universe.lookup("example.com/p", "Use").expect("Use");
    let b = universe.fields(universe.named(id).target)[1].ty;
    let fields = universe.fields(universe.deref(b));
    assert_eq!(universe.display(fields[1].ty), "map[string][][]byte");
}

#[test]
fn generics_that_never_end_are_an_error() {
    let universe =
        load("package p\n\ntype T[P any] struct {\n\tNext *T[[]P]\n}\n\ntype U T[int]\n");
    assert!(universe.diagnostics().iter().any(|it| it.code == "generic-cycle"));
}

#[test]
fn recursive_types_are_fine_and_empty_cycles_are_errors() {
    let universe =
        load_clean("package p\n\ntype Tree struct {\n\tLeft, Right *Tree\n\tAll []Tree\n}\n");
    assert_eq!(field_type(&universe, "Tree", "Right"), "*example.com/p.Tree");
    let universe = load("package p\n\ntype A B\ntype B = A\n");
    assert!(universe.diagnostics().iter().any(|it| it.code == "type-cycle"));
}

#[test]
fn aliases_keep_their_name_and_lead_to_their_target() {
    let universe =
        load_clean("package p\n\ntype A struct{ X int }\ntype B = A\ntype C B\ntype D = []B\n");
    let id = |name| universe.lookup("example.com/p", name).expect("declared");
    assert!(universe.named(id("B")).alias);
    assert_eq!(universe.display(universe.named(id("C")).target), "example.com/p.A");
    assert_eq!(universe.display(universe.named(id("D")).target), "[]example.com/p.A");
    assert_eq!(universe.fields(universe.named(id("C")).target).len(), 1);
}

#[test]
fn broken_declarations_do_not_hide_the_sound_ones() {
    let universe = load(
        "package p\n\ntype A struct {\n\tX int\n\tY }{ oops\n\tZ string\n}\n\ntype B struct {\n\tGood string `json:\"good\"`\n\tbad bad bad\n\tAlso int\n}\n\nfunc (\n\ntype C string\n",
    );
    assert!(universe.has_errors());
    let b = universe.lookup("example.com/p", "B").expect("B");
    let names: Vec<_> =
        universe.fields(universe.named(b).target).iter().map(|it| it.name.clone()).collect();
    assert!(names.contains(&"Good".into()) && names.contains(&"Also".into()), "{names:?}");
    assert!(universe.lookup("example.com/p", "C").is_some());
}

#[test]
fn imports_resolve_across_packages_of_a_module() {
    let source = MemorySource::new()
        .with("m/go.mod", "module example.com/m\n")
        .with("m/a/a.go", "package a\n\nimport (\n\t\"example.com/m/b-lib\"\n\tx \"example.com/m/c\"\n)\n\ntype A struct {\n\tB blib.B\n\tC x.C\n}\n")
        .with("m/b-lib/b.go", "package blib\n\ntype B string\n\nconst One B = \"1\"\n")
        .with("m/b-lib/b_windows.go", "package blib\n\ntype B int\n")
        .with("m/c/c.go", "//go:build !ignore_autogenerated\n\npackage c\n\ntype C int\n")
        .with("m/c/d.go", "package c\n\ntype C bool\n");
    let universe = Loader::new(&source).package("m/a").load();
    assert!(!universe.has_errors(), "{:?}", universe.diagnostics());
    let a = universe.lookup("example.com/m/a", "A").expect("A");
    let fields = universe.fields(universe.named(a).target);
    assert_eq!(universe.display(fields[0].ty), "example.com/m/b-lib.B");
    let c = universe.lookup("example.com/m/c", "C").expect("C");
    assert!(matches!(universe.ty(universe.named(c).target), Type::Basic(_)));
    assert_eq!(universe.basic(fields[1].ty).map(|it| it.name()), Some("bool"));
    let b = universe.lookup("example.com/m/b-lib", "B").expect("B");
    assert_eq!(universe.constants_of(b).len(), 1);
}

#[test]
fn json_fields_flatten_embedded_structs_by_depth() {
    let universe = load_clean(
        "package p\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Inner struct {\n\tName string `json:\"name\"`\n\tSize int `json:\"size\"`\n\thidden int\n}\n\ntype Outer struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tInner\n\tName string `json:\"name\"`\n\tSkip string `json:\"-\"`\n\tNo string\n}\n",
    );
    let id = universe.lookup("example.com/p", "Outer").expect("Outer");
    let keys: Vec<String> = universe
        .json_fields(universe.named(id).target)
        .iter()
        .map(|it| format!("{}/{}", it.key, it.through.len()))
        .collect();
    assert_eq!(keys, ["kind/1", "apiVersion/1", "size/1", "name/0", "No/0"]);
}

#[test]
fn unknown_names_are_reported_once_with_a_fix() {
    let universe = load(
        "package p\n\nimport \"example.com/none\"\n\ntype A struct {\n\tX Nope\n\tY Nope\n\tZ none.T\n\tW gone.T\n}\n",
    );
    let texts: Vec<String> =
        universe.diagnostics().iter().map(|it| universe.locate(it).to_string()).collect();
    assert_eq!(texts.len(), 3, "{texts:#?}");
    assert!(texts[0].starts_with("p/types.go:6:4: error: type `Nope` is not declared (help: "));
    assert!(texts[1].contains("no source found for package `example.com/none`"));
    assert!(texts[2].contains("`gone` is not an imported package"));
}
