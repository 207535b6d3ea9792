import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const { Store } = await load("store.ts");

test("a change between seeing and following is not missed", () => {
  const store = new Store(1);
  const seen = store.value;
  store.set(2);
  let calls = 0;
  const leave = store.follow(() => (calls += 1), seen);
  assert.equal(calls, 1);
  store.set(3);
  assert.equal(calls, 2);
  leave();
  store.set(4);
  assert.equal(calls, 2);
});

test("a follower that saw the newest is left alone", () => {
  const store = new Store(1);
  let calls = 0;
  store.follow(() => (calls += 1), store.value);
  assert.equal(calls, 0);
});
