import type { Violation } from '@flotilla/kit';
import { MAX_VIOLATIONS } from './limits.ts';
import { formatPath, type PathNode } from './path.ts';

/** Collects what a check finds, at most `MAX_VIOLATIONS` of each kind. */
export class Findings {
  readonly errors: Violation[] = [];
  readonly warnings: Violation[] = [];

  /** Nothing more would be kept: the walk may stop. */
  get full(): boolean {
    return this.errors.length >= MAX_VIOLATIONS;
  }

  error(path: PathNode | undefined, rule: string, message: string): void {
    if (!this.full) this.errors.push({ path: formatPath(path), rule, message });
  }

  warn(path: PathNode | undefined, rule: string, message: string): void {
    if (this.warnings.length < MAX_VIOLATIONS) this.warnings.push({ path: formatPath(path), rule, message });
  }
}

/** What kind of JSON a value is, for a message. Texts are not shown: it may be a key in the wrong place. */
export function nameJson(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'null';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a text' : String(value).slice(0, 60);
}

/** A name that a person wrote, short and on one line. */
export function quoteName(value: unknown): string {
  if (typeof value !== 'string') return nameJson(value);
  return value.length > 80 ? `${JSON.stringify(value.slice(0, 80))}...` : JSON.stringify(value);
}
