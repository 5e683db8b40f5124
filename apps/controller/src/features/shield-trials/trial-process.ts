import { failTrial } from '@flotilla/contract';
import { type Closable, WorkerEnded, WorkerProcess } from '@flotilla/kit';
import type { TrialAnswer, TrialJob, TrialPolicy } from './trial-job.ts';

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
/** A policy that is given as an object is not measured; few are, and none is large. */
const OBJECT_CHARS = 1024 * 1024;

/**
 * Does trials one after the other in a process of its own (`WorkerProcess`), so that no policy and no recorded request holds
 * up anything else, nor ends it by the memory it takes. Projects take turns: one with many jobs makes the others wait for
 * one of them at most. A job that takes too long, or too much memory, ends the process and fails; the next one gets another.
 */
export class TrialProcess implements Closable {
  readonly #options: TrialProcessOptions;
  readonly #waiting: Waiting[] = [];
  readonly #jobsOf = new Map<string, number>();
  #waitingChars = 0;
  /** Whose job was done last. */
  #lastProject: string | undefined;
  readonly #process: WorkerProcess;
  #isWorking = false;
  #isClosed = false;

  constructor(options: TrialProcessOptions) {
    this.#options = options;
    const { memoryMb, idleMs = IDLE_MS } = options;
    this.#process = new WorkerProcess({ entry: WORKER, memoryMb, idleMs });
  }

  /** Of the process, where there is one; one that is idle ends by itself. */
  get pid(): number | undefined {
    return this.#process.pid;
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
    for (const { reject } of this.#waiting.splice(0)) reject(failTrial('trial.busy'));
    await this.#process.close();
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    for (let next = this.#take(); next; next = this.#take()) {
      try {
        next.resolve(await this.#do(next.job));
      } catch (error) {
        next.reject(error);
      }
    }
    this.#isWorking = false;
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
    const { deadlineMs } = this.#options;
    try {
      await this.#process.start();
      const answer = await this.#process.ask(deadlineMs, (tell) => tell(job));
      if (answer !== undefined) return answer as TrialAnswer;
    } catch (error) {
      if (this.#isClosed) throw failTrial('trial.busy');
      throw error instanceof WorkerEnded && error.ranOutOfMemory ? failTrial('trial.too_large') : error;
    }
    throw failTrial('trial.too_slow', { seconds: deadlineMs / 1000 });
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
