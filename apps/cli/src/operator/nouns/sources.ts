import type { Argument, Option } from 'commander';
import type { Reach } from '../commands/scope-options.ts';

/** The words before the one that is completed. */
export interface Typed {
  readonly args: readonly string[];
  readonly options: ReadonlyMap<string, string>;
}

/** Source of the candidates for a value; `free` has no candidates. */
export type Source =
  | {
      readonly kind: 'names';
      readonly needsProject: boolean;
      list(reach: Reach, typed: Typed): Promise<readonly string[]>;
    }
  | { readonly kind: 'files' }
  | { readonly kind: 'free' };

export const FILES: Source = { kind: 'files' };
export const FREE: Source = { kind: 'free' };

const sources = new WeakMap<Argument | Option, Source>();

export function setSource(input: Argument | Option, source: Source): void {
  sources.set(input, source);
}

/** Returns undefined for an input that was not declared with `declareInput`. */
export function sourceOf(input: Argument | Option): Source | undefined {
  return sources.get(input);
}
