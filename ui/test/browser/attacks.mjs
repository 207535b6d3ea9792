// What others would do through the explorer.
import assert from "node:assert/strict";
import { createServer } from "node:http";

const HOSTILE = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;

/** Script in names, annotations and descriptions is text. */
export async function hostile(it) {
  const property = (description) => ({ type: "string", description });
  await it.api("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "traps.evil.example.com" },
    spec: {
      group: "evil.example.com",
      scope: "Namespaced",
      names: { kind: "Trap", plural: "traps", singular: "trap" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          additionalPrinterColumns: [
            { name: HOSTILE, type: "string", jsonPath: ".spec.bait", description: HOSTILE },
          ],
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: HOSTILE,
              properties: {
                spec: {
                  type: "object",
                  description: HOSTILE,
                  "x-kubernetes-validations": [{ rule: "self.bait != ''", message: HOSTILE }],
                  properties: {
                    bait: { ...property(HOSTILE), default: HOSTILE },
                    "<b>bold</b>": property(HOSTILE),
                  },
                },
              },
            },
          },
        },
      ],
    },
  });
  const trap = {
    apiVersion: "evil.example.com/v1",
    kind: "Trap",
    metadata: { name: "trap", annotations: { note: HOSTILE } },
    spec: { bait: HOSTILE },
  };
  for (let tries = 0; ; tries += 1) {
    try {
      await it.api("POST", "/apis/evil.example.com/v1/namespaces/default/traps", trap);
      break;
    } catch (error) {
      if (tries > 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  const base = "#/k/evil.example.com/v1/traps";
  for (const [tab, where] of [
    ["schema", ".schema"],
    ["objects", ".grid"],
    ["object/default/trap", ".text"],
    ["try", ".try"],
    ["rules", ".rule-list"],
  ]) {
    await it.go("#/");
    await it.go(`${base}/${tab}`);
    await it.see("onerror=", where);
    const injected = await it.page.evaluate(() => {
      const roots = [
        document,
        ...[...document.querySelectorAll("*")].flatMap((node) => node.shadowRoot ?? []),
      ];
      return roots.some((root) => root.querySelector("img, main script, b:not([id]):not(.plot b)") !== null);
    });
    assert.equal(injected, false, `${tab} made markup of text`);
  }
}

/** A page of another origin can neither read nor write, with or without frames. */
export async function origin(it) {
  const server = createServer((_, answer) => {
    answer.setHeader("Content-Type", "text/html");
    answer.end("<title>elsewhere</title><body></body>");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    await it.page.goto(`http://127.0.0.1:${server.address().port}/`);
    const told = await it.page.evaluate(async (url) => {
      const attempt = async (path, options) => {
        try {
          const answer = await fetch(url + path, options);
          return answer.type === "opaque" ? "opaque" : `read ${answer.status}`;
        } catch {
          return "blocked";
        }
      };
      const body = JSON.stringify({ metadata: { name: "stolen" } });
      const write = { method: "POST", body, mode: "no-cors", credentials: "include" };
      const frame = document.createElement("iframe");
      frame.src = `${url}/ui`;
      document.body.append(frame);
      await new Promise((resolve) => (frame.onload = resolve));
      let framed = "shown";
      try {
        framed = frame.contentDocument === null ? "closed" : frame.contentDocument.body.innerText;
      } catch {
        framed = "closed";
      }
      return {
        read: await attempt("/api/v1/namespaces"),
        ask: await attempt("/ui/api/about"),
        simple: await attempt("/api/v1/namespaces/default/configmaps", write),
        bare: await attempt("/api/v1/namespaces/default/configmaps", { ...write, body: new Blob([body]) }),
        remove: await attempt("/api/v1/namespaces/default/configmaps/kept", { method: "DELETE" }),
        framed,
      };
    }, it.url);
    assert.equal(told.read, "blocked");
    assert.equal(told.ask, "blocked");
    assert.equal(told.remove, "blocked");
    assert.equal(told.framed, "closed");
  } finally {
    server.close();
  }
  const { items } = await it.api("GET", "/api/v1/namespaces/default/configmaps");
  assert.deepEqual(
    items.filter((item) => item.metadata.name === "stolen"),
    [],
  );
  // The refused frame and requests are what the browser complains of.
  it.complaints.length = 0;
}

/** A viewer who may only read signs in, reads, and can do no more. */
export async function readonly(it, token) {
  await it.go("#/k/core/v1/configmaps/objects");
  await it.see("This server asks who you are.");
  await it.accessible("the login");
  await it.page.type("#token", "wrong");
  await it.click("button[type=submit]");
  await it.see("Unauthorized");
  await it.page.type("#token", token);
  await it.click("button[type=submit]");
  await it.see("reader", ".user");
  await it.see("shown", ".grid");
  await it.go("#/k/core/v1/configmaps/try");
  await it.page.type("#token", token).catch(() => {});
  if ((await it.page.$("#token")) !== null) await it.click("button[type=submit]");
  await it.see("forbidden", ".problems");
  assert.equal(await it.page.$eval("#act", (act) => act.disabled), true);
  const forged = await it.page.evaluate(
    async () => (await fetch("/api/v1/namespaces/default/configmaps")).status,
  );
  assert.equal(forged, 401, "the token belongs to the page's own requests alone");
  await secrets(it, token);
}

/** The token is in no address and no storage, and a reload forgets it. */
async function secrets(it, token) {
  const kept = await it.page.evaluate(async () =>
    JSON.stringify([
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      location.href,
      history.state,
      (await indexedDB.databases()).map((base) => base.name),
      document.documentElement.outerHTML,
    ]),
  );
  assert.equal(kept.includes(token), false, "the token is kept");
  assert.equal(
    it.requests.some((request) => request.url().includes(token)),
    false,
    "the token is in an address",
  );
  await it.page.reload();
  await it.see("This server asks who you are.");
}
