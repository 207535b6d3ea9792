export interface Options {
  /** Files and folders of objects to begin with. */
  manifests?: string[];
  /** As for `ordain serve --controllers`; none by default. */
  controllers?: string;
  /** A file that says how fake controllers let things end. */
  fakeOutcomes?: string;
}

export interface Answer {
  code: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
}

export type Fault =
  | { type: 'latency' | 'slowWebhook'; milliseconds: number }
  | { type: 'error'; code: number; retryAfterSeconds?: number; message?: string }
  | { type: 'reset' | 'tooOld' }
  | { type: 'dropWatch'; afterEvents?: number }
  | { type: 'staleList'; revisions?: number };

export interface Rule {
  title?: string;
  verbs?: string[];
  group?: string;
  resource?: string;
  subresource?: string;
  namespace?: string;
  name?: string;
  user?: string;
  userAgent?: string;
  skip?: number;
  times?: number;
  nth?: number;
  probability?: number;
  seed?: number;
}

export interface Limits {
  eventDelayMilliseconds?: number;
  latencyMilliseconds?: number;
  drop?: number;
  expire?: number;
  behind?: number;
}

export interface Where {
  group?: string;
  version?: string;
  namespace?: string;
  name?: string;
  labelSelector?: string;
  gone?: boolean;
  timeoutMilliseconds?: number;
}

export { OrdainError } from './index';

export class TestServer {
  static start(options?: Options): Promise<TestServer>;
  readonly url: string;
  readonly token: string;
  readonly kubeconfig: string;
  close(): Promise<void>;
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<Answer>;
  reset(): Promise<void>;
  mark(): Promise<void>;
  snapshot(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  fork(): Promise<string>;
  fault(fault: Fault, rule?: Rule): Promise<void>;
  schedule(seed: number, limits?: Limits): Promise<void>;
  clock(moves?: { set?: string; advanceMilliseconds?: number; stopped?: boolean }): Promise<string>;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  wait(resource: string, condition?: string, where?: Where): Promise<any>;
  quiet(limits?: { milliseconds?: number; timeoutMilliseconds?: number }): Promise<boolean>;
  story(): Promise<string>;
  transcript(): Promise<string>;
}

type Hook = (work: () => Promise<void> | void) => void;

/** A server for the tests of one file, by the hooks of vitest, jest or node:test. */
export function ordainServer(
  hooks: { beforeEach: Hook; beforeAll?: Hook; afterAll?: Hook; before?: Hook; after?: Hook },
  options?: Options,
): TestServer;
