// What people do with the explorer, on the example API of `ordain serve --demo`.
import assert from "node:assert/strict";
import { load } from "../unit/load.mjs";

const WIDGETS = "#/k/shop.example.com/v1/widgets";
const PATH = "/apis/shop.example.com/v1/namespaces/default/widgets";
const MERGE = { "Content-Type": "application/merge-patch+json" };

const widget = (name, spec = {}) => ({
  apiVersion: "shop.example.com/v1",
  kind: "Widget",
  metadata: { name, namespace: "default" },
  spec: { size: "Small", ...spec },
});

/** The map: search by name, short name and field; the tree; the versions. */
export async function map(it) {
  await it.go("#/");
  await it.see("Widget", ".cards");
  await it.picture("home");
  await it.fill("#search", "wd");
  await it.see("Widget", ".sidebar");
  await it.fill("#search", "stackLimit");
  await it.see("spec.stackLimit", ".sidebar");
  await it.click(".sidebar a code");
  await it.see("How high a stack of large ones may be.", ".field.target");
  await it.page.$eval("#search", (search) => search.focus());
  await it.page.keyboard.press("Escape");
  await it.go("#/");
  await it.go(`${WIDGETS}/schema`);
  await it.see("large widgets come in threes at most", ".schema");
  await it.see("keyed by name", ".schema");
  await it.see("stored as v1", ".facts");
  await it.see("immutable", ".schema");
  await it.picture("map");
  await it.go(`${WIDGETS}/versions`);
  await it.see("spec.stackLimit", ".versions");
  await it.see('default "Small"', ".versions");
}

/** A row changes, comes and goes by watch alone. */
export async function live(it) {
  await it.go(`${WIDGETS}/objects`);
  await it.see("gizmo", ".grid");
  await it.see("live", ".state");
  await it.api("PATCH", `${PATH}/gizmo`, { spec: { replicas: 7 } }, MERGE);
  await it.page.waitForSelector('[data-name="gizmo"] .flash', { timeout: 15_000 });
  await it.see("7", '[data-name="gizmo"]');
  await it.api("POST", PATH, widget("gadget"));
  await it.see("gadget", ".grid");
  await it.picture("objects");
  await it.api("DELETE", `${PATH}/gadget`);
  await it.page.waitForFunction(() => document.querySelector('[data-name="gadget"]') === null, {
    timeout: 15_000,
  });
}

/** A lost connection is told, and what was missed meanwhile is caught up with. */
export async function reconnect(it) {
  await it.page.evaluateOnNewDocument(breakable);
  await it.go(`${WIDGETS}/objects`);
  await it.see("live", ".state");
  await it.page.evaluate(() => globalThis.breakConnections());
  await it.see("connection lost", ".state");
  await it.api("PATCH", `${PATH}/gizmo`, { spec: { replicas: 8 } }, MERGE);
  await it.page.evaluate(() => globalThis.mendConnections());
  await it.see("live", ".state");
  await it.see("8", '[data-name="gizmo"]');
}

/** Runs in the page: lets a test break its open streams and refuse new requests. */
function breakable() {
  const real = globalThis.fetch;
  const open = [];
  let broken = false;
  globalThis.breakConnections = () => {
    broken = true;
    for (const stream of open) stream.error(new TypeError("the connection broke"));
  };
  globalThis.mendConnections = () => (broken = false);
  globalThis.fetch = async (path, options) => {
    if (broken) throw new TypeError("there is no connection");
    const answer = await real(path, options);
    if (broken) throw new TypeError("there is no connection");
    if (!String(path).includes("watch=true")) return answer;
    const reader = answer.body.getReader();
    const body = new ReadableStream({
      start: (stream) => void open.push(stream),
      pull: async (stream) => {
        const { done, value } = await reader.read();
        if (done) stream.close();
        else if (!broken) stream.enqueue(value);
      },
    });
    return new Response(body, { status: answer.status, headers: answer.headers });
  };
}

