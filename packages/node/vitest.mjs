// Tests for vitest (3.2 or later) that are handed a Kubernetes API server:
//
//   import { expect } from 'vitest';
//   import { test } from 'ordain/vitest';
//   test('it', async ({ ordain }) => {
//     expect((await ordain.request('GET', '/api/v1/namespaces')).code).toBe(200);
//   });
//
// One server serves a file of tests; each test begins with the state after set-up. The story of a
// failed test (who wrote what, and what changed) is printed.

import { test as base } from 'vitest';
import testing from './testing.js';

/** Tests with servers that begin with these options: manifests, controllers and fakeOutcomes. */
export function ordainTest(options = {}) {
  return base.extend({
    ordainServer: [
      // The fixtures that one needs are read from its parameters: none are here.
      async ({}, use) => {
        const server = await testing.TestServer.start(options);
        await use(server);
        await server.close();
      },
      { scope: 'file' },
    ],
    ordain: async ({ ordainServer, onTestFailed }, use) => {
      await ordainServer.reset();
      onTestFailed(async () => console.error(await ordainServer.story()));
      await use(ordainServer);
    },
  });
}

export const test = ordainTest();
export const { OrdainError, TestServer } = testing;
