import { formatProblem } from '@flotilla/policy';
import type { PolicySource } from '../policy-source.ts';
import type { SelfTestResult } from '../self-test/self-test.ts';

const PROBLEMS_SHOWN_MAX = 100;
const FILES_SHOWN_MAX = 1000;

/** A thread that handles exchanges. */
export interface ThreadReading {
  /** 0 is the main thread. */
  readonly thread: number;
  /** The address for Envoy: `unix:PATH` or `HOST:PORT`. */
  readonly listen: string;
}

/** One of several filters in a folder serves, and the others stand by. */
export type DutyReading = 'starting' | 'standby' | 'serving';

export interface ConfigFacts {
  readonly source: PolicySource;
  readonly node: string;
  readonly threads: readonly ThreadReading[];
  readonly selfTest: SelfTestResult;
  readonly duty: DutyReading;
  /** The filter's name among several in one folder. */
  readonly pair: string | undefined;
}

/**
 * The current bundle and the last rejected one, as `/configz` shows them. `version` is the digest of the current
 * bundle.
 */
export function describeConfig({ source, node, threads, selfTest, duty, pair }: ConfigFacts) {
  const { current, failure, files } = source;
  return {
    version: current.digest,
    domains: current.domainCount,
    policies: current.policyNames,
    built_at: new Date(current.builtAtMs).toISOString(),
    sources: files.slice(0, FILES_SHOWN_MAX),
    sources_total: files.length,
    consecutive_failures: source.consecutiveFailures,
    last_error:
      failure === undefined
        ? null
        : {
            at: new Date(failure.atMs).toISOString(),
            message: failure.problems.slice(0, PROBLEMS_SHOWN_MAX).map(formatProblem).join('\n'),
            problems: failure.problems.slice(0, PROBLEMS_SHOWN_MAX),
          },
    node,
    duty,
    pair: pair ?? null,
    threads,
    self_test: selfTest,
  };
}
