//! Objects with long lists, and what is shown of them.

use super::{Attack, CONFIG_MAPS, JSON, attack, list, one};
use crate::program::{DEFINITIONS, THINGS, definition};

const PODS: &str = "/api/v1/namespaces/default/pods";

/// Long lists within objects of built-in kinds and definitions.
pub(super) fn lists() -> Vec<Attack> {
    let tolerations = list(30_000, |at| format!(r#"{{"key":"k{at}","operator":"Exists"}}"#));
    let spread = list(5_000, |at| {
        format!(
            r#"{{"maxSkew":1,"topologyKey":"t{at}","whenUnsatisfiable":"DoNotSchedule","labelSelector":{{"matchLabels":{{"a":"b"}}}}}}"#
        )
    });
    let pod = |spec: &str| {
        format!(r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p"}},"spec":{{{spec}}}}}"#)
            .into_bytes()
    };
    let spreading = pod(&format!(
        r#""containers":[{{"name":"c","image":"i"}}],"tolerations":[{tolerations}],"topologySpreadConstraints":[{spread}]"#
    ));
    let empty = pod(&format!(r#""containers":[{}]"#, list(900_000, |_| "{}".to_owned())));
    let properties = list(80_000, |at| format!(r#""p{at}":{{"type":"string"}}"#));
    let wide = format!(r#"{{"type":"object","properties":{{{properties}}}}}"#);
    let finalized = |step: usize| {
        let finalizers = list(100_000 / step, |at| format!(r#""a.b/c{}""#, at * step));
        format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"f","finalizers":[{finalizers}]}}}}"#
        )
        .into_bytes()
    };
    let (all, half) = (finalized(1), finalized(2));
    vec![
        attack("30,000 tolerations, 5,000 constraints", move |it| {
            one(it, "POST", PODS, JSON, spreading.clone())
        }),
        attack("900,000 empty containers", move |it| one(it, "POST", PODS, JSON, empty.clone())),
        attack("definition of 80,000 properties", move |it| {
            one(it, "POST", DEFINITIONS, JSON, definition("wides", "Wide", &wide))
        }),
        Attack {
            name: "100,000 finalizers of what is deleted",
            prepare: Box::new(move |it| {
                assert_eq!(one(it, "POST", CONFIG_MAPS, JSON, all.clone()), "201");
                let path = format!("{CONFIG_MAPS}/f");
                assert_eq!(one(it, "DELETE", &path, JSON, Vec::new()), "200");
            }),
            run: Box::new(move |it| {
                one(it, "PUT", &format!("{CONFIG_MAPS}/f"), JSON, half.clone())
            }),
        },
        columns(),
    ]
}

/// A table whose columns all unfold lists in lists.
fn columns() -> Attack {
    let columns = list(3_000, |at| {
        format!(
            r#"{{"name":"c{at}","type":"string","jsonPath":".spec.v[*][*][*][*][*][*][*][*].none"}}"#
        )
    });
    let defined = format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"things.bench.example.com"}},"spec":{{"group":"bench.example.com","scope":"Namespaced","names":{{"plural":"things","kind":"Thing"}},"versions":[{{"name":"v1","served":true,"storage":true,"additionalPrinterColumns":[{columns}],"schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"spec":{{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}}}}}}]}}}}"#
    );
    let nested =
        (0..8).fold(r#""x""#.to_owned(), |inner, _| format!("[{}]", [inner.as_str(); 4].join(",")));
    let object = format!(
        r#"{{"apiVersion":"bench.example.com/v1","kind":"Thing","metadata":{{"name":"a"}},"spec":{{"v":{nested}}}}}"#
    );
    Attack {
        name: "3,000 columns over lists in lists",
        prepare: Box::new(move |it| {
            assert_eq!(one(it, "POST", DEFINITIONS, JSON, defined.clone().into()), "201");
            assert_eq!(one(it, "POST", THINGS, JSON, object.clone().into()), "201");
        }),
        run: Box::new(|it| {
            let accept = "application/json;as=Table;v=v1;g=meta.k8s.io".to_owned();
            let headers = vec![("accept".to_owned(), accept)];
            let request = ordain_testkit::client::Request {
                method: "GET",
                path: THINGS,
                headers,
                ..Default::default()
            };
            let answer = it.client().call(&request);
            answer.map_or_else(|error| error.to_string(), |answer| answer.code.to_string())
        }),
    }
}