/** One object: owners of lines, a change seen, relatives. */
export async function object(it) {
  await it.go(`${WIDGETS}/object/default/gizmo`);
  await it.see("owner: ada", ".text");
  await it.see("ordain", ".text .owner");
  await it.picture("object");
  await it.api("PATCH", `${PATH}/gizmo?fieldManager=stylist`, { spec: { color: "blue" } }, MERGE);
  await it.see("stylist", ".text .owner");
  await it.clickText(".segments button", "changes (2)");
  await it.see("+   color: blue", ".diff");
  const { metadata } = await it.api("GET", `${PATH}/gizmo`);
  const owner = { apiVersion: "shop.example.com/v1", kind: "Widget", name: "gizmo", uid: metadata.uid };
  await it.api("POST", "/api/v1/namespaces/default/configmaps", {
    metadata: { name: "manual", ownerReferences: [owner] },
  });
  await it.clickText(".segments button", "relatives");
  await it.see("manual", ".graph");
}

/** A mistake is shown at its line with the server's own words, and cannot be sent. */
export async function refused(it) {
  await it.go(`${WIDGETS}/try`);
  await it.judged();
  await it.see("The server would take it.", "#outcome");
  await it.write(
    [
      "apiVersion: shop.example.com/v1",
      "kind: Widget",
      "metadata:",
      "  name: sprocket",
      "spec:",
      "  size: Large",
      "  replicas: 200",
      "  nonsense: 1",
      "",
    ].join("\n"),
  );
  await it.see("The server refuses it.", "#outcome");
  await it.see("should be less than or equal to 100", ".problems");
  await it.see("line 7", ".problems");
  const marked = await it.page.evaluate(() => {
    const found = document.querySelector(".editor").shadowRoot.querySelectorAll(".cm-lintRange-error");
    return [...found].map((it) => it.closest(".cm-line")?.textContent);
  });
  assert.ok(marked.includes("  replicas: 200"), String(marked));
  assert.equal(await it.page.$eval("#act", (act) => act.disabled), true);
  await it.write(
    "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata:\n  name: sprocket\nspec:\n  size: Large\n  replicas: 5\n",
  );
  await it.judged();
  await it.see("large widgets come in threes at most", ".problems");
  await it.click(".why summary");
  await it.see("self.replicas <= 3 || self.size != 'Large'", ".why");
  await it.picture("refused");
}

/** Defaults as ghosts, dropped fields struck through, completion, and the deed. */
export async function editor(it) {
  await it.go(`${WIDGETS}/try`);
  // The sample must be there before it is replaced.
  await it.judged();
  await it.see("The server would take it.", "#outcome");
  await it.write(
    "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata:\n  name: sprocket\nspec:\n  size: Small\n  nonsense: 1\n",
  );
  await it.judged();
  await it.see("The server would take it.", "#outcome");
  await it.see("color: gray", ".editor");
  const parts = await it.page.evaluate(() => {
    const root = document.querySelector(".editor").shadowRoot;
    const ghosts = [...root.querySelectorAll(".cm-ghost")].map((it) => it.textContent);
    return {
      ghost: ghosts.join("\n"),
      dropped: [...root.querySelectorAll(".cm-dropped")].map((it) => it.textContent).join(""),
    };
  });
  assert.match(parts.ghost, /color: gray/);
  assert.equal(parts.dropped, "nonsense: 1");
  await it.picture("try");
  await it.page.keyboard.down("Control");
  await it.page.keyboard.press("End");
  await it.page.keyboard.up("Control");
  await it.page.keyboard.type("  pack");
  await it.page.keyboard.down("Control");
  await it.page.keyboard.press("Space");
  await it.page.keyboard.up("Control");
  await it.page.waitForFunction(
    () =>
      document
        .querySelector(".editor")
        .shadowRoot.querySelector(".cm-tooltip-autocomplete")
        ?.textContent.includes("packaging"),
    { timeout: 15_000 },
  );
  await it.write(
    "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata:\n  name: sprocket\nspec:\n  size: Small\n",
  );
  await it.judged();
  await it.see("The server would take it.", "#outcome");
  await it.click("#act:not([disabled])");
  await it.click("#confirm-yes");
  await it.see("sprocket", ".object h2");
  const made = await it.api("GET", `${PATH}/sprocket`);
  assert.equal(made.spec.size, "Small");
  assert.equal(made.metadata.managedFields[0].manager, "explorer");
}

