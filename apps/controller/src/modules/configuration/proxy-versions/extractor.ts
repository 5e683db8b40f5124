import type { ExtractedDescriptors } from '@flotilla/envoy-api';
import {
  type Closable,
  err,
  type JobRefusal,
  ok,
  type Result,
  SharedProcess,
  type SharedProcessOptions,
  WorkerEnded,
} from '@flotilla/kit';

/** The worker is next to this file, as source or as its own bundle. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './extract-worker.ts' : './controller-extract-worker.mjs',
  import.meta.url,
);

export type ExtractorLimits = Pick<SharedProcessOptions, 'deadlineMs' | 'memoryMb' | 'idleMs'>;

/** A real Envoy takes a second and 200 MB. */
const LIMITS: ExtractorLimits = { deadlineMs: 120_000, memoryMb: 1024, idleMs: 5000 };
const QUEUE = { jobsMax: 100, jobsPerPartyMax: 100, charsMax: 1_000_000 };

class Refused extends Error {
  readonly why: JobRefusal;

  constructor(why: JobRefusal) {
    super(`the extraction was given up: ${why}`);
    this.why = why;
  }
}

/**
 * Extracts descriptors in another process, because the file comes from outside: one that is made to take endless time or
 * memory only ends that process.
 */
export class Extractor implements Closable {
  readonly #limits: ExtractorLimits;
  readonly #process: SharedProcess<{ path: string; version: string }, ExtractedDescriptors | string>;

  constructor(limits: ExtractorLimits = LIMITS) {
    this.#limits = limits;
    this.#process = new SharedProcess({
      ...QUEUE,
      ...limits,
      entry: WORKER,
      refuse: (why) => new Refused(why),
    });
  }

  /** The error says what is wrong with the file. Rejects if another attempt may end differently. */
  async extract(path: string, version: string): Promise<Result<ExtractedDescriptors, string>> {
    try {
      const answer = await this.#process.run(version, { path, version }, path.length);
      return typeof answer === 'string' ? err(answer) : ok(answer);
    } catch (error) {
      const { deadlineMs, memoryMb } = this.#limits;
      if (error instanceof Refused && error.why === 'too_slow')
        return err(`cannot be read: its descriptors took longer than ${deadlineMs / 1000} seconds`);
      if (error instanceof Refused && error.why === 'too_large')
        return err(`cannot be read: its descriptors took more than ${memoryMb} MB of memory`);
      if (error instanceof Refused || error instanceof WorkerEnded) throw error;
      return err(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
