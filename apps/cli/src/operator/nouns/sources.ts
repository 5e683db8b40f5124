import type { Argument, Option } from 'commander';
import type { Reach } from '../commands/scope-options.ts';

/** The words of a command line before the one that is completed. */
export interface Typed {
  readonly args: readonly string[];
  readonly options: ReadonlyMap<string, string>;
}

/** Where the candidates for a value come from. free: only the person knows it. */
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

/** Undefined for an input that was not declared with `declareInput`. */
export function sourceOf(input: Argument | Option): Source | undefined {
  return sources.get(input);
}
