//! Reading typed objects: parts that are in shape are shared, what was read is read again as it is,
//! and unknown fields are told in their order.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use ordain_strategy::{FieldValidation, RestConfig};
use ordain_value::{Value, value};

fn kind(name: &str) -> RestConfig {
    ordain_kubernetes::all().into_iter().find(|it| it.kind == name).unwrap()
}

fn decode(kind: &RestConfig, body: &Value) -> (Value, Vec<String>) {
    let decoded = kind.strategy.decode("v1", body.clone(), FieldValidation::Strict).unwrap();
    (decoded.object, decoded.unknown)
}

fn deployment() -> Value {
    value!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a"},
        "spec": {
            "selector": {"matchLabels": {"app": "a"}},
            "template": {
                "metadata": {"labels": {"app": "a"}},
                "spec": {"containers": [{
                    "name": "a",
                    "image": "a:1",
                    "args": ["x", "y"],
                    "resources": {"limits": {"cpu": "1000m"}},
                    "livenessProbe": {"httpGet": {"port": 80}}
                }]}
            }
        }
    })
}

#[test]
fn what_is_in_shape_is_shared() {
    let (kind, body) = (kind("Deployment"), deployment());
    let (read, unknown) = decode(&kind, &body);
    assert_eq!(unknown, Vec::<String>::new());
    let args = |object: &Value| {
        let containers = object.get_path(&["spec", "template", "spec", "containers"]).unwrap();
        containers.as_list().unwrap()[0].get("args").unwrap().clone()
    };
    assert!(args(&read).same(&args(&body)));
    let selector = ["spec", "selector"];
    assert!(read.get_path(&selector).unwrap().same(body.get_path(&selector).unwrap()));
}

#[test]
fn defaults_reach_what_was_not_sent_and_what_was() {
    let (read, _) = decode(&kind("Deployment"), &deployment());
    let spec = read.get_path(&["spec", "template", "spec"]).unwrap();
    assert_eq!(spec.get("restartPolicy"), Some(&"Always".into()));
    let container = &spec.get("containers").unwrap().as_list().unwrap()[0];
    assert_eq!(container.get("terminationMessagePath"), Some(&"/dev/termination-log".into()));
    assert_eq!(container.get_path(&["livenessProbe", "periodSeconds"]), Some(&Value::Int(10)));
    assert_eq!(container.get_path(&["resources", "limits", "cpu"]), Some(&"1".into()));
    assert_eq!(read.get_path(&["spec", "strategy", "type"]), Some(&"RollingUpdate".into()));
}

#[test]
fn what_was_read_stays_as_it_is() {
    let kind = kind("Deployment");
    let (read, _) = decode(&kind, &deployment());
    let (again, unknown) = decode(&kind, &read);
    assert_eq!(again, read);
    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn unknown_fields_of_a_structure_come_before_those_inside_of_it() {
    let mut body = deployment();
    body.set_path(&["spec", "zz"], Value::Int(1));
    body.set_path(&["spec", "selector", "q"], Value::Int(1));
    body.set_path(&["aa"], Value::Int(1));
    let (_, unknown) = decode(&kind("Deployment"), &body);
    let expected = ["aa", "spec.zz", "spec.selector.q"];
    assert_eq!(unknown, expected.map(|it| format!("unknown field \"{it}\"")));
}

#[test]
fn values_of_the_wrong_type_are_told_with_their_place() {
    let mut body = deployment();
    body.set_path(&["spec", "template", "spec", "nodeSelector"], value!({"a": {"b": 1}}));
    let refused = kind("Deployment").strategy.decode("v1", body, FieldValidation::Strict);
    let why = "json: cannot unmarshal object into Go struct field \
               PodSpec.spec.template.spec.nodeSelector of type string";
    assert_eq!(refused.unwrap_err().why, why);
}

#[test]
fn texts_have_the_order_of_the_fields() {
    let object = value!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"annotations": {"z": "1"}, "name": "a", "namespace": "b"},
        "spec": {
            "template": {
                "metadata": {"labels": {"b": "1", "a": "2"}, "creationTimestamp": null},
                "spec": {"restartPolicy": "Always", "containers": [{"image": "i", "name": "n"}]}
            },
            "replicas": 1
        }
    });
    let text = kind("Deployment").strategy.text("v1", &object);
    let wanted = concat!(
        r#"{"apiVersion":"apps/v1","kind":"Deployment","#,
        r#""metadata":{"name":"a","namespace":"b","annotations":{"z":"1"}},"#,
        r#""spec":{"replicas":1,"template":{"#,
        r#""metadata":{"creationTimestamp":null,"labels":{"a":"2","b":"1"}},"#,
        r#""spec":{"containers":[{"name":"n","image":"i"}],"restartPolicy":"Always"}}}}"#,
    );
    assert_eq!(text, wanted);
}

#[test]
fn an_empty_list_is_there_until_it_is_written() {
    let (kind, mut body) = (kind("Deployment"), deployment());
    let volumes = ["spec", "template", "spec", "volumes"];
    body.set_path(&volumes, value!([]));
    let (read, _) = decode(&kind, &body);
    assert_eq!(read.get_path(&volumes), Some(&value!([])));
    let written = kind.strategy.written("v1", &read).unwrap();
    assert_eq!(written.get_path(&volumes), None);
    assert_eq!(kind.strategy.written("v1", &written), None);
}
