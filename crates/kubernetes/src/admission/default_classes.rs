//! DefaultStorageClass and DefaultIngressClass: claims and ingresses that name no class get the
//! one that is marked as the default.

use ordain_meta::status::Status;
use ordain_strategy::object;
use ordain_value::Value;

use super::{Found, Plugin, Query, Request, found};

const STORAGE_MARKS: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];
const INGRESS_MARK: &str = "ingressclass.kubernetes.io/is-default-class";

#[derive(Debug)]
pub(super) struct DefaultStorageClass;

impl Plugin for DefaultStorageClass {
    fn name(&self) -> &'static str {
        "DefaultStorageClass"
    }

    fn needs(&self, request: &Request<'_>, claim: &Value) -> Vec<Query> {
        if request.creates("", "persistentvolumeclaims") && !has_storage_class(claim) {
            vec![Query::all("storage.k8s.io", "storageclasses", "")]
        } else {
            Vec::new()
        }
    }

    fn mutate(
        &self,
        request: &Request<'_>,
        claim: &mut Value,
        looked_up: &Found,
    ) -> Result<(), Status> {
        if !request.creates("", "persistentvolumeclaims") || has_storage_class(claim) {
            return Ok(());
        }
        let marked = found(looked_up, "storageclasses")
            .filter(|class| STORAGE_MARKS.iter().any(|mark| is_marked(class, mark)));
        if let Some(class) = newest(marked) {
            claim.set_path(&["spec", "storageClassName"], object::name(class).into());
        }
        Ok(())
    }
}

fn has_storage_class(claim: &Value) -> bool {
    annotation(claim, "volume.beta.kubernetes.io/storage-class").is_some()
        || claim.get_path(&["spec", "storageClassName"]).is_some()
}

#[derive(Debug)]
pub(super) struct DefaultIngressClass;

impl Plugin for DefaultIngressClass {
    fn name(&self) -> &'static str {
        "DefaultIngressClass"
    }

    fn needs(&self, request: &Request<'_>, ingress: &Value) -> Vec<Query> {
        if request.creates("networking.k8s.io", "ingresses") && !has_ingress_class(ingress) {
            vec![Query::all("networking.k8s.io", "ingressclasses", "")]
        } else {
            Vec::new()
        }
    }

    fn mutate(
        &self,
        request: &Request<'_>,
        ingress: &mut Value,
        looked_up: &Found,
    ) -> Result<(), Status> {
        if !request.creates("networking.k8s.io", "ingresses") || has_ingress_class(ingress) {
            return Ok(());
        }
        let classes = found(looked_up, "ingressclasses");
        if let Some(class) = newest(classes.filter(|class| is_marked(class, INGRESS_MARK))) {
            ingress.set_path(&["spec", "ingressClassName"], object::name(class).into());
        }
        Ok(())
    }
}

fn has_ingress_class(ingress: &Value) -> bool {
    annotation(ingress, "kubernetes.io/ingress.class").is_some()
        || ingress.get_path(&["spec", "ingressClassName"]).is_some()
}

fn annotation<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get_path(&["metadata", "annotations"])?.get(key)?.as_str()
}

fn is_marked(class: &Value, mark: &str) -> bool {
    annotation(class, mark) == Some("true")
}

/// Of several defaults the newest counts, then the one that comes first by name.
fn newest<'a>(classes: impl Iterator<Item = &'a Value>) -> Option<&'a Value> {
    let created = |class: &Value| object::text(class, "creationTimestamp").to_owned();
    classes.min_by(|a, b| {
        created(b).cmp(&created(a)).then_with(|| object::name(a).cmp(object::name(b)))
    })
}
