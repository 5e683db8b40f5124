import type { ChildProcess } from 'node:child_process';
import { setImmediate as afterIo } from 'node:timers/promises';
import { type Closable, describeEnd, endWorker, forkWorker, readAnswer, tellWorker } from '@flotilla/kit';
import type { PackedBundle } from '../policy-source.ts';
import type { ExplainedTrial, FromExplainWorker, RawTrial, ToExplainWorker } from './explain-messages.ts';

/** The worker lies beside this file, as source or as a bundle of its own. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './explain-worker.ts' : './shield-explain-worker.mjs',
  import.meta.url,
);

/** How long one trial may take in the process, and before it the process to begin and to take the bundle. */
const DEADLINE_MS = 5000;
const START_MS = 30_000;
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

/** A process and the bundle that it holds. */
interface Held {
  readonly worker: ChildProcess;
  bundle: PackedBundle | undefined;
}

/**
 * Explains trials, one after the other, in a process of its own with a copy of the bundle that holds: no trial holds up a
 * request, whatever it brings. A thread would not do: one that is stopped in the midst of its work, or that runs out of
 * memory, can take the filter with it.
 *
 * *none*: there is no process; the first trial starts one. *working*: one trial is in it, the others wait. A trial that
 * takes too long, or too much memory, ends the process and fails; the next one gets another process. *idle*: no trial;
 * after a while the process ends, as it does when the filter has ended.
 */
export class ExplainProcess implements Closable {
  readonly #options: ExplainProcessOptions;
  /** The trial that came last: the next one begins when it has ended. */
  #last: Promise<unknown> = Promise.resolve();
  #trials = 0;
  #held: Held | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ExplainProcessOptions) {
    this.#options = options;
  }

  /** Of the process, where there is one; one that is idle ends by itself. */
  get pid(): number | undefined {
    return this.#held?.worker.pid;
  }

  /** Explains by the bundle that holds when the trial's turn comes. Rejects where the process broke. */
  async explain(trial: RawTrial): Promise<ExplainAnswer> {
    if (this.#isClosed || this.#trials >= (this.#options.trialsMax ?? TRIALS_MAX)) return { kind: 'busy' };
    this.#trials += 1;
    clearTimeout(this.#idle);
    const answer = this.#last.then(() => this.#ask(trial));
    this.#last = answer.catch(() => undefined);
    try {
      return await answer;
    } finally {
      this.#trials -= 1;
      if (this.#trials === 0 && !this.#isClosed) this.#endWhenIdle();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#end();
    await this.#last;
  }

  async #ask(trial: RawTrial): Promise<ExplainAnswer> {
    if (this.#isClosed) return { kind: 'busy' };
    const { bundle, trustedHops, deadlineMs = DEADLINE_MS } = this.#options;
    const held = this.#held ?? this.#start();
    let answer: FromExplainWorker | undefined;
    try {
      await this.#bring(held, bundle());
      const question: ToExplainWorker = { kind: 'explain', trial, trustedHops };
      answer = await hear(held.worker, deadlineMs, () => tell(held.worker, question));
      return answer === undefined || answer.kind === 'ready'
        ? { kind: 'too_slow', seconds: deadlineMs / 1000 }
        : answer;
    } finally {
      // What did not answer is still at work, or broken.
      if (answer === undefined) await this.#end();
    }
  }

  /** Gives the process a bundle, unless it has it. */
  async #bring(held: Held, bundle: PackedBundle): Promise<void> {
    if (held.bundle === bundle) return;
    const answer = await hear(held.worker, START_MS, async () => {
      await tell(held.worker, { kind: 'bundle', head: bundle.head });
      for (const piece of bundle.pieces) {
        await tell(held.worker, { kind: 'piece', piece });
        // Requests have their turn between two pieces.
        await afterIo();
      }
      await tell(held.worker, { kind: 'complete' });
    });
    if (answer === undefined) throw new Error(`the process that explains took no bundle within ${START_MS} ms`);
    held.bundle = bundle;
  }

  #start(): Held {
    const worker = forkWorker(WORKER, MEMORY_MB);
    const held: Held = { worker, bundle: undefined };
    // One that ends between two trials has nobody else who listens.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#held === held) this.#held = undefined;
    });
    this.#held = held;
    return held;
  }

  #endWhenIdle(): void {
    this.#idle = setTimeout(() => void this.#end(), this.#options.idleMs ?? IDLE_MS);
    this.#idle.unref();
  }

  async #end(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) await endWorker(held.worker);
  }
}

function tell(worker: ChildProcess, message: ToExplainWorker): Promise<void> {
  return tellWorker(worker, message);
}

/** The process's answer to what `ask` tells it; undefined where none came in time. Rejects where the process ends. */
async function hear(
  worker: ChildProcess,
  limitMs: number,
  ask: () => Promise<void>,
): Promise<FromExplainWorker | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const timer = setTimeout(() => resolve(undefined), limitMs);
  const onExit = () => reject(new Error(`the process that explains ${describeEnd(worker)} without an answer`));
  worker.on('message', resolve).on('error', reject).on('exit', onExit);
  try {
    await Promise.race([ask(), promise]);
    return readAnswer(await promise) as FromExplainWorker | undefined;
  } finally {
    clearTimeout(timer);
    worker.off('message', resolve).off('error', reject).off('exit', onExit);
  }
}
