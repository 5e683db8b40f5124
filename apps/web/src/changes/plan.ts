import { ApiError } from '../api/index.ts';

export interface Difference {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Result of a dry run: the differences and the affected nodes. */
export interface ChangePlan {
  readonly diff: readonly Difference[];
  /** Node IDs; undefined if the API does not return them. */
  readonly nodes: readonly string[] | undefined;
  readonly services: readonly { readonly id: string; readonly name: string }[] | undefined;
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
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
