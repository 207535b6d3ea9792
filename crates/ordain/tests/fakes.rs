//! Fake controllers bring objects to the end that is declared.

use std::time::Duration;

use ordain::test_api::Wait;
use ordain::testing::TestServer;

const DEPLOYMENT: &str = r#"{"metadata":{"name":"web"},"spec":{"replicas":2,
    "selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
    "spec":{"containers":[{"name":"c","image":"i","ports":[{"name":"http","containerPort":8080}]}]}}}}"#;
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

fn server(outcomes: &str) -> TestServer {
    TestServer::builder().fake_controllers(["fake-all"], outcomes).unwrap().start().unwrap()
}

fn until(server: &TestServer, group: &str, resource: &str, name: &str, condition: &str) {
    let wait = Wait::new(group, resource).namespace("default").name(name).until(condition);
    let waited = server.wait(wait.timeout(Duration::from_secs(20)));
    waited.unwrap_or_else(|error| panic!("{error}\n{}", server.story().unwrap()));
}

#[test]
fn a_deployment_becomes_available_rolls_out_and_has_endpoints() {
    let server = server("");
    let service = r#"{"metadata":{"name":"web"},"spec":{"selector":{"app":"web"},
        "ports":[{"port":80,"targetPort":"http"}]}}"#;
    server.request("POST", "/api/v1/namespaces/default/services", service).unwrap();
    assert_eq!(server.request("POST", DEPLOYMENTS, DEPLOYMENT).unwrap().0, 201);
    let ready = "self.status.?readyReplicas.orValue(0) == 2 && self.status.observedGeneration == \
                 self.metadata.generation && self.status.conditions.exists(c, c.reason == \
                 'NewReplicaSetAvailable')";
    until(&server, "apps", "deployments", "web", ready);
    until(
        &server,
        "discovery.k8s.io",
        "endpointslices",
        "web-fake",
        "self.endpoints.size() == 2 && self.ports[0].port == 8080",
    );
    let other = DEPLOYMENT.replace("\"i\"", "\"other\"");
    assert_eq!(server.request("PUT", &format!("{DEPLOYMENTS}/web"), &other).unwrap().0, 200);
    let second = format!(
        "{ready} && self.metadata.annotations['deployment.kubernetes.io/revision'] == '2' && \
         self.status.replicas == 2"
    );
    until(&server, "apps", "deployments", "web", &second);
}

#[test]
fn pods_end_as_declared_by_file_and_by_annotation() {
    let server = server("- {kind: Pod, labels: {app: web}, outcome: never-ready}\n");
    assert_eq!(server.request("POST", DEPLOYMENTS, DEPLOYMENT).unwrap().0, 201);
    let stuck = "self.status.replicas == 2 && !has(self.status.readyReplicas) && \
                 self.status.conditions.exists(c, c.type == 'Available' && c.status == 'False')";
    until(&server, "apps", "deployments", "web", stuck);
    let job = r#"{"metadata":{"name":"j"},"spec":{"backoffLimit":1,"template":{
        "metadata":{"annotations":{"testing.ordain.dev/outcome":"fail"}},
        "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}"#;
    let jobs = "/apis/batch/v1/namespaces/default/jobs";
    assert_eq!(server.request("POST", jobs, job).unwrap().0, 201);
    let failed = "self.status.?conditions.orValue([]).exists(c, c.type == 'Failed' && c.reason == \
                  'BackoffLimitExceeded') && self.status.failed == 2";
    until(&server, "batch", "jobs", "j", failed);
}

#[test]
fn a_job_completes_and_goes_when_the_clock_says_so() {
    let server = server("");
    let job = r#"{"metadata":{"name":"j"},"spec":{"completions":3,"parallelism":2,
        "ttlSecondsAfterFinished":600,"template":{"spec":{"restartPolicy":"Never",
        "containers":[{"name":"c","image":"i"}]}}}}"#;
    let jobs = "/apis/batch/v1/namespaces/default/jobs";
    assert_eq!(server.request("POST", jobs, job).unwrap().0, 201);
    let complete = "self.status.?succeeded.orValue(0) == 3 && self.status.conditions.exists(c, \
                    c.type == 'Complete')";
    until(&server, "batch", "jobs", "j", complete);
    server.clock().advance(Duration::from_secs(601));
    let gone = Wait::new("batch", "jobs").name("j").until_gone();
    server.wait(gone.timeout(Duration::from_secs(20))).unwrap();
}

