import type { TestAPI } from 'vitest';
import type { Options, TestServer } from './testing.js';

/** Tests with servers that begin with these options. */
export function ordainTest(options?: Options): TestAPI<{ ordain: TestServer }>;
/** Tests that are handed a server: `test('it', async ({ ordain }) => …)`. */
export const test: ReturnType<typeof ordainTest>;
export { OrdainError, TestServer } from './testing.js';
