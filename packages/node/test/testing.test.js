'use strict';
// The fixture on a server: `ORDAIN=.../ordain node --test packages/node/test/testing.test.js`.

const assert = require('node:assert');
const { after, before, beforeEach, test } = require('node:test');
const { OrdainError, ordainServer } = require('../testing.js');

const server = ordainServer({ before, beforeEach, after });
const MAPS = '/api/v1/namespaces/default/configmaps';

test('objects are made', async () => {
  const made = await server.request('POST', MAPS, { metadata: { name: 'a' } });
  assert.equal(made.code, 201);
  assert.match(await server.story(), /configmaps default\/a created/);
});

test('the next test begins anew', async () => {
  assert.equal((await server.request('GET', `${MAPS}/a`)).code, 404);
});

test('faults, conditions and the clock', async () => {
  await server.fault({ type: 'error', code: 503 }, { verbs: ['create'], nth: 1 });
  assert.equal((await server.request('POST', MAPS, { metadata: { name: 'b' } })).code, 503);
  assert.equal((await server.request('POST', MAPS, { metadata: { name: 'b' } })).code, 201);
  const found = await server.wait('configmaps', "self.metadata.name == 'b'");
  assert.equal(found.metadata.name, 'b');
  const short = { name: 'none', timeoutMilliseconds: 50 };
  await assert.rejects(server.wait('configmaps', '', short), OrdainError);
  assert.match(await server.clock({ set: '2030-01-01T00:00:00Z' }), /^2030-01-01T00:00:0/);
  assert.equal(await server.quiet({ milliseconds: 20 }), true);
});

test('states and forks', async () => {
  await server.snapshot('empty');
  await server.request('POST', MAPS, { metadata: { name: 'c' } });
  assert.match(await server.fork(), /^http:\/\/127\.0\.0\.1:/);
  await server.restore('empty');
  assert.equal((await server.request('GET', `${MAPS}/c`)).code, 404);
});
