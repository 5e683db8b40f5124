import { stringify } from 'yaml';
import { bodyCapOf } from './body-cap.ts';
import { diffPolicies } from './differences.ts';
import { readGuarded } from './guarded.ts';
import { checkPolicy, findBundleProblems, hostsOf, namesOf } from './model.ts';
import { hasSharedLimit } from './shared-limits.ts';
import { findWarnings } from './warnings.ts';

/** The analyses that take seconds for large policies. Each is a pure function of plain data. */
const ANALYSES = {
  check: checkPolicy,
  names: namesOf,
  problems: findBundleProblems,
  bodyCap: bodyCapOf,
  hosts: hostsOf,
  guarded: readGuarded,
  isShared: hasSharedLimit,
  warnings: findWarnings,
  differences: diffPolicies,
  /** Formats an object as YAML like a person would write it. */
  text: (document: Readonly<Record<string, unknown>>) => stringify(document, { lineWidth: 0 }),
};

type Analyses = typeof ANALYSES;
export type AnalysisName = keyof Analyses;
export type AnalysisInput<N extends AnalysisName> = Parameters<Analyses[N]>;
export type AnalysisOutput<N extends AnalysisName> = ReturnType<Analyses[N]>;

export function analyseHere<N extends AnalysisName>(name: N, input: AnalysisInput<N>): AnalysisOutput<N> {
  // The table gives each name its own function; the compiler cannot follow that through a variable name.
  const analyse: (...input: never) => unknown = ANALYSES[name];
  return analyse(...(input as never)) as AnalysisOutput<N>;
}

/** A request to the analysis process. Plain data, because it is copied. */
export interface AnalysisJob {
  readonly name: AnalysisName;
  readonly input: AnalysisInput<AnalysisName>;
}

export interface AnalysisAnswer {
  readonly output: unknown;
}

export function runAnalysis({ name, input }: AnalysisJob): AnalysisAnswer {
  return { output: analyseHere(name, input) };
}
