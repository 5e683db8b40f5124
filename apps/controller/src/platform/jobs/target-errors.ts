import type { TargetError } from './model.ts';

/** Maximum number of stored errors per step. */
const ERRORS_KEPT = 1000;

export interface LeftOut {
  readonly failed: number;
  readonly pending: number;
}

/** Stored with the errors of a job, once for each step with more errors than the maximum. */
interface LeftOutMark {
  readonly left_out: LeftOut;
}

/** Converts to the format of the column `results`. */
export function toStoredErrors(errors: readonly TargetError[]): readonly (TargetError | LeftOutMark)[] {
  if (errors.length <= ERRORS_KEPT) return errors;
  return [...errors.slice(0, ERRORS_KEPT), { left_out: countKinds(errors.slice(ERRORS_KEPT)) }];
}

/** Parses the column `results`: the stored errors, and the number of those left out. */
export function readErrors(results: unknown): { readonly errors: readonly TargetError[]; readonly leftOut: LeftOut } {
  const errors: TargetError[] = [];
  const leftOut = { failed: 0, pending: 0 };
  for (const stored of (results ?? []) as readonly (TargetError | LeftOutMark)[]) {
    if ('left_out' in stored) {
      leftOut.failed += stored.left_out.failed;
      leftOut.pending += stored.left_out.pending;
    } else errors.push(stored);
  }
  return { errors, leftOut };
}

function countKinds(errors: readonly TargetError[]): LeftOut {
  const pending = errors.filter((error) => error.pending).length;
  return { failed: errors.length - pending, pending };
}
