import type { ChildProcess } from 'node:child_process';
import { failTrial } from '@flotilla/contract';
import {
  type Closable,
  describeEnd,
  endWorker,
  forkWorker,
  ranOutOfMemory,
  readAnswer,
  tellWorker,
} from '@flotilla/kit';
import { READY, type TrialAnswer, type TrialJob, type TrialPolicy } from './trial-job.ts';

/** The worker lies beside this file, as source or as a bundle of its own. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './trial-worker.ts' : './controller-trial-worker.mjs',
  import.meta.url,
);

export interface TrialProcessOptions {
  /** How long one job may take once its turn has come and there is a process. */
  readonly deadlineMs: number;
  readonly memoryMb: number;
  /** Jobs that wait or run: of all, and of one project. */
  readonly jobsMax: number;
  readonly jobsPerProjectMax: number;
  /** Characters of all that waits. */
  readonly charsMax: number;
  /** A process without work ends after so long. */
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
/** How long a process may take to begin; a second or so where nothing else is to be done. */
const START_MS = 30_000;
/** A policy that is given as an object is not measured; few are, and none is large. */
const OBJECT_CHARS = 1024 * 1024;

/**
 * Does trials one after the other in a process of its own, so that no policy and no recorded request holds up anything else,
 * nor ends it by the memory it takes. Projects take turns: one with many jobs makes the others wait for one of them at most.
 *
 * *none*: there is no process; the first job starts one. *working*: one job is in it; the others wait. A job that takes too
 * long, or too much memory, ends the process and fails; the next job gets another one. *idle*: no job; after a while
 * the process ends and gives its memory back.
 */
export class TrialProcess implements Closable {
  readonly #options: TrialProcessOptions;
  readonly #waiting: Waiting[] = [];
  readonly #jobsOf = new Map<string, number>();
  #waitingChars = 0;
  /** Whose job was done last. */
  #lastProject: string | undefined;
  #worker: ChildProcess | undefined;
  #isWorking = false;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: TrialProcessOptions) {
    this.#options = options;
  }

  /** Of the process, where there is one; one that is idle ends by itself. */
  get pid(): number | undefined {
    return this.#worker?.pid;
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
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const isNew = this.#worker === undefined;
    const worker = this.#worker ?? this.#start(memoryMb);
    const giveUp = () => reject(failTrial('trial.too_slow', { seconds: deadlineMs / 1000 }));
    let timer = setTimeout(giveUp, isNew ? START_MS : deadlineMs);
    const onMessage = (message: unknown) => {
      if (message !== READY) return resolve(message);
      clearTimeout(timer);
      timer = setTimeout(giveUp, deadlineMs);
    };
    const onExit = () => {
      if (this.#isClosed) reject(failTrial('trial.busy'));
      else
        reject(
          ranOutOfMemory(worker)
            ? failTrial('trial.too_large')
            : new Error(`the process of trials ${describeEnd(worker)}`),
        );
    };
    worker.on('message', onMessage).once('error', reject).once('exit', onExit);
    try {
      const [answer] = await Promise.all([promise, tellWorker(worker, job)]);
      return readAnswer(answer) as TrialAnswer;
    } finally {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', reject).off('exit', onExit);
    }
  }

  #start(memoryMb: number): ChildProcess {
    const worker = forkWorker(WORKER, memoryMb);
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
    if (worker !== undefined) await endWorker(worker);
  }
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
