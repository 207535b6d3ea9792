//! How fast an autoscaler may change the count: defaults, and the text that
//! `autoscaling/v1` keeps in an annotation.

use ordain_value::{Map, Value, value};

use crate::shared::{diff, fields};

/// Fills in both directions of a behavior that is given.
pub(super) fn default(autoscaler: &mut Value) {
    let steps = ["spec", "behavior"];
    if fields::at(autoscaler, &steps).is_none() {
        return;
    }
    let percent = value!({"type": "Percent", "value": 100, "periodSeconds": 15});
    let pods = value!({"type": "Pods", "value": 4, "periodSeconds": 15});
    for (side, policies) in
        [("scaleUp", value!([pods, percent.clone()])), ("scaleDown", value!([percent]))]
    {
        let at = |field| ["spec", "behavior", side, field];
        fields::default(autoscaler, &["spec", "behavior", side], Map::new());
        fields::default(autoscaler, &at("selectPolicy"), "Max");
        fields::default(autoscaler, &at("policies"), policies);
        if side == "scaleUp" {
            fields::default(autoscaler, &at("stabilizationWindowSeconds"), 0);
        }
    }
}

/// The text of the annotation, with the names of upstream's internal type.
pub(super) fn encode(behavior: &Value) -> String {
    diff::text(behavior, "=HorizontalPodAutoscalerBehavior")
}

/// Reads the text of the annotation, decoded; names in any case, as Go does.
pub(super) fn decode(text: &Value) -> Option<Value> {
    let mut out = Map::new();
    for side in diff::field_names("HorizontalPodAutoscalerBehavior") {
        let Some(rules) = named(text.as_map()?, side).filter(|it| !it.is_null()) else { continue };
        let mut read = Map::new();
        for name in diff::field_names("HPAScalingRules") {
            let Some(value) = named(rules.as_map()?, name).filter(|it| !it.is_null()) else {
                continue;
            };
            let value = match value.as_list() {
                Some(list) if name == "policies" => {
                    Value::from(list.iter().map(decode_policy).collect::<Option<Vec<_>>>()?)
                }
                _ => value.clone(),
            };
            read.insert(name, value);
        }
        out.insert(side, Value::Map(read));
    }
    (!out.is_empty()).then_some(Value::Map(out))
}

fn decode_policy(policy: &Value) -> Option<Value> {
    let map = policy.as_map()?;
    let fields = diff::field_names("HPAScalingPolicy").map(|name| {
        let absent: Value = if name == "type" { "".into() } else { 0.into() };
        (name.into(), named(map, name).cloned().unwrap_or(absent))
    });
    Some(Value::Map(Map::from_entries(fields.collect())))
}

fn named<'a>(map: &'a Map, name: &str) -> Option<&'a Value> {
    map.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}
