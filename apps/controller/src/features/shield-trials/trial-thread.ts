import { Worker } from 'node:worker_threads';
import { failTrial } from '@flotilla/contract';
import type { Closable } from '@flotilla/kit';
import type { TrialAnswer, TrialJob } from './trial-job.ts';

/** The worker lies beside this file, as source or as a bundle of its own. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './trial-worker.ts' : './controller-trial-worker.mjs',
  import.meta.url,
);

export interface TrialThreadOptions {
  /** How long one job may take, from the moment its turn comes. */
  readonly deadlineMs: number;
  readonly memoryMb: number;
  /** Jobs that wait or run: of all, and of one project. */
  readonly jobsMax: number;
  readonly jobsPerProjectMax: number;
  /** A thread without work ends after so long. */
  readonly idleMs?: number;
}

interface Waiting {
  readonly project: string;
  readonly job: TrialJob;
  readonly resolve: (answer: TrialAnswer) => void;
  readonly reject: (error: unknown) => void;
}

const IDLE_MS = 60_000;

/**
 * Does trials one after the other in a thread of its own, so that no policy and no recorded request holds up anything else.
 *
 * *none*: there is no thread; the first job starts one. *working*: one job is in it; the others wait. A job that takes too
 * long, or too much memory, ends the thread and fails; the next job gets another one. *idle*: no job; after a while the
 * thread ends and gives its memory back.
 */
export class TrialThread implements Closable {
  readonly #options: TrialThreadOptions;
  readonly #waiting: Waiting[] = [];
  readonly #jobsOf = new Map<string, number>();
  #worker: Worker | undefined;
  #isWorking = false;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: TrialThreadOptions) {
    this.#options = options;
  }

  /** Whether there is a thread; one that is idle ends by itself. */
  get isAlive(): boolean {
    return this.#worker !== undefined;
  }

  /** Rejects with trial.busy, trial.too_slow or trial.too_large, and with what broke. */
  run(project: string, job: TrialJob): Promise<TrialAnswer> {
    const { jobsMax, jobsPerProjectMax } = this.#options;
    const own = this.#jobsOf.get(project) ?? 0;
    const all = this.#waiting.length + (this.#isWorking ? 1 : 0);
    if (this.#isClosed || own >= jobsPerProjectMax || all >= jobsMax) return Promise.reject(failTrial('trial.busy'));
    this.#jobsOf.set(project, own + 1);
    const { promise, resolve, reject } = Promise.withResolvers<TrialAnswer>();
    this.#waiting.push({ project, job, resolve, reject });
    void this.#work();
    return promise.finally(() => {
      const left = (this.#jobsOf.get(project) ?? 1) - 1;
      if (left === 0) this.#jobsOf.delete(project);
      else this.#jobsOf.set(project, left);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    for (const { reject } of this.#waiting.splice(0)) reject(failTrial('trial.busy'));
    await this.#end();
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    clearTimeout(this.#idle);
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      try {
        next.resolve(await this.#do(next.job));
      } catch (error) {
        next.reject(error);
        await this.#end();
      }
    }
    this.#isWorking = false;
    this.#idle = setTimeout(() => void this.#end(), this.#options.idleMs ?? IDLE_MS);
    this.#idle.unref();
  }

  async #do(job: TrialJob): Promise<TrialAnswer> {
    const { deadlineMs, memoryMb } = this.#options;
    const worker = this.#worker ?? this.#start(memoryMb);
    const { promise, resolve, reject } = Promise.withResolvers<TrialAnswer>();
    const timer = setTimeout(() => reject(failTrial('trial.too_slow', { seconds: deadlineMs / 1000 })), deadlineMs);
    const onError = (error: unknown) => reject(isOutOfMemory(error) ? failTrial('trial.too_large') : error);
    const onExit = () => reject(failTrial('trial.busy'));
    worker.once('message', resolve).once('error', onError).once('exit', onExit);
    try {
      worker.postMessage(job);
      return await promise;
    } finally {
      clearTimeout(timer);
      worker.off('message', resolve).off('error', onError).off('exit', onExit);
    }
  }

  #start(memoryMb: number): Worker {
    const worker = new Worker(WORKER, {
      name: 'trials',
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 64 },
    });
    worker.unref();
    // One that ends between two jobs has nobody else who listens.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    return worker;
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
