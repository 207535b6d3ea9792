'use strict';
// A Kubernetes API server for tests:
//
//   import { ordainServer } from 'ordain/testing';
//   const server = ordainServer({ beforeAll, beforeEach, afterAll });   // of vitest or jest
//   test('it', async () => { await server.request('GET', '/api/v1/namespaces') });
//
// One server serves a file of tests; each test begins with the state after set-up.

const { spawn } = require('node:child_process');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const { OrdainError, binary } = require('./index.js');

/** The first line that a stream brings. */
function firstLine(stream) {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.setEncoding('utf8');
    stream.on('data', (piece) => {
      text += piece;
      if (text.includes('\n')) resolve(text.split('\n')[0]);
    });
    stream.on('end', () => reject(new OrdainError('the server ended before it was ready')));
  });
}

class TestServer {
  /** Starts a server; options are manifests, controllers and fakeOutcomes. */
  static async start(options = {}) {
    const { manifests = [], controllers = 'none', fakeOutcomes } = options;
    const line = ['test-server', '--insecure-http', `--controllers=${controllers}`];
    for (const path of manifests) line.push('--filename', path);
    if (fakeOutcomes) line.push('--fake-outcomes', fakeOutcomes);
    const child = spawn(binary(), line, { stdio: ['pipe', 'pipe', 'inherit'] });
    const failed = new Promise((_, reject) => {
      child.once('error', (error) => reject(new OrdainError(`cannot run ordain: ${error.message}`)));
    });
    const told = JSON.parse(await Promise.race([firstLine(child.stdout), failed]));
    return new TestServer(child, told);
  }

  constructor(child, told) {
    this.child = child;
    this.url = told.url;
    this.token = told.token;
    this.testApi = told.testApi;
    this.folder = mkdtempSync(join(tmpdir(), 'ordain-'));
    this.kubeconfig = join(this.folder, 'kubeconfig');
    writeFileSync(
      this.kubeconfig,
      'apiVersion: v1\nkind: Config\ncurrent-context: test\n' +
        `clusters:\n- name: test\n  cluster:\n    server: ${this.url}\n` +
        'contexts:\n- name: test\n  context:\n    cluster: test\n    user: test\n' +
        'users:\n- name: test\n  user: {}\n',
    );
  }

  /** Ends the server. */
  async close() {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.stdin.end();
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Makes a request of the API: its code and its JSON. Refusals are answers too. */
  async request(method, path, body, contentType = 'application/json') {
    const answer = await fetch(this.url + path, {
      method,
      headers: { 'Content-Type': contentType },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    let read = text;
    try {
      read = JSON.parse(text);
    } catch {
      // It is no JSON: the text is the answer.
    }
    return { code: answer.status, body: read };
  }

  async #call(method, what, body) {
    const answer = await fetch(this.testApi + what, {
      method,
      headers: { 'X-Ordain-Test-Token': this.token, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new OrdainError(JSON.parse(text).message);
    return text;
  }

  /** Goes back to the state of the last mark. */
  async reset() {
    await this.#call('POST', 'reset');
  }

  /** Makes the present state the one that reset goes back to. */
  async mark() {
    await this.#call('POST', 'mark');
  }

  async snapshot(name) {
    await this.#call('POST', 'snapshot', { name });
  }

  async restore(name) {
    await this.#call('POST', 'restore', { name });
  }

  /** Starts another server with the present state, and returns its address. */
  async fork() {
    return JSON.parse(await this.#call('POST', 'fork')).url;
  }

  /** Lets some requests go wrong: fault({type: 'error', code: 409}, {verbs: ['update'], nth: 2}). */
  async fault(fault, rule = {}) {
    await this.#call('POST', 'faults', { ...rule, fault });
  }

  /** Delays, drops and reorders what arrives, by a seed. */
  async schedule(seed, limits = {}) {
    await this.#call('POST', 'schedule', { seed, ...limits });
  }

  /** Moves the clock (advanceMilliseconds, set, stopped) and returns the time. */
  async clock(moves = {}) {
    return JSON.parse(await this.#call('POST', 'clock', moves)).now;
  }

  /** Waits for a CEL condition on self, and gives the object that fulfils it. */
  async wait(resource, condition = '', where = {}) {
    return JSON.parse(await this.#call('POST', 'wait', { resource, condition, ...where }));
  }

  /** Waits until nothing was written for a while and nothing is under way. */
  async quiet(limits = {}) {
    return JSON.parse(await this.#call('POST', 'quiet', limits)).quiet;
  }

  /** Who wrote what since the last reset, with what changed. */
  story() {
    return this.#call('GET', 'story');
  }

  /** Every request since the last reset, for `ordain replay`. */
  transcript() {
    return this.#call('GET', 'transcript');
  }
}

/**
 * A server for the tests of one file, by the hooks of vitest, jest or node:test (before, after).
 * What it gives is the server once the tests run.
 */
function ordainServer(hooks, options = {}) {
  let server;
  const { beforeEach } = hooks;
  const begin = hooks.beforeAll ?? hooks.before;
  const end = hooks.afterAll ?? hooks.after;
  begin(async () => {
    server = await TestServer.start(options);
  });
  beforeEach(() => server.reset());
  end(() => server?.close());
  return new Proxy({}, {
    get: (_, name) => {
      if (server === undefined) throw new OrdainError('the server runs only while tests do');
      const member = server[name];
      return typeof member === 'function' ? member.bind(server) : member;
    },
  });
}

module.exports = { OrdainError, TestServer, ordainServer };
