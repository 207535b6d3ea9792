//! DefaultStorageClass and DefaultIngressClass: claims and ingresses that name no class get the
//! one that is marked as the default.

use ordain_strategy::object;
use ordain_value::Value;

use super::{Plugin, Query, Request, Verdict};
use crate::core::volume;
use crate::networking::ingress_class;
use crate::shared::access::annotation;
use crate::storage::storage_class;

/// Gives objects of one kind their class.
#[derive(Debug)]
pub(super) struct DefaultClass {
    name: &'static str,
    /// Group and plural of the objects.
    objects: (&'static str, &'static str),
    /// Group and plural of the classes.
    classes: (&'static str, &'static str),
    /// The annotations that mark the default.
    marks: &'static [&'static str],
    /// Where an object names its class: a field of its spec, and an annotation of old.
    field: &'static str,
    annotation: &'static str,
}

pub(super) const STORAGE: DefaultClass = DefaultClass {
    name: "DefaultStorageClass",
    objects: ("", "persistentvolumeclaims"),
    classes: ("storage.k8s.io", "storageclasses"),
    marks: &storage_class::DEFAULT_CLASS,
    field: "storageClassName",
    annotation: volume::CLASS,
};

pub(super) const INGRESS: DefaultClass = DefaultClass {
    name: "DefaultIngressClass",
    objects: ("networking.k8s.io", "ingresses"),
    classes: ("networking.k8s.io", "ingressclasses"),
    marks: &[ingress_class::DEFAULT],
    field: "ingressClassName",
    annotation: "kubernetes.io/ingress.class",
};

impl DefaultClass {
    fn is_concerned(&self, request: &Request<'_>, object: &Value) -> bool {
        request.creates(self.objects.0, self.objects.1)
            && annotation(object, self.annotation).is_none()
            && object.get_path(&["spec", self.field]).is_none()
    }
}

impl Plugin for DefaultClass {
    fn name(&self) -> &'static str {
        self.name
    }

    fn needs(&self, request: &Request<'_>, object: &Value) -> Vec<Query> {
        if self.is_concerned(request, object) {
            vec![Query::all(self.classes.0, self.classes.1, "")]
        } else {
            Vec::new()
        }
    }

    fn mutate(&self, request: &Request<'_>, object: &mut Value) -> Verdict {
        if self.is_concerned(request, object) {
            let marked = |class: &&Value| self.marks.iter().any(|mark| is_marked(class, mark));
            if let Some(class) = newest(request.found(self.classes.1).filter(marked)) {
                object.set_path(&["spec", self.field], object::name(class).into());
            }
        }
        Ok(())
    }
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
