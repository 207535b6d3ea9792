/** One thing that was found. */
export interface Finding {
  severity: "error" | "warning";
  /** The stable id of what was found, such as `invalid` or `unknown-field`. */
  rule: string;
  /** The field as the server names it. */
  field?: string;
  /** The server's own words. */
  message: string;
  /** The reason of the cause in the server's answer. */
  reason?: string;
  help?: string;
  line: number;
  column: number;
  /** The place of the object among those that were given; undefined for texts. */
  index?: number;
  object?: {apiVersion?: string; kind?: string; namespace?: string; name?: string};
}

/** What came of a validation. */
export interface Report {
  findings: Finding[];
  errors: Finding[];
  warnings: Finding[];
  /** Objects that were judged. */
  judged: number;
  /** Whether the server would take all objects. */
  ok: boolean;
  /** Gives the report back, or throws `Invalid`. */
  check(): Report;
}

export interface Options {
  /** Definitions: objects, texts, or paths of files and folders. */
  crds?: object | string | (object | string)[];
  ignoreMissingSchemas?: boolean;
  /** Further options of `ordain validate`. */
  arguments?: string[];
}

export class OrdainError extends Error {}
export class Invalid extends Error {
  report: Report;
}

/** The path of the binary: $ORDAIN, that of the package, or one on the PATH. */
export function binary(): string;

/** Judges objects (or texts of YAML or JSON) as a server would judge their creation. */
export function validate(objects: object | string | (object | string)[], options?: Options): Report;
