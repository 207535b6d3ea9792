//! Admission plugins that ask who may do what.

use ordain_schema::base64;
use ordain_value::{Value, value};
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};

use crate::client::Answer;
use crate::roles::grant;
use crate::server::Server;

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/// A request for a certificate of an organization.
fn signing_request(name: &str, signer: &str, organization: &str) -> Value {
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, "ann");
    params.distinguished_name.push(DnType::OrganizationName, organization);
    let key = KeyPair::generate().unwrap();
    let pem = params.serialize_request(&key).unwrap().pem().unwrap();
    value!({
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": name},
        "spec": {
            "request": (base64::encode(pem.as_bytes())),
            "signerName": signer,
            "usages": ["client auth"]
        }
    })
}

#[test]
fn certificates_are_approved_and_signed_by_who_may_do_it_for_their_signer() {
    let server = Server::with_plugins(&[]);
    let parts = value!([{
        "apiGroups": ["certificates.k8s.io"],
        "resources": ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
        "verbs": ["update"]
    }]);
    grant(&server, "parts", parts, "bob");
    let signers = |verb: &str, name: &str| {
        value!([{
            "apiGroups": ["certificates.k8s.io"], "resources": ["signers"],
            "resourceNames": [name], "verbs": [verb]
        }])
    };
    let request = signing_request("ann", "example.com/people", "dev");
    let mut request = server.create(REQUESTS, &request).body;
    let condition = value!([{"type": "Approved", "status": "True", "reason": "Known"}]);
    request.set_path(&["status", "conditions"], condition);
    let bob = server.user("bob");
    let approval = format!("{REQUESTS}/ann/approval");
    let refused = bob.put(&approval, &request);
    assert_eq!(refused.code, 403);
    assert_eq!(
        refused.message(),
        "certificatesigningrequests.certificates.k8s.io \"ann\" is forbidden: user not permitted \
         to approve requests with signerName \"example.com/people\""
    );
    // Of another signer, and then of all signers of the domain.
    grant(&server, "others", signers("approve", "example.com/machines"), "bob");
    assert_eq!(bob.put(&approval, &request).code, 403);
    grant(&server, "domain", signers("approve", "example.com/*"), "bob");
    let approved = bob.put(&approval, &request);
    assert_eq!(approved.code, 200, "{}", approved.message());
    let mut request = approved.body;
    let failed = value!({"type": "Failed", "status": "True", "reason": "NoKey"});
    let mut conditions = request.get_path(&["status", "conditions"]).cloned().unwrap();
    conditions.as_list_mut().unwrap().push(failed);
    request.set_path(&["status", "conditions"], conditions);
    let status = format!("{REQUESTS}/ann/status");
    let refused = bob.put(&status, &request);
    assert_eq!(refused.code, 403);
    assert!(refused.message().contains("user not permitted to sign"), "{}", refused.message());
    grant(&server, "sign", signers("sign", "example.com/people"), "bob");
    let signed = bob.put(&status, &request);
    assert_eq!(signed.code, 200, "{}", signed.message());
}

#[test]
fn nobody_asks_for_a_certificate_that_may_do_everything() {
    let server = Server::with_plugins(&[]);
    let signer = "kubernetes.io/kube-apiserver-client";
    let admin = server.admin();
    let refused = admin.post(REQUESTS, &signing_request("root", signer, "system:masters"));
    assert_eq!(refused.code, 403);
    assert_eq!(
        refused.message(),
        "certificatesigningrequests.certificates.k8s.io \"root\" is forbidden: use of \
         kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed"
    );
    assert_eq!(admin.post(REQUESTS, &signing_request("ann", signer, "dev")).code, 201);
    let other = signing_request("other", "example.com/people", "system:masters");
    assert_eq!(admin.post(REQUESTS, &other).code, 201);
}

