// A browser for the tests: the system's Chromium, headless, with every complaint of the page kept.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import puppeteer from "puppeteer-core";

/** Where screenshots go, if anybody wants them. */
const pictures = process.env.ORDAIN_PICTURES ?? "";

export class Visit {
  constructor(browser, page, url) {
    this.browser = browser;
    this.page = page;
    this.url = url;
    this.complaints = [];
    this.requests = [];
    page.on("pageerror", (error) => this.complaints.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
      this.complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      // A refused request is told in the console, too; what the page makes of it is tested.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        this.complaints.push(message.text());
      }
    });
    page.on("request", (request) => this.requests.push(request));
  }

  async go(place) {
    await this.page.goto(`${this.url}/ui${place}`, { waitUntil: "domcontentloaded" });
  }

  /** Waits until a text is somewhere on the page, shadow roots included. */
  async see(text, selector = "body") {
    const shadow = (wanted, where) => {
      const texts = (node) => {
        let found = (node.textContent ?? "") + (node.shadowRoot ? texts(node.shadowRoot) : "");
        for (const inner of node.querySelectorAll?.("*") ?? []) {
          if (inner.shadowRoot) found += texts(inner.shadowRoot);
        }
        return found;
      };
      return [...document.querySelectorAll(where)].some((it) => texts(it).includes(wanted));
    };
    try {
      await this.page.waitForFunction(shadow, { timeout: 20_000 }, text, selector);
    } catch {
      const shown = await this.page.$eval("body", (it) => it.innerText);
      throw new Error(
        `${JSON.stringify(text)} is not shown in ${selector}; there is:\n${shown.slice(0, 3000)}`,
      );
    }
  }

  async click(selector) {
    const element = await this.page.waitForSelector(selector, { timeout: 20_000 });
    await element.click();
  }

  async clickText(selector, text) {
    await this.page.waitForFunction(
      (where, wanted) =>
        [...document.querySelectorAll(where)].some((it) => it.textContent.trim() === wanted && !it.disabled),
      { timeout: 20_000 },
      selector,
      text,
    );
    await this.page.evaluate(
      (where, wanted) => {
        [...document.querySelectorAll(where)].find((it) => it.textContent.trim() === wanted).click();
      },
      selector,
      text,
    );
  }

  /** Replaces the text of a field. */
  async fill(selector, text) {
    const element = await this.page.waitForSelector(selector, { timeout: 20_000 });
    await element.click({ count: 3 });
    await this.page.keyboard.press("Backspace");
    await element.type(text);
  }

  /** Replaces the text of the editor. */
  async write(text) {
    await this.page.waitForFunction(() =>
      document.querySelector(".editor")?.shadowRoot?.querySelector(".cm-content"),
    );
    await this.page.evaluate(() =>
      document.querySelector(".editor").shadowRoot.querySelector(".cm-content").focus(),
    );
    await this.page.keyboard.down("Control");
    await this.page.keyboard.press("a");
    await this.page.keyboard.up("Control");
    await this.page.evaluate((value) => {
      const data = new DataTransfer();
      data.setData("text/plain", value);
      const target = document.querySelector(".editor").shadowRoot.querySelector(".cm-content");
      target.dispatchEvent(
        new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
      );
    }, text);
  }

  /** Waits until the verdict is about the text as it is. */
  async judged() {
    // The editor tells of a change in the next frame.
    await this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))),
    );
    await this.page.waitForSelector('.verdict[aria-busy="false"]', { timeout: 20_000 });
  }

  /** Asks the server as a client beside the page. */
  async api(method, path, body, headers = {}) {
    const answer = await fetch(this.url + path, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { "Content-Type": "application/json", ...headers },
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  async picture(name) {
    if (pictures === "") return;
    mkdirSync(pictures, { recursive: true });
    await this.page.screenshot({ path: join(pictures, `${name}.webp`), type: "webp", quality: 60 });
  }

  /** Fails if the accessibility checker finds anything serious. */
  async accessible(name) {
    // Run from here: the page's own policy allows no script but its own.
    await this.page.evaluate(axe.source);
    const { violations } = await this.page.evaluate(() =>
      globalThis.axe.run(document, { resultTypes: ["violations"] }),
    );
    const serious = violations.filter((it) => ["serious", "critical"].includes(it.impact));
    const told = serious.map(
      (it) =>
        `${it.id}: ${it.help}\n  ${it.nodes.map((node) => `${node.html}\n    ${node.failureSummary}`).join("\n  ")}`,
    );
    if (told.length > 0) throw new Error(`${name}: ${told.join("\n")}`);
  }
}

export async function visit(url, then) {
  const browser = await puppeteer.launch({
    executablePath: process.env.ORDAIN_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    acceptInsecureCerts: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en"],
  });
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 800 });
    const visit = new Visit(browser, page, url);
    try {
      await then(visit);
    } catch (error) {
      await visit.picture("failed");
      throw error;
    }
    if (visit.complaints.length > 0) throw new Error(`the page complained: ${visit.complaints.join("; ")}`);
  } finally {
    await browser.close();
  }
}
