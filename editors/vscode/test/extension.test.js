"use strict";
// The extension with stand-ins for the editor and its client library; the server is the real one
// when `ORDAIN` names it.
const assert = require("node:assert");
const Module = require("node:module");
const {spawn} = require("node:child_process");
const test = require("node:test");

/** What the extension asked of the editor. */
function editor(values) {
  const asked = {commands: {}, errors: [], changed: undefined, clients: []};
  const disposable = () => ({dispose() {}});
  asked.vscode = {
    workspace: {
      getConfiguration: () => ({get: (key) => values[key]}),
      onDidChangeConfiguration: (run) => ((asked.changed = run), disposable()),
    },
    window: {showErrorMessage: (text) => asked.errors.push(text)},
    commands: {registerCommand: (name, run) => ((asked.commands[name] = run), disposable())},
  };
  asked.library = {
    LanguageClient: class {
      constructor(id, name, server, options) {
        Object.assign(this, {id, server, options, running: false});
        asked.clients.push(this);
      }
      /** Starts the process and is content when it lives. */
      start() {
        return new Promise((resolve, reject) => {
          this.child = spawn(this.server.command, this.server.args, {stdio: ["pipe", "ignore", "ignore"]});
          this.child.once("error", reject);
          this.child.once("spawn", () => ((this.running = true), resolve()));
        });
      }
      async stop() {
        if (this.running) this.child.kill();
        this.running = false;
      }
    },
  };
  return asked;
}

/** Loads the extension anew, with an editor around it. */
function loaded(asked) {
  const load = Module._load;
  const path = require.resolve("../src/extension.js");
  delete require.cache[path];
  Module._load = function (name, ...rest) {
    if (name === "vscode") return asked.vscode;
    if (name === "vscode-languageclient/node") return asked.library;
    return load.call(this, name, ...rest);
  };
  try {
    return require(path);
  } finally {
    Module._load = load;
  }
}

/** Something that runs until it is told to end. */
const command = process.env.ORDAIN || process.execPath;

test("the client starts, restarts by command and by setting, and stops", async () => {
  const asked = editor({path: command});
  const extension = loaded(asked);
  const context = {subscriptions: []};
  await extension.activate(context);
  assert.strictEqual(context.subscriptions.length, 2);
  assert.deepStrictEqual(asked.errors, []);
  assert.strictEqual(asked.clients.length, 1);
  assert.deepStrictEqual(asked.clients[0].server.args, ["lsp"]);
  assert.ok(asked.clients[0].options.documentSelector.some((it) => it.language === "yaml"));
  await asked.commands["ordain.restart"]();
  assert.deepStrictEqual(asked.clients.map((it) => it.running), [false, true]);
  asked.changed({affectsConfiguration: (name) => name === "editor"});
  assert.strictEqual(asked.clients.length, 2);
  await extension.deactivate();
  assert.deepStrictEqual(asked.clients.map((it) => it.running), [false, false]);
  await extension.deactivate();
});

test("a command that is not there is told", async () => {
  const before = process.env.ORDAIN;
  delete process.env.ORDAIN;
  const asked = editor({path: "/nowhere/ordain"});
  await loaded(asked).activate({subscriptions: []});
  assert.strictEqual(asked.errors.length, 1);
  assert.match(asked.errors[0], /Ordain did not start \(\/nowhere\/ordain\)/);
  if (before) process.env.ORDAIN = before;
});
