import { formatProblem } from '@flotilla/policy';
import type { PolicySource } from '../policy-source.ts';
import type { SelfTestReading } from '../self-test/self-test.ts';

const PROBLEMS_SHOWN_MAX = 100;
const FILES_SHOWN_MAX = 1000;

/** A thread that answers exchanges. */
export interface ThreadReading {
  /** 0 is the main thread. */
  readonly thread: number;
  /** Where Envoy reaches it: `unix:PATH` or `HOST:PORT`. */
  readonly listen: string;
}

export interface ConfigFacts {
  readonly source: PolicySource;
  readonly node: string;
  readonly threads: readonly ThreadReading[];
  readonly selfTest: SelfTestReading;
}

/** What holds and what was last turned away, as `/configz` shows it. `version` is the digest of the bundle that holds. */
export function describeConfig({ source, node, threads, selfTest }: ConfigFacts) {
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
    threads,
    self_test: selfTest,
  };
}
