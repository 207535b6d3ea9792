//! Parts of what a declaration does, replaced: an entire strategy written by hand, columns,
//! selectable fields, and what the status has of its own.

mod world;

use std::sync::Arc;

use ordain_merge::FieldManager;
use ordain_registry::declared::Resource;
use ordain_registry::decode::{DecodeError, Decoded};
use ordain_registry::strategy::{Change, Config, Policy, StatusConfig, Strategy};
use ordain_registry::{Caller, Column, FieldValidation, Part, Warnings};
use ordain_schema::declared::Api;
use ordain_value::field::{self, Error, Path};
use ordain_value::{Text, Value, value};
use world::{World, api, kind, object};

fn widgets() -> Api {
    api(&(kind(
        "Widget",
        "\tSpec Spec `json:\"spec\"`\n\t// +optional\n\tStatus Status `json:\"status,omitzero\"`",
    ) + "type Spec struct {\n\t// +optional\n\tSize string `json:\"size,omitempty\"`\n\t// +optional\n\tColor string `json:\"color,omitempty\"`\n}\n\ntype Status struct {\n\t// +optional\n\tCount int32 `json:\"count,omitempty\"`\n\t// +optional\n\tYoung int32 `json:\"young,omitempty\"`\n}\n"))
}

/// A strategy by hand: it creates on update, counts no generations, and refuses one size.
#[derive(Debug)]
struct ByHand(Arc<dyn Strategy>);

impl Strategy for ByHand {
    fn policy(&self) -> Policy {
        Policy { create_on_update: true, ..self.0.policy() }
    }

    fn decode(
        &self,
        version: &str,
        body: Value,
        validation: FieldValidation,
    ) -> Result<Decoded, DecodeError> {
        self.0.decode(version, body, validation)
    }

    fn default_applied(&self, version: &str, object: Value) -> Result<Value, DecodeError> {
        self.0.default_applied(version, object)
    }

    fn read(&self, stored: Value) -> Value {
        self.0.read(stored)
    }

    fn convert(&self, object: &Value, version: &str) -> Result<Value, String> {
        self.0.convert(object, version)
    }

    fn prepare_for_create(&self, _version: &str, object: &mut Value, _caller: &Caller<'_>) {
        object.set_path(&["metadata", "generation"], Value::Int(7));
    }

    fn prepare_for_update(
        &self,
        _version: &str,
        _part: Part,
        _object: &mut Value,
        _old: &Value,
        _caller: &Caller<'_>,
    ) {
    }

    fn validate(&self, change: &Change<'_>, _warnings: &mut Warnings) -> field::ErrorList {
        let mut errors = field::ErrorList::new();
        if change.object.get_path(&["spec", "size"]).and_then(Value::as_str) == Some("odd") {
            errors.push(Error::forbidden(&Path::new("spec.size"), "not by this hand"));
        }
        errors
    }

    fn warn(&self, _change: &Change<'_>, warnings: &mut Warnings) {
        warnings.add("made by hand".to_owned());
    }

    fn field_manager(&self, version: &str, part: Part) -> Option<&FieldManager> {
        self.0.field_manager(version, part)
    }

    fn field(&self, version: &str, object: &Value, field: &str) -> Option<Text> {
        self.0.field(version, object, field)
    }
}

#[tokio::test]
async fn a_strategy_written_by_hand_takes_the_place_of_all_that_is_declared() {
    let api = widgets();
    let gates = Arc::new(ordain_registry::gates::Gates::default());
    let declared = Resource::new(api.kinds[0].clone()).build(&gates).expect("builds");
    let by_hand = Arc::new(ByHand(declared.strategy));
    let resource = Resource::new(api.kinds[0].clone()).strategy(by_hand);
    let world = World::with_resource(&api, "", resource).await;
    let mut body = object("Widget", "a", value!({"size": "big"}));
    body.set_path(&["status"], value!({"count": 3}));
    let (made, warnings) = world.create_warned("widgets", body).await;
    let made = made.expect("created");
    assert_eq!(made.get_path(&["metadata", "generation"]), Some(&Value::Int(7)));
    assert_eq!(made.get_path(&["status", "count"]), Some(&Value::Int(3)), "nobody clears it");
    assert_eq!(warnings, ["made by hand"]);
    let refused = world.create("widgets", object("Widget", "b", value!({"size": "odd"}))).await;
    assert!(refused.expect_err("refused").message.contains("not by this hand"));
    let absent = object("Widget", "new", value!({}));
    world.update("widgets", absent).await.expect("this hand creates on update");
}

#[tokio::test]
async fn columns_and_selectable_fields_are_replaced_in_every_version() {
    let api = widgets();
    let column = Column {
        name: "Size".into(),
        ty: "string".into(),
        format: "".into(),
        description: "How big it is.".into(),
        priority: 0,
        json_path: ".spec.size".into(),
    };
    let resource = Resource::new(api.kinds[0].clone())
        .columns(vec![column.clone()])
        .selectable_fields(vec!["spec.color".into()]);
    let world = World::with_resource(&api, "", resource).await;
    let target = world.target("widgets", "");
    let version = target.resource.version("v1").expect("served");
    assert_eq!(version.columns, [column]);
    let red = object("Widget", "a", value!({"color": "red", "size": "big"}));
    let strategy = &target.resource.strategy;
    assert_eq!(strategy.field("v1", &red, "spec.color"), Some("red".into()));
    assert_eq!(strategy.field("v1", &red, "spec.size"), None);
}

#[tokio::test]
async fn the_status_has_hooks_of_its_own() {
    let api = widgets();
    let config = Config {
        drop_disabled_fields: Some(Arc::new(|object: &mut Value, _, _| {
            object.remove_path(&["spec", "color"]);
        })),
        status: StatusConfig {
            drop_disabled_fields: Some(Arc::new(|object: &mut Value, _, _| {
                object.remove_path(&["status", "young"]);
            })),
            prepare_for_update: Some(Arc::new(|object: &mut Value, _: &Value, _: &Caller<'_>| {
                let count = object.get_path(&["status", "count"]).and_then(Value::as_int);
                object.set_path(&["status", "count"], Value::Int(count.unwrap_or(0) + 1));
            })),
            warnings_on_update: Some(Arc::new(|_: &Value, _: &Value, _: &Caller<'_>| {
                vec!["noted".to_owned()]
            })),
            ..StatusConfig::default()
        },
        ..Config::default()
    };
    let resource = Resource::new(api.kinds[0].clone()).config(config);
    let world = World::with_resource(&api, "", resource).await;
    let body = object("Widget", "a", value!({"color": "red", "size": "big"}));
    let made = world.create("widgets", body).await.expect("created");
    assert_eq!(made.get("spec"), Some(&value!({"size": "big"})));
    let mut body = made;
    body.set_path(&["status"], value!({"count": 1, "young": 2}));
    let written = world.update_part("widgets", Part::Status, body).await.expect("written");
    assert_eq!(written.get("status"), Some(&value!({"count": 2})));
}
