import { hash } from 'node:crypto';
import { serialize } from 'node:v8';
import { failDocument } from '@flotilla/contract';
import { type Closable, type JobRefusal, SharedProcess, type SharedProcessOptions } from '@flotilla/kit';
import type { AskBeforehand } from '../../http/beforehand.ts';
import {
  type ReadingAnswer,
  type ReadingInput,
  type ReadingJob,
  type ReadingName,
  type ReadingOutput,
  readHere,
} from './readings.ts';

/** The worker lies beside this file, as source or as a bundle of its own. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './reading-worker.ts' : './controller-reading-worker.mjs',
  import.meta.url,
);

/** What is smaller is read here, in ten milliseconds or so: it would take longer to hand it over. */
const LARGE_FROM_CHARS = 64 * 1024;

const REFUSALS = { busy: 'policy.busy', too_slow: 'policy.too_slow', too_large: 'policy.too_large' } as const;

export type PolicyReaderOptions = Omit<SharedProcessOptions, 'entry' | 'refuse'>;

/** A text of 8 MiB that is not plain takes ten seconds and a gigabyte; of what is written, before and after are read at once. */
const LIMITS: PolicyReaderOptions = {
  deadlineMs: 60_000,
  memoryMb: 2048,
  jobsMax: 16,
  jobsPerPartyMax: 4,
  charsMax: 128 * 1024 * 1024,
};

/**
 * Reads policies without holding up anything else: small ones in this thread, large ones in a process of its own, by the same
 * functions.
 */
export class PolicyReader implements Closable {
  readonly #process: SharedProcess<ReadingJob, ReadingAnswer>;

  constructor(options: PolicyReaderOptions = LIMITS) {
    const refuse = (why: JobRefusal) => failDocument(REFUSALS[why], { seconds: options.deadlineMs / 1000 });
    this.#process = new SharedProcess({ ...options, entry: WORKER, refuse });
  }

  /** Of the process, where there is one; one that is idle ends by itself. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /**
   * Reads for the work of a write: what is large before its transaction begins, so that nobody waits for the process with a
   * connection or a lock in hand.
   */
  within(beforehand: AskBeforehand): ReadPolicies {
    return (project, name, ...input) => {
      const read = () => this.read(project, name, ...input);
      return charsOf(input) < LARGE_FROM_CHARS ? read() : beforehand(keyOf(name, input), read);
    };
  }

  /** Rejects with policy.busy, policy.too_slow or policy.too_large, and with what broke. Projects take turns. */
  async read<N extends ReadingName>(project: string, name: N, ...input: ReadingInput<N>): Promise<ReadingOutput<N>> {
    const chars = charsOf(input);
    if (chars < LARGE_FROM_CHARS) return readHere(name, input);
    const { output } = await this.#process.run(project, { name, input }, chars);
    return output as ReadingOutput<N>;
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}

export type ReadPolicies = PolicyReader['read'];

/** The same for the same question. */
function keyOf(name: ReadingName, input: unknown): string {
  return `${name} ${hash('sha256', serialize(input))}`;
}

/** What plain data holds, about: the characters of its texts, the bytes of its files, and a few for each value. */
function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return VALUE_CHARS;
  return Object.entries(value).reduce((sum, [name, part]) => sum + name.length + charsOf(part), VALUE_CHARS);
}

const VALUE_CHARS = 4;
