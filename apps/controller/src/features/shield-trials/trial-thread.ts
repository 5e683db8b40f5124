import { Worker } from 'node:worker_threads';
import { failTrial } from '@flotilla/contract';
import type { Closable } from '@flotilla/kit';
import { READY, type TrialAnswer, type TrialJob, type TrialPolicy } from './trial-job.ts';

/** The worker lies beside this file, as source or as a bundle of its own. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './trial-worker.ts' : './controller-trial-worker.mjs',
  import.meta.url,
);

export interface TrialThreadOptions {
  /** How long one job may take once its turn has come and there is a thread. */
  readonly deadlineMs: number;
  readonly memoryMb: number;
  /** Jobs that wait or run: of all, and of one project. */
  readonly jobsMax: number;
  readonly jobsPerProjectMax: number;
  /** Characters of all that waits. */
  readonly charsMax: number;
  /** A thread without work ends after so long. */
  readonly idleMs?: number;
}

interface Waiting {
  readonly project: string;
  readonly job: TrialJob;
  readonly chars: number;
  readonly resolve: (answer: TrialAnswer) => void;
  readonly reject: (error: unknown) => void;
}

const IDLE_MS = 60_000;
/** How long a thread may take to begin; a second or so where nothing else is to be done. */
const START_MS = 30_000;
/** A policy that is given as an object is not measured; few are, and none is large. */
const OBJECT_CHARS = 1024 * 1024;

/**
 * Does trials one after the other in a thread of its own, so that no policy and no recorded request holds up anything else.
 * Projects take turns: one with many jobs makes the others wait for one of them at most.
 *
 * *none*: there is no thread; the first job starts one. *working*: one job is in it; the others wait. A job that takes too
 * long, or too much memory, ends the thread and fails; the next job gets another one. *idle*: no job; after a while the
 * thread ends and gives its memory back.
 */
export class TrialThread implements Closable {
  readonly #options: TrialThreadOptions;
  readonly #waiting: Waiting[] = [];
  readonly #jobsOf = new Map<string, number>();
  #waitingChars = 0;
  /** Whose job was done last. */
  #lastProject: string | undefined;
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
    const { jobsMax, jobsPerProjectMax, charsMax } = this.#options;
    const chars = sizeOf(job);
    const own = this.#jobsOf.get(project) ?? 0;
    const all = this.#waiting.length + (this.#isWorking ? 1 : 0);
    const isCrowded = this.#waiting.length > 0 && this.#waitingChars + chars > charsMax;
    if (this.#isClosed || own >= jobsPerProjectMax || all >= jobsMax || isCrowded)
      return Promise.reject(failTrial('trial.busy'));
    this.#jobsOf.set(project, own + 1);
    const { promise, resolve, reject } = Promise.withResolvers<TrialAnswer>();
    this.#waiting.push({ project, job, chars, resolve, reject });
    this.#waitingChars += chars;
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
    for (let next = this.#take(); next; next = this.#take()) {
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

  /** The oldest job of another project than the last one, else the oldest of all. */
  #take(): Waiting | undefined {
    const other = this.#waiting.findIndex(({ project }) => project !== this.#lastProject);
    const [next] = this.#waiting.splice(Math.max(other, 0), 1);
    this.#lastProject = next?.project;
    this.#waitingChars -= next?.chars ?? 0;
    return next;
  }

  async #do(job: TrialJob): Promise<TrialAnswer> {
    const { deadlineMs, memoryMb } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<TrialAnswer>();
    const isNew = this.#worker === undefined;
    const worker = this.#worker ?? this.#start(memoryMb);
    const giveUp = () => reject(failTrial('trial.too_slow', { seconds: deadlineMs / 1000 }));
    let timer = setTimeout(giveUp, isNew ? START_MS : deadlineMs);
    const onMessage = (message: TrialAnswer | typeof READY) => {
      if (message !== READY) return resolve(message);
      clearTimeout(timer);
      timer = setTimeout(giveUp, deadlineMs);
    };
    const onError = (error: unknown) => reject(isOutOfMemory(error) ? failTrial('trial.too_large') : error);
    const onExit = () => reject(failTrial('trial.busy'));
    worker.on('message', onMessage).once('error', onError).once('exit', onExit);
    try {
      worker.postMessage(job);
      return await promise;
    } finally {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
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

/** What a job brings, about. */
function sizeOf(job: TrialJob): number {
  if (job.kind === 'explain') return sizeOfPolicies(job.policies) + job.requestChars;
  return sizeOfPolicies(job.candidate) + sizeOfPolicies(job.baseline ?? []) + job.records.text.length;
}

function sizeOfPolicies(policies: readonly TrialPolicy[]): number {
  return policies.reduce(
    (sum, { content, files }) =>
      files.reduce((total, file) => total + file.content_base64.length, sum) +
      (typeof content === 'string' ? content.length : OBJECT_CHARS),
    0,
  );
}
