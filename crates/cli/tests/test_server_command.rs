//! `ordain test-server`: the command finds a server, and its exit code is the answer.

#![cfg(unix)]
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use ordain_value::{Value, json};

fn test_server() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.arg("test-server");
    command
}

#[test]
fn a_command_finds_the_server_and_its_exit_code_counts() {
    let script = "test -s \"$KUBECONFIG\" && grep -q https://127.0.0.1 \"$KUBECONFIG\" && \
                  test -n \"$ORDAIN_TEST_TOKEN\" && test \"$USE_EXISTING_CLUSTER\" = true && \
                  echo $KUBECONFIG && exit 7";
    let output = test_server().args(["--", "sh", "-c", script]).output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    let folder = String::from_utf8(output.stdout).unwrap();
    assert!(!std::path::Path::new(folder.trim()).exists(), "nothing is left behind");
    let missing = test_server().args(["--", "no-such-program"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(127));
}

#[test]
fn without_a_command_it_says_where_it_is_and_answers_those_who_know_the_token() {
    let mut child = test_server()
        .args(["--insecure-http", "--controllers=none,fake-pod"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let reported = json::decode(line.as_bytes()).unwrap();
    let text = |name: &str| reported.get(name).and_then(Value::as_str).unwrap().to_owned();
    let ask = |method: &str, url: String, token: &str, body: &str| {
        let agent: ureq::Agent =
            ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(url)
            .header("x-ordain-test-token", token)
            .header("content-type", "application/json");
        let mut answer = agent.run(request.body(body.to_owned()).unwrap()).unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
    };
    let call = |method: &str, what: &str, token: &str, body: &str| {
        ask(method, format!("{}{what}", text("testApi")), token, body)
    };
    let token = text("token");
    assert_eq!(call("POST", "reset", "wrong", "").0, 401);
    assert_eq!(call("POST", "reset", &token, "").0, 200);
    assert_eq!(call("POST", "nothing", &token, "").0, 400);
    let clock = r#"{"set":"2030-01-01T00:00:00Z","stopped":true,"advanceMilliseconds":1500}"#;
    let (code, body) = call("POST", "clock", &token, clock);
    assert_eq!(code, 200);
    assert!(body.contains("2030-01-01T00:00:01.5"), "{body}");
    let (code, body) = call("POST", "faults", &token, r#"{"fault":{"type":"error","code":200}}"#);
    assert_eq!(code, 400);
    assert!(body.contains("fault.code"), "{body}");
    let (code, forked) = call("POST", "fork", &token, "");
    assert_eq!(code, 201, "{forked}");
    let forked = json::decode(forked.as_bytes()).unwrap();
    let url = forked.get("url").and_then(Value::as_str).unwrap().to_owned();
    let get = |url: &str| ureq::get(url).call().unwrap().status().as_u16();
    assert_eq!(get(&format!("{url}/api/v1/namespaces/default")), 200);
    // The fork has the controllers of the first server.
    let pod = r#"{"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"a"}]}}"#;
    let (code, made) = ask("POST", format!("{url}/api/v1/namespaces/default/pods"), "", pod);
    assert_eq!(code, 201, "{made}");
    let running =
        r#"{"resource":"pods","condition":"self.?status.phase.orValue('') == 'Running'"}"#;
    let (code, found) = ask("POST", format!("{url}/ordain.test/v1/wait"), &token, running);
    assert_eq!(code, 200, "{found}");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success(), "it ends with its standard input");
}
