import type { Problem } from '../manifest/source.ts';

type ChangeOutcome = 'created' | 'changed' | 'unchanged' | 'deleted';

/** The outcome for one record. In a dry run, it is the expected outcome. */
export interface Change {
  readonly kind: string;
  readonly name: string;
  readonly version: string | null;
  readonly outcome: ChangeOutcome;
  /** One line per difference, for `diff` and dry runs. */
  readonly diff: readonly string[];
  /** For example deprecated fields. */
  readonly warnings: readonly string[];
}

/** Thrown when the controller refuses manifests. The refused step has written nothing. */
export class Refused extends Error {
  readonly problems: readonly Problem[];
  readonly status: number;
  /** Whether all problems are references to records that do not exist. */
  readonly isOnlyMissing: boolean;

  constructor(status: number, problems: readonly Problem[], rules: readonly string[] = []) {
    super('refused');
    this.status = status;
    this.problems = problems;
    this.isOnlyMissing = rules.length > 0 && rules.every((rule) => rule === 'exists' || rule === 'reference.missing');
  }
}

/** Returns the header that protects a record from being overwritten after a concurrent change. */
export function ifMatch(etag: string | undefined): Record<string, string> {
  return etag === undefined ? {} : { 'if-match': etag };
}

export function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}

/** Returns the lines between the common start and the common end of both texts, as `- before` and `+ after`. */
export function diffLines(before: string, after: string): string[] {
  const [a, b] = [before.trimEnd().split('\n'), after.trimEnd().split('\n')];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const removed = a.slice(start, a.length - end).map((line) => `- ${line}`);
  const added = b.slice(start, b.length - end).map((line) => `+ ${line}`);
  return [...removed, ...added];
}

/** Returns `field: before -> after` for every field of `after` that differs from `before`. */
export function diffFields(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  return Object.keys(after)
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => `${name}: ${formatValue(before[name])} -> ${formatValue(after[name])}`);
}
