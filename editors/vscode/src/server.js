"use strict";
// What is started, apart from the editor, so that it can be tried without one.

/** The command of the language server, by the settings of the user. */
function server(settings) {
  const named = settings.get("path");
  const command = process.env.ORDAIN || named || "ordain";
  return {command, args: ["lsp", ...(settings.get("arguments") || [])]};
}

/** The texts that the server is asked about; it tells manifests from others itself. */
const SELECTOR = ["yaml", "json"].flatMap((language) => [
  {language, scheme: "file"},
  {language, scheme: "untitled"},
]);

module.exports = {SELECTOR, server};
