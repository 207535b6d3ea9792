"use strict";
// Starts the language server and hands texts to it; everything that is told comes from there.
const vscode = require("vscode");
const {LanguageClient} = require("vscode-languageclient/node");
const {SELECTOR, server} = require("./server.js");

let client;

async function start() {
  const {command, args} = server(vscode.workspace.getConfiguration("ordain"));
  client = new LanguageClient("ordain", "Ordain", {command, args}, {documentSelector: SELECTOR});
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`Ordain did not start (${command}): ${error.message}`);
  }
}

async function stop() {
  if (client) await client.stop();
  client = undefined;
}

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("ordain.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("ordain")) restart();
    }),
  );
  await start();
}

module.exports = {activate, deactivate: stop};
