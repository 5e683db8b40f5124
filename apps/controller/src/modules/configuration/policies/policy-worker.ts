import { hash } from 'node:crypto';
import { serialize } from 'node:v8';
import { failDocument } from '@flotilla/contract';
import { type Closable, type JobRefusal, SharedProcess, type SharedProcessOptions } from '@flotilla/kit';
import type { Prepare } from '../../../platform/http/preparation.ts';
import {
  type AnalysisAnswer,
  type AnalysisInput,
  type AnalysisJob,
  type AnalysisName,
  type AnalysisOutput,
  analyseHere,
} from './analysis/analyses.ts';

/** The worker is next to this file, as source or as its own bundle. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './analysis/analysis-process.ts' : './controller-analysis-process.mjs',
  import.meta.url,
);

/** Smaller texts are analysed in this thread in about ten milliseconds; passing them on would take longer. */
const LARGE_FROM_CHARS = 64 * 1024;

const REFUSALS = { busy: 'policy.busy', too_slow: 'policy.too_slow', too_large: 'policy.too_large' } as const;

export type PolicyWorkerOptions = Omit<SharedProcessOptions, 'entry' | 'refuse'>;

/**
 * A text of 8 MiB outside the fast path takes ten seconds and a gigabyte; a write analyses the old and the new text at
 * once.
 */
const LIMITS: PolicyWorkerOptions = {
  deadlineMs: 60_000,
  memoryMb: 2048,
  jobsMax: 16,
  jobsPerPartyMax: 4,
  charsMax: 128 * 1024 * 1024,
};

/**
 * Analyses policies without blocking the controller: small ones in this thread, large ones in another process, with the
 * same functions.
 */
export class PolicyWorker implements Closable {
  readonly #process: SharedProcess<AnalysisJob, AnalysisAnswer>;

  constructor(options: PolicyWorkerOptions = LIMITS) {
    const refuse = (why: JobRefusal) => failDocument(REFUSALS[why], { seconds: options.deadlineMs / 1000 });
    this.#process = new SharedProcess({ ...options, entry: WORKER, refuse });
  }

  /** Pid of the process, if it runs; an idle one ends on its own. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /**
   * Analyses for the work of a write. Large texts are analysed before its transaction, so that nobody waits with a
   * connection or a lock.
   */
  within(prepare: Prepare): AnalysePolicies {
    return (project, name, ...input) => {
      const read = () => this.read(project, name, ...input);
      return charsOf(input) < LARGE_FROM_CHARS ? read() : prepare(keyOf(name, input), read);
    };
  }

  /**
   * Rejects with policy.busy, policy.too_slow or policy.too_large, or with the error of the analysis. Projects take
   * turns.
   */
  async read<N extends AnalysisName>(project: string, name: N, ...input: AnalysisInput<N>): Promise<AnalysisOutput<N>> {
    const chars = charsOf(input);
    if (chars < LARGE_FROM_CHARS) return analyseHere(name, input);
    const { output } = await this.#process.run(project, { name, input }, chars);
    return output as AnalysisOutput<N>;
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}

export type AnalysePolicies = PolicyWorker['read'];

/** Equal questions have equal keys. */
function keyOf(name: AnalysisName, input: unknown): string {
  return `${name} ${hash('sha256', serialize(input))}`;
}

/** Approximate size of plain data: the characters of its strings, the bytes of its files, and a few per value. */
function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return VALUE_CHARS;
  return Object.entries(value).reduce((sum, [name, part]) => sum + name.length + charsOf(part), VALUE_CHARS);
}

const VALUE_CHARS = 4;