/** Somebody who does not know the schema makes an object. */
export async function form(it) {
  await it.go(`${WIDGETS}/try`);
  await it.judged();
  await it.see("The server would take it.", "#outcome");
  await it.clickText(".segments button", "Form");
  await it.fill("#form-metadata-name", "formed");
  await it.page.select("#form-spec-size", '"Large"');
  await it.fill("#form-spec-replicas", "5");
  await it.see("large widgets come in threes at most", ".problems");
  await it.fill("#form-spec-replicas", "2");
  await it.fill("#form-spec-prices-key", "EUR");
  await it.clickText(".next button:not([disabled])", "Add");
  await it.fill("#form-spec-prices-EUR", "12");
  await it.judged();
  await it.see("The server would take it.", "#outcome");
  await it.picture("form");
  await it.click("#act:not([disabled])");
  await it.click("#confirm-yes");
  await it.see("formed", ".object h2");
  const made = await it.api("GET", `${PATH}/formed`);
  assert.deepEqual([made.spec.size, made.spec.replicas, made.spec.prices], ["Large", 2, { EUR: 12 }]);
}

/** The rules with their costs, and an expression asked about an object. */
export async function rules(it) {
  await it.go(`${WIDGETS}/rules`);
  await it.see("large widgets come in threes at most", ".rule-list");
  await it.see(" of ", ".rule-list .cost");
  await it.see("default/gizmo", "#console-object");
  await it.page.select("#console-object", "default/gizmo");
  await it.fill("#console-at", "spec");
  await it.fill("#console-text", "self.parts.exists(p, p.count > 3) && self.replicas < 50");
  await it.see("true", "#console-value");
  await it.see("self.replicas < 50", ".parts");
  await it.picture("rules");
  await it.fill("#console-text", "self.nothing");
  await it.see("undefined field 'nothing'", ".answer");
  await it.page.$eval(
    "#cases-text",
    (area, text) => {
      area.value = text;
      area.dispatchEvent(new Event("input", { bubbles: true }));
    },
    [
      "base: {apiVersion: shop.example.com/v1, kind: Widget, metadata: {name: a, namespace: default}}",
      "cases:",
      "- name: a few are fine",
      "  object: {spec: {replicas: 3}}",
      "- name: too many are not",
      "  object: {spec: {replicas: 200}}",
      "  errors: [{field: spec.replicas}]",
      "- name: this one is wrong",
      "  object: {spec: {replicas: 200}}",
    ].join("\n"),
  );
  await it.click("#run-cases");
  await it.see("constraints were seen to pass and to fail", ".cases");
  const marks = await it.page.$$eval(".cases .checks > li", (items) => items.map((item) => item.className));
  assert.deepEqual(marks, ["well", "well", "ill"]);
}

/** Go types: rules have the place where they are written, gated fields their gate. */
export async function types(it) {
  await it.go(`${WIDGETS}/schema`);
  await it.see("gate WidgetPriority", ".schema");
  await it.go(`${WIDGETS}/rules`);
  await it.see("types.go:", ".rule-list");
  await it.click("#run-cases");
  await it.see("constraints were seen to pass and to fail", ".cases");
  const marks = await it.page.$$eval(".cases .checks > li", (items) => items.map((item) => item.className));
  assert.deepEqual(marks, ["well"]);
}

