// The fixture for vitest on a server: `ORDAIN=.../ordain npx vitest run test/vitest`.

import { expect } from 'vitest';
import { ordainTest, test } from 'ordain/vitest';

const MAPS = '/api/v1/namespaces/default/configmaps';

test('objects are made', { timeout: 60_000 }, async ({ ordain }) => {
  const made = await ordain.request('POST', MAPS, { metadata: { name: 'a' } });
  expect(made.code).toBe(201);
  expect(await ordain.story()).toMatch(/configmaps default\/a created/);
});

test('the next test begins anew', { timeout: 60_000 }, async ({ ordain }) => {
  expect((await ordain.request('GET', `${MAPS}/a`)).code).toBe(404);
});

const busy = ordainTest({ controllers: 'none,fake-all' });

busy('a server may begin with controllers', { timeout: 60_000 }, async ({ ordain }) => {
  const spec = { containers: [{ name: 'a', image: 'a' }] };
  const pods = '/api/v1/namespaces/default/pods';
  const made = await ordain.request('POST', pods, { metadata: { name: 'a' }, spec });
  expect(made.code).toBe(201);
  const running = await ordain.wait('pods', "self.?status.phase.orValue('') == 'Running'");
  expect(running.metadata.name).toBe('a');
});
