import { setImmediate as afterIo } from 'node:timers/promises';
import { type Closable, SerialQueue, WorkerProcess } from '@flotilla/kit';
import type { PackedBundle } from '../policy-source.ts';
import type { ExplainedTrial, RawTrial, ToExplainWorker } from './explain-messages.ts';

/** The worker is next to this file, as source or as its own bundle. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './explain-worker.ts' : './shield-explain-worker.mjs',
  import.meta.url,
);

/** Limits for one trial, and for loading a bundle before it. */
const DEADLINE_MS = 5000;
const BRING_MS = 30_000;
/** Maximum of queued and running trials; each may have 2 MiB. */
const TRIALS_MAX = 8;
/** An idle process ends after this time and releases its copy of the bundle. */
const IDLE_MS = 30_000;
const MEMORY_MB = 512;

export interface ExplainProcessOptions {
  /** The current bundle. Bundles are compared by identity. */
  readonly bundle: () => PackedBundle;
  /** Default for trials that do not set it. */
  readonly trustedHops: number;
  /** Read for every trial. */
  readonly deadlineMs?: number;
  readonly trialsMax?: number;
  readonly idleMs?: number;
}

export type ExplainAnswer =
  | ExplainedTrial
  /** The queue is full. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'too_slow'; readonly seconds: number };

/**
 * Explains trials sequentially in a separate process (`WorkerProcess`) with a copy of the current bundle, so that no
 * trial delays a request. A trial that takes too long, or too much memory, ends the process and fails; the next one
 * gets a new process.
 */
export class ExplainProcess implements Closable {
  readonly #options: ExplainProcessOptions;
  readonly #queue = new SerialQueue();
  /** Number of queued and running trials. */
  #trials = 0;
  readonly #process: WorkerProcess;
  /** The bundle that the process has. */
  #loaded: PackedBundle | undefined;
  #isClosed = false;

  constructor(options: ExplainProcessOptions) {
    this.#options = options;
    this.#process = new WorkerProcess({ entry: WORKER, memoryMb: MEMORY_MB, idleMs: options.idleMs ?? IDLE_MS });
  }

  /** Id of the process, if any; an idle one ends on its own. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Explains by the bundle that is current when the trial starts. Rejects if the process breaks. */
  async explain(trial: RawTrial): Promise<ExplainAnswer> {
    if (this.#isClosed || this.#trials >= (this.#options.trialsMax ?? TRIALS_MAX)) return { kind: 'busy' };
    this.#trials += 1;
    try {
      return await this.#queue.run(() => this.#ask(trial));
    } finally {
      this.#trials -= 1;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#process.close();
    await this.#queue.settle();
  }

  async #ask(trial: RawTrial): Promise<ExplainAnswer> {
    if (this.#isClosed) return { kind: 'busy' };
    const { bundle, trustedHops, deadlineMs = DEADLINE_MS } = this.#options;
    const isNew = await this.#process.start();
    const wanted = bundle();
    if (isNew || this.#loaded !== wanted) await this.#bring(wanted);
    const question: ToExplainWorker = { kind: 'explain', trial, trustedHops };
    const answer = await this.#process.ask(deadlineMs, (tell) => tell(question));
    return answer === undefined ? { kind: 'too_slow', seconds: deadlineMs / 1000 } : (answer as ExplainedTrial);
  }

  async #bring(bundle: PackedBundle): Promise<void> {
    const answer = await this.#process.ask(BRING_MS, async (tell) => {
      for (const message of messagesOf(bundle)) {
        await tell(message);
        // Lets requests run between two pieces.
        await afterIo();
      }
    });
    if (answer === undefined) throw new Error(`the process that explains took no bundle within ${BRING_MS} ms`);
    this.#loaded = bundle;
  }
}

function* messagesOf({ head, pieces }: PackedBundle): Generator<ToExplainWorker, void> {
  yield { kind: 'bundle', head };
  for (const piece of pieces) yield { kind: 'piece', piece };
  yield { kind: 'complete' };
}