#[test]
fn owners_are_named_by_who_may_delete_and_kept_by_who_may_finalize() {
    let server = Server::with_plugins(&["OwnerReferencesPermissionEnforcement"]);
    let maps = "/api/v1/namespaces/default/configmaps";
    let rules =
        value!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "update"]}]);
    grant(&server, "maps", rules, "bob");
    let map =
        |name: &str| value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    let owner = server.create(maps, &map("owner")).body;
    let reference = |blocks: bool| {
        value!([{
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner",
            "uid": (owner.get_path(&["metadata", "uid"]).cloned()), "blockOwnerDeletion": blocks
        }])
    };
    let bob = server.user("bob");
    let mut child = bob.post(maps, &map("child")).body;
    child.set_path(&["metadata", "ownerReferences"], reference(false));
    let path = format!("{maps}/child");
    let refused = bob.put(&path, &child);
    assert_eq!(refused.code, 403);
    let why = "cannot set an ownerRef on a resource you can't delete";
    assert!(refused.message().contains(why), "{}", refused.message());
    let deletes = value!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["delete"]}]);
    grant(&server, "deletes", deletes, "bob");
    let owned = bob.put(&path, &child);
    assert_eq!(owned.code, 200, "{}", owned.message());
    let mut child = owned.body;
    child.set_path(&["metadata", "ownerReferences"], reference(true));
    let refused = bob.put(&path, &child);
    let why = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't \
               set finalizers on";
    assert!(refused.message().contains(why), "{}", refused.message());
    let finalizers = value!([{
        "apiGroups": [""], "resources": ["configmaps/finalizers"], "verbs": ["update"]
    }]);
    grant(&server, "finalizers", finalizers, "bob");
    assert_eq!(bob.put(&path, &child).code, 200);
}

#[test]
fn a_node_writes_what_is_its_own() {
    let server = Server::with_plugins(&["NodeRestriction"]);
    let all = value!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]);
    grant(&server, "node", all, "system:node:n1");
    let (node, admin) = (server.user("node"), server.admin());
    let named = |name: &str| value!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {}}});
    let refused = |answer: Answer, why: &str| {
        assert_eq!(answer.code, 403, "{why}");
        assert!(answer.message().ends_with(why), "{}", answer.message());
    };
    let nodes = "/api/v1/nodes";
    let why = "node \"n1\" is not allowed to modify node \"n2\"";
    refused(node.post(nodes, &named("n2")), why);
    let mut wrong = named("n1");
    let label = "node-restriction.kubernetes.io/team";
    wrong.set_path(&["metadata", "labels", label], "a".into());
    let why = "not allowed to set the following labels: node-restriction.kubernetes.io/team";
    refused(node.post(nodes, &wrong), why);
    let mut own = named("n1");
    own.set_path(&["metadata", "labels", "kubernetes.io/os"], "linux".into());
    own.set_path(&["metadata", "labels", "team"], "a".into());
    let own = node.post(nodes, &own);
    assert_eq!(own.code, 201, "{}", own.message());
    let mut tainted = own.body.clone();
    tainted.set_path(&["spec", "taints"], value!([{"key": "a", "effect": "NoSchedule"}]));
    refused(node.put("/api/v1/nodes/n1", &tainted), "node \"n1\" is not allowed to modify taints");

    let pods = "/api/v1/namespaces/default/pods";
    let pod = |name: &str, node: &str| {
        value!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "annotations": {}},
            "spec": {"nodeName": node, "containers": [{"name": "a", "image": "a"}]}
        })
    };
    refused(node.post(pods, &pod("mine", "n1")), "node \"n1\" can only create mirror pods");
    let mut mirror = pod("mine", "n1");
    mirror.set_path(&["metadata", "annotations", "kubernetes.io/config.mirror"], "x".into());
    let why = "can only create pods with an owner reference set to itself";
    refused(node.post(pods, &mirror), why);
    let owner = value!([{
        "apiVersion": "v1", "kind": "Node", "name": "n1", "controller": true,
        "uid": (own.body.get_path(&["metadata", "uid"]).cloned())
    }]);
    mirror.set_path(&["metadata", "ownerReferences"], owner);
    let mut needy = mirror.clone();
    needy.set_path(&["spec", "imagePullSecrets"], value!([{"name": "s"}]));
    refused(node.post(pods, &needy), "node \"n1\" can not create pods that reference secrets");
    let made = node.post(pods, &mirror);
    assert_eq!(made.code, 201, "{}", made.message());
    assert_eq!(admin.post(pods, &pod("other", "n2")).code, 201);
    let why = "node \"n1\" can only delete pods with spec.nodeName set to itself";
    refused(node.delete(&format!("{pods}/other")), why);
    assert_eq!(node.delete(&format!("{pods}/mine?gracePeriodSeconds=0")).code, 200);

    let leases =
        |namespace: &str| format!("/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases");
    let lease = |name: &str| {
        value!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name}
        })
    };
    let why = "can only access leases in the \"kube-node-lease\" system namespace";
    refused(node.post(&leases("default"), &lease("n1")), why);
    let why = "can only access node lease with the same name as the requesting node";
    refused(node.post(&leases("kube-node-lease"), &lease("n2")), why);
    assert_eq!(node.post(&leases("kube-node-lease"), &lease("n1")).code, 201);

    let signer = "kubernetes.io/kube-apiserver-client-kubelet";
    let request = signing_request("n1", signer, "system:nodes");
    refused(node.post(REQUESTS, &request), "can only create a node CSR with CN=system:node:n1");
}