#[test]
fn claims_are_bound_and_stateful_sets_begin_in_order() {
    let server = server("");
    let claim = r#"{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],
        "resources":{"requests":{"storage":"1Gi"}}}}"#;
    let claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    assert_eq!(server.request("POST", claims, claim).unwrap().0, 201);
    until(&server, "", "persistentvolumeclaims", "data", "self.status.phase == 'Bound'");
    let set = DEPLOYMENT.replace("\"replicas\":2,", "\"replicas\":2,\"serviceName\":\"web\",");
    let sets = "/apis/apps/v1/namespaces/default/statefulsets";
    assert_eq!(server.request("POST", sets, &set).unwrap().0, 201);
    until(&server, "apps", "statefulsets", "web", "self.status.?readyReplicas.orValue(0) == 2");
    until(&server, "", "pods", "web-1", "self.status.phase == 'Running'");
}

#[test]
fn pods_of_controllers_run_on_a_node_where_there_is_one() {
    let server = server("");
    server.request("POST", "/api/v1/nodes", r#"{"metadata":{"name":"one"}}"#).unwrap();
    let controller = r#"{"metadata":{"name":"old"},"spec":{"replicas":2,"selector":{"app":"old"},
        "template":{"metadata":{"labels":{"app":"old"}},
        "spec":{"containers":[{"name":"c","image":"i"}]}}}}"#;
    let controllers = "/api/v1/namespaces/default/replicationcontrollers";
    assert_eq!(server.request("POST", controllers, controller).unwrap().0, 201);
    let ready = "self.status.?readyReplicas.orValue(0) == 2";
    until(&server, "", "replicationcontrollers", "old", ready);
    let (_, pods) = server.request("GET", "/api/v1/namespaces/default/pods", "").unwrap();
    assert_eq!(pods.matches(r#""nodeName":"one""#).count(), 2, "{pods}");
    let (_, events) = server.request("GET", "/api/v1/namespaces/default/events", "").unwrap();
    assert_eq!(events.matches(r#""reason":"Scheduled""#).count(), 2, "{events}");
}

#[test]
fn containers_for_debugging_run_too() {
    let server = server("");
    let pod = r#"{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}"#;
    let pods = "/api/v1/namespaces/default/pods";
    assert_eq!(server.request("POST", pods, pod).unwrap().0, 201);
    until(&server, "", "pods", "p", "self.status.phase == 'Running'");
    let (_, pod) = server.request("GET", &format!("{pods}/p"), "").unwrap();
    let added = r#""spec":{"ephemeralContainers":[{"name":"debugger","image":"i",
        "terminationMessagePolicy":"File","imagePullPolicy":"Always"}],"#;
    let pod = pod.replacen(r#""spec":{"#, added, 1);
    let path = format!("{pods}/p/ephemeralcontainers");
    let (code, answer) = server.request("PUT", &path, &pod).unwrap();
    assert_eq!(code, 200, "{answer}");
    let running = "self.status.?ephemeralContainerStatuses.orValue([]).exists(c, c.name == \
                   'debugger' && has(c.state.running))";
    until(&server, "", "pods", "p", running);
}

#[test]
fn a_claim_waits_for_the_volume_that_it_names() {
    let server = server("");
    let claim = r#"{"metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOnce"],
        "storageClassName":"","volumeName":"mine","resources":{"requests":{"storage":"1Gi"}}}}"#;
    let claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    assert_eq!(server.request("POST", claims, claim).unwrap().0, 201);
    let volume = r#"{"metadata":{"name":"mine"},"spec":{"capacity":{"storage":"2Gi"},
        "accessModes":["ReadWriteOnce"],"hostPath":{"path":"/mine"}}}"#;
    assert_eq!(server.request("POST", "/api/v1/persistentvolumes", volume).unwrap().0, 201);
    let bound = "self.status.phase == 'Bound' && self.status.capacity.storage == '2Gi'";
    until(&server, "", "persistentvolumeclaims", "data", bound);
}
