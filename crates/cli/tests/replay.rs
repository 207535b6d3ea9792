//! `ordain replay`: what a test server wrote down is played again.

use std::process::Command;

use ordain::testing::TestServer;

#[test]
fn a_transcript_is_played_again_by_the_command() {
    let server = TestServer::start().unwrap();
    let maps = "/api/v1/namespaces/default/configmaps";
    let map = r#"{"metadata":{"name":"a"},"data":{"n":"1"}}"#;
    for code in [201, 409] {
        assert_eq!(server.request("POST", maps, map).unwrap().0, code);
    }
    server.request("GET", &format!("{maps}/a"), "").unwrap();
    server.request("PUT", &format!("{maps}/a"), &map.replace('1', "2")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("recorded.jsonl");
    std::fs::write(&file, server.transcript().unwrap()).unwrap();
    let replay = |url: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
        let output = command.arg("replay").arg(&file).args(["--server", url]).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let fresh = TestServer::start().unwrap();
    let (code, text) = replay(&fresh.url());
    assert_eq!((code, text.trim()), (Some(0), "4 requests, 0 answers differ"), "{text}");
    let (code, text) = replay(&fresh.url());
    assert_eq!(code, Some(1), "the object is there already: {text}");
}
