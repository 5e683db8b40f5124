import { stringify } from 'yaml';
import { bodyCapOf } from './body-cap.ts';
import { diffPolicies } from './differences.ts';
import { readGuarded } from './guarded.ts';
import { checkPolicy, findBundleProblems, hostsOf, namesOf } from './model.ts';
import { hasSharedLimit } from './shared-limit-store.ts';
import { findWarnings } from './warnings.ts';

/** What is found out of the texts and the files of policies: pure functions of plain data, which take seconds for large ones. */
const READINGS = {
  check: checkPolicy,
  names: namesOf,
  problems: findBundleProblems,
  bodyCap: bodyCapOf,
  hosts: hostsOf,
  guarded: readGuarded,
  isShared: hasSharedLimit,
  warnings: findWarnings,
  differences: diffPolicies,
  /** An object becomes the text that a person would have written. */
  text: (document: Readonly<Record<string, unknown>>) => stringify(document, { lineWidth: 0 }),
};

type Readings = typeof READINGS;
export type ReadingName = keyof Readings;
export type ReadingInput<N extends ReadingName> = Parameters<Readings[N]>;
export type ReadingOutput<N extends ReadingName> = ReturnType<Readings[N]>;

export function readHere<N extends ReadingName>(name: N, input: ReadingInput<N>): ReadingOutput<N> {
  // The table gives each name its own function; the compiler cannot follow that through a variable name.
  const reading: (...input: never) => unknown = READINGS[name];
  return reading(...(input as never)) as ReadingOutput<N>;
}

/** What a process is asked. Plain data: it is copied on its way. */
export interface ReadingJob {
  readonly name: ReadingName;
  readonly input: ReadingInput<ReadingName>;
}

/** What it answers. */
export interface ReadingAnswer {
  readonly output: unknown;
}

export function runReading({ name, input }: ReadingJob): ReadingAnswer {
  return { output: readHere(name, input) };
}
