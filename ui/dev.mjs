// The page from the files of this folder in front of a running server, for work on the page:
//
//   node dev.mjs http://127.0.0.1:8080 [PORT]
//
// Everything but /ui goes to the server; so do the page's own questions under /ui/api.
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const assets = join(dirname(fileURLToPath(import.meta.url)), "../crates/explorer/assets");
const [target = "http://127.0.0.1:8080", port = "5173"] = process.argv.slice(2);
const types = { html: "text/html", js: "text/javascript", css: "text/css", txt: "text/plain" };
const page = readFileSync(join(assets, "../src/page.rs"), "utf8");
const policy = /CONTENT_SECURITY_POLICY: &str = "([^"]*)"/.exec(page)[1].replace(/\\\n\s*/g, "");

createServer((asked, answer) => {
  const path = asked.url.split("?")[0];
  if (/^\/ui(\/[\w.]*)?$/.test(path)) {
    const name = path.replace(/^\/ui\/?/, "") || "index.html";
    answer.setHeader("Content-Type", `${types[name.split(".").pop()]}; charset=utf-8`);
    answer.setHeader("Content-Security-Policy", policy);
    return answer.end(readFileSync(join(assets, name)));
  }
  const { host: _, origin: __, "sec-fetch-site": ___, ...headers } = asked.headers;
  const onward = request(target + asked.url, { method: asked.method, headers }, (got) => {
    answer.writeHead(got.statusCode, got.headers).flushHeaders();
    got.pipe(answer);
  });
  onward.on("error", (error) => answer.writeHead(502).end(String(error)));
  answer.on("close", () => onward.destroy());
  asked.pipe(onward);
}).listen(Number(port), "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/ui`));