/** Plots and health. */
export async function operations(it) {
  await it.go("#/operations");
  await it.see("Requests", ".plots");
  await it.see("ping ok", ".checks");
  await it.page.waitForFunction(() => Number(document.querySelector(".plot b")?.textContent) > 0, {
    timeout: 10_000,
  });
  await it.picture("operations");
}

/** Two hundred kinds, and ten thousand objects that are counted, and scrolled through with few of them drawn. */
export async function scroll(it) {
  const names = Array.from({ length: 10_000 }, (_, index) => `bulk-${String(index).padStart(5, "0")}`);
  for (let at = 0; at < names.length; at += 50) {
    await Promise.all(
      names
        .slice(at, at + 50)
        .map((name) => it.api("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name } })),
    );
  }
  for (let index = 0; index < 135; index += 1) {
    await it.api("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: `many${index}.bulk.example.com` },
      spec: {
        group: "bulk.example.com",
        scope: "Namespaced",
        names: { kind: `Many${index}`, plural: `many${index}` },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    });
  }
  const begun = Date.now();
  await it.go("#/k/core/v1/configmaps/objects");
  await it.see("bulk-00000", ".grid");
  const first = Date.now() - begun;
  await it.page.waitForFunction(() => Number(document.querySelector("#count")?.textContent) >= 10_000, {
    timeout: 20_000,
  });
  console.log(`first rows after ${first} ms, all after ${Date.now() - begun} ms`);
  await it.see("Many134", ".sidebar");
  await it.page.$eval(".grid", (grid) => (grid.scrollTop = grid.scrollHeight));
  await it.see("bulk-09999", ".grid");
  const drawn = await it.page.$$eval(".space .grid-row", (rows) => rows.length);
  assert.ok(drawn < 100, `${drawn} rows are drawn`);
  await it.page.$eval(".grid", (grid) => (grid.scrollTop = grid.scrollHeight / 2));
  await it.see("bulk-05000", ".grid");
}

/** No view has a serious accessibility violation, in light and dark, small and large. */
export async function accessible(it) {
  const places = [
    "#/",
    "#/operations",
    ...["schema", "objects", "try", "rules", "versions", "object/default/gizmo"].map(
      (tab) => `${WIDGETS}/${tab}`,
    ),
  ];
  for (const scheme of ["light", "dark"]) {
    await it.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    for (const place of places) {
      await it.go("#/");
      await it.go(place);
      await it.see("Widget", ".sidebar");
      await it.page.waitForNetworkIdle({ idleTime: 300, concurrency: 4 }).catch(() => {});
      await it.accessible(`${place} in ${scheme}`);
    }
  }
  await it.clickText(".tabs a", "try").catch(() => {});
  for (const [width, height] of [
    [360, 740],
    [3840, 2160],
  ]) {
    await it.page.setViewport({ width, height });
    for (const place of places) {
      await it.go(place);
      await it.see("Widget", ".frame");
      const wide = await it.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.equal(wide, false, `${place} is wider than ${width} pixels`);
    }
  }
}

/** Files: what is in them is there, what is refused is not. */
export async function files(it) {
  await it.go(`${WIDGETS}/objects`);
  await it.see("gizmo", ".grid");
  assert.equal(await it.page.$eval("#count", (count) => count.textContent), "1");
  await it.see("crd.yaml", ".where");
  await it.go("#/k/core/v1/configmaps/objects");
  await it.see("far", ".grid");
}

/** A cluster behind the page: reads, watches and writes go through. */
export async function cluster(it) {
  await it.go(`${WIDGETS}/objects`);
  await it.see("gizmo", ".grid");
  await it.see("https://", ".where");
  await it.api("PATCH", `${PATH}/gizmo`, { spec: { replicas: 9 } }, MERGE);
  await it.see("9", '[data-name="gizmo"]');
  await it.go(`${WIDGETS}/rules`);
  await it.see(" of ", ".rule-list .cost");
  await it.go("#/operations");
  await it.see("ping ok", ".checks");
}

/** What may be wrong with the least object of a kind, by kind: its rules ask for more than a page can know. */
const NO_SAMPLE = {
  "Binding v1": "is about a pod that is there",
  "CertificateSigningRequest certificates.k8s.io/v1": "holds a request that somebody signed",
};

/** The server takes the minimal sample of each kind of its own. */
export async function samples(it) {
  const [{ kindsOf, pathOf, apiVersion, isBuiltIn }, { Schemas, documentPath }, { sample }] =
    await Promise.all(["kinds.ts", "schema.ts", "sample.ts"].map(load));
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const lists = await Promise.all(
    ["/api", "/apis"].map((path) => it.api("GET", path, undefined, { Accept: accept })),
  );
  const kinds = kindsOf(lists.flatMap((list) => list.items));
  const refused = [];
  let [taken, unused] = [0, new Set(Object.keys(NO_SAMPLE))];
  for (const kind of kinds.filter(({ verbs }) => verbs.includes("create"))) {
    const document = await it.api("GET", `/openapi/v3/${documentPath(kind)}`);
    const object = sample(kind, new Schemas(document.components.schemas), "minimal");
    const path = pathOf(kind, kind.namespaced ? "default" : "");
    const name = `${kind.kind} ${apiVersion(kind)}`;
    try {
      await it.api("POST", `${path}?dryRun=All&fieldValidation=Strict`, object);
      taken += 1;
    } catch (error) {
      if (!unused.delete(name)) refused.push(`${name}: ${error.message}`);
    }
  }
  assert.deepEqual(refused, []);
  assert.deepEqual([...unused], [], "these are taken by now");
  assert.ok(kinds.some(({ group }) => !isBuiltIn(group)) && taken > 60, `${taken} kinds were tried`);
}

/** Nothing moves by itself while a view loads. */
export async function steady(it) {
  await it.page.evaluateOnNewDocument(noteShifts);
  for (const [width, height] of [
    [1280, 800],
    [360, 740],
    [3840, 2160],
  ]) {
    await it.page.setViewport({ width, height });
    for (const [place, text] of [
      ["#/", "Keys"],
      ["#/operations", "Feature gates"],
      [`${WIDGETS}/schema`, "large widgets come in threes"],
      [`${WIDGETS}/objects`, "gizmo"],
      [`${WIDGETS}/object/default/gizmo`, "owner: ada"],
      [`${WIDGETS}/try`, "The server would take it."],
      [`${WIDGETS}/rules`, "All together"],
      [`${WIDGETS}/versions`, "spec.stackLimit"],
      ["#/k/apps/v1/deployments/schema", "progressDeadlineSeconds"],
    ]) {
      await it.page.goto("about:blank");
      await it.go(place);
      await it.see(text, "main");
      await it.page.waitForNetworkIdle({ idleTime: 300, concurrency: 4 }).catch(() => {});
      const { score, moved } = await it.page.evaluate(() => globalThis.shifts);
      // Browsers call 0.1 good. What is left are the ghosts of defaults between lines of the editor.
      assert.ok(score < 0.02, `${place} at ${width} pixels: ${score}\n${moved.join("\n")}`);
    }
  }
}

/** Runs in the page: adds up what moves without being asked to. */
function noteShifts() {
  globalThis.shifts = { score: 0, moved: [] };
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      globalThis.shifts.score += entry.value;
      for (const { node, previousRect, currentRect } of entry.sources) {
        const name = node?.nodeType === 1 ? node.outerHTML : node?.textContent;
        const [from, to] = [previousRect, currentRect].map((it) => `${it.x},${it.y}`);
        globalThis.shifts.moved.push(`${entry.value.toFixed(4)} ${from} to ${to}: ${name?.slice(0, 120)}`);
      }
    }
  });
  observer.observe({ type: "layout-shift", buffered: true });
}
