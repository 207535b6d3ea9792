//! What every server begins with is stored without being validated: here it is validated.

mod support;

use ordain_kubernetes::bootstrap;
use ordain_meta::status::Reason;
use support::{create, fresh};

#[tokio::test]
async fn initial_objects_are_valid() {
    let registry = fresh(false).await;
    let now = "2026-11-17T00:00:00Z";
    let maps = [bootstrap::token_tracking(now), bootstrap::authentication("a certificate")];
    let roles = bootstrap::roles().into_iter();
    let objects = bootstrap::objects()
        .into_iter()
        .chain(bootstrap::flow_control())
        .chain(maps.map(|map| ("", "configmaps", map)))
        .chain(roles.map(|(plural, role)| ("rbac.authorization.k8s.io", plural, role)));
    let mut judged = 0;
    for (group, plural, object) in objects {
        let resource =
            if group.is_empty() { plural.to_owned() } else { format!("{group}/{plural}") };
        // What is there already was validated before its name was found to be taken.
        match create(&registry, &resource, &object).await {
            Err(status) if status.reason != Reason::AlreadyExists => {
                panic!("{resource}: {status:?}\n{object:?}")
            }
            _ => judged += 1,
        }
    }
    assert!(judged > 100, "{judged}");
}
