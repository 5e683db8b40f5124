import type { EngineName, EngineOptions } from './engines/index.ts';

/**
 * One engine block in one place. Identity matters: policies that inherit a block hold the same object and share its
 * state (one limiter); a block in another place is another object, even if its text is equal.
 */
export type EngineBlock = {
  readonly [N in EngineName]: {
    readonly engine: N;
    readonly options: EngineOptions[N];
    /** Number of proxies that share a limit of this block; 1 if it is not shared. Not part of `carryKeys`. */
    readonly edges: number;
    /**
     * Keys that identify this block across reloads: engine, content and place, one per host of its domain. A block of a
     * newer bundle with one of these keys is the same, unchanged block.
     */
    readonly carryKeys: readonly string[];
  };
}[EngineName];
