import { ApiError } from '../api/index.ts';

export interface Difference {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The text of a record before and after the change, in the language that the user edits. */
export interface TextChange {
  readonly before: string;
  readonly after: string;
  readonly language: 'json' | 'yaml';
  readonly beforeLabel: string;
  /** Default: `As it will be stored`. */
  readonly afterLabel?: string | undefined;
  /** Members of the record that the text contains, such as `resource`; undefined: all. */
  readonly members?: readonly string[];
}

export interface RecordChange {
  readonly diff: readonly Difference[];
  /** undefined: only the list of differences is known. */
  readonly text?: TextChange | undefined;
}

/** Result of a dry run: the differences and the affected nodes. */
export interface ChangePlan {
  readonly change: RecordChange;
  readonly reach: Reach | undefined;
  readonly warnings: readonly ReviewWarning[];
}

/** The services and nodes that a change affects. `services` is undefined if the API does not return them. */
export interface Reach {
  /** Node IDs. */
  readonly nodes: readonly string[];
  readonly services: readonly { readonly id: string; readonly name: string }[] | undefined;
}

export interface ReviewWarning {
  /** Empty: the whole change. */
  readonly path: string;
  readonly message: string;
}

export interface FieldError {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

/** Converts details of a refused write to paths within the document: `resource.name` -> `name`. */
export function toFieldErrors(error: unknown, root: string): readonly FieldError[] {
  if (!(error instanceof ApiError)) return [];
  return error.details.map((detail) => ({ ...detail, path: withoutRoot(detail.path, root) }));
}

export function withoutRoot(path: string, root: string): string {
  if (path === root) return '';
  if (path.startsWith(`${root}.`)) return path.slice(root.length + 1);
  return path.startsWith(`${root}[`) ? path.slice(root.length) : path;
}

/** Whether someone else has changed the document since it was opened. */
export function isStale(error: unknown): boolean {
  return error instanceof ApiError && error.status === 412;
}
