import type { Violation } from '@flotilla/kit';
import { MAX_HINTS, MAX_VIOLATIONS } from './limits.ts';
import { formatPath, type PathNode } from './path.ts';

/** Collects what a check finds, at most `MAX_VIOLATIONS` of each kind. */
export class Findings {
  readonly errors: Violation[] = [];
  readonly warnings: Violation[] = [];
  #hints = 0;

  /** Nothing more would be kept: the walk may stop. */
  get full(): boolean {
    return this.errors.length >= MAX_VIOLATIONS;
  }

  /** Whether the next message may look for the name that was probably meant. A search costs, so only the first few may. */
  takeHint(): boolean {
    this.#hints += 1;
    return this.#hints <= MAX_HINTS;
  }

  error(path: PathNode | undefined, rule: string, message: string): void {
    if (!this.full) this.errors.push({ path: formatPath(path), rule, message });
  }

  warn(path: PathNode | undefined, rule: string, message: string): void {
    if (this.warnings.length < MAX_VIOLATIONS) this.warnings.push({ path: formatPath(path), rule, message });
  }
}
