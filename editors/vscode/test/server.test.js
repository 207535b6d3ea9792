"use strict";
// The server as the extension starts it, without an editor: a conversation over its streams.
const assert = require("node:assert");
const {spawn} = require("node:child_process");
const path = require("node:path");
const test = require("node:test");
const manifest = require("../package.json");
const {SELECTOR, server} = require("../src/server.js");

const settings = (values) => ({get: (key) => values[key]});

test("the settings say what is started", () => {
  const before = process.env.ORDAIN;
  delete process.env.ORDAIN;
  const found = server(settings({path: "/opt/ordain", arguments: ["--crds", "crds"]}));
  assert.deepStrictEqual(found, {command: "/opt/ordain", args: ["lsp", "--crds", "crds"]});
  assert.strictEqual(server(settings({})).command, "ordain");
  if (before) process.env.ORDAIN = before;
});

test("the manifest names what is there", () => {
  require.resolve(path.join("..", manifest.main));
  const languages = manifest.activationEvents.map((it) => it.split(":")[1]);
  assert.deepStrictEqual([...new Set(SELECTOR.map((it) => it.language))], languages);
});

function frame(message) {
  const text = JSON.stringify({jsonrpc: "2.0", ...message});
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

test("the server tells what is wrong with a manifest", {skip: !process.env.ORDAIN}, async () => {
  const {command, args} = server(settings({}));
  const child = spawn(command, args, {stdio: ["pipe", "pipe", "inherit"]});
  const uri = "file:///w/map.yaml";
  const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndate: {}\n";
  child.stdin.write(frame({id: 1, method: "initialize", params: {capabilities: {}}}));
  child.stdin.write(frame({method: "initialized", params: {}}));
  const opened = {uri, languageId: "yaml", version: 1, text};
  child.stdin.write(frame({method: "textDocument/didOpen", params: {textDocument: opened}}));
  child.stdin.write(frame({id: 2, method: "shutdown"}));
  child.stdin.end(frame({method: "exit"}));
  let heard = "";
  child.stdout.on("data", (data) => (heard += data));
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.strictEqual(code, 0);
  assert.match(heard, /textDocument\/publishDiagnostics/);
  assert.match(heard, /unknown field \\"date\\"/);
  assert.match(heard, /codeActionProvider/);
});
