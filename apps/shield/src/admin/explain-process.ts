import { setImmediate as afterIo } from 'node:timers/promises';
import { type Closable, SerialQueue, WorkerProcess } from '@flotilla/kit';
import type { PackedBundle } from '../policy-source.ts';
import type { ExplainedTrial, RawTrial, ToExplainWorker } from './explain-messages.ts';

/** The worker lies beside this file, as source or as a bundle of its own. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './explain-worker.ts' : './shield-explain-worker.mjs',
  import.meta.url,
);

/** How long one trial may take in the process, and before it a bundle to be taken. */
const DEADLINE_MS = 5000;
const BRING_MS = 30_000;
/** Trials that wait or run; each may bring 2 MiB. */
const TRIALS_MAX = 8;
/** A process without work ends after so long, and gives back what its copy of the bundle takes. */
const IDLE_MS = 30_000;
const MEMORY_MB = 512;

export interface ExplainProcessOptions {
  /** The bundle that holds. Another object is another bundle. */
  readonly bundle: () => PackedBundle;
  /** Of trials that do not say otherwise. */
  readonly trustedHops: number;
  /** Read for every trial. */
  readonly deadlineMs?: number;
  readonly trialsMax?: number;
  readonly idleMs?: number;
}

export type ExplainAnswer =
  | ExplainedTrial
  /** As many trials as fit wait already. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'too_slow'; readonly seconds: number };

/**
 * Explains trials, one after the other, in a process of its own (`WorkerProcess`) with a copy of the bundle that holds: no
 * trial holds up a request, whatever it brings. A trial that takes too long, or too much memory, ends the process and fails;
 * the next one gets another process.
 */
export class ExplainProcess implements Closable {
  readonly #options: ExplainProcessOptions;
  readonly #queue = new SerialQueue();
  /** That wait or run. */
  #trials = 0;
  readonly #process: WorkerProcess;
  /** The bundle that the process has. */
  #told: PackedBundle | undefined;
  #isClosed = false;

  constructor(options: ExplainProcessOptions) {
    this.#options = options;
    this.#process = new WorkerProcess({ entry: WORKER, memoryMb: MEMORY_MB, idleMs: options.idleMs ?? IDLE_MS });
  }

  /** Of the process, where there is one; one that is idle ends by itself. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Explains by the bundle that holds when the trial's turn comes. Rejects where the process broke. */
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
    if (isNew || this.#told !== wanted) await this.#bring(wanted);
    const question: ToExplainWorker = { kind: 'explain', trial, trustedHops };
    const answer = await this.#process.ask(deadlineMs, (tell) => tell(question));
    return answer === undefined ? { kind: 'too_slow', seconds: deadlineMs / 1000 } : (answer as ExplainedTrial);
  }

  async #bring(bundle: PackedBundle): Promise<void> {
    const answer = await this.#process.ask(BRING_MS, async (tell) => {
      for (const message of messagesOf(bundle)) {
        await tell(message);
        // Requests have their turn between two pieces.
        await afterIo();
      }
    });
    if (answer === undefined) throw new Error(`the process that explains took no bundle within ${BRING_MS} ms`);
    this.#told = bundle;
  }
}

function* messagesOf({ head, pieces }: PackedBundle): Generator<ToExplainWorker, void> {
  yield { kind: 'bundle', head };
  for (const piece of pieces) yield { kind: 'piece', piece };
  yield { kind: 'complete' };
}
