// Tests for vitest that are handed a Kubernetes API server:
//
//   import { expect } from 'vitest';
//   import { test } from 'ordain/vitest';
//   test('it', async ({ ordain }) => {
//     expect((await ordain.request('GET', '/api/v1/namespaces')).code).toBe(200);
//   });
//
// One server serves a file of tests; each test begins with the state after set-up. The story of a
// failed test (who wrote what, and what changed) is printed.

import { afterAll, test as base } from 'vitest';
import testing from './testing.js';

/** Tests with servers that begin with these options: manifests, controllers and fakeOutcomes. */
export function ordainTest(options = {}) {
  let server;
  afterAll(async () => {
    const ending = server;
    server = undefined;
    await ending?.close();
  });
  return base.extend({
    ordain: async ({ onTestFailed }, use) => {
      server ??= await testing.TestServer.start(options);
      const current = server;
      await current.reset();
      onTestFailed(async () => console.error(await current.story()));
      await use(current);
    },
  });
}

export const test = ordainTest();
export const { OrdainError, TestServer } = testing;
