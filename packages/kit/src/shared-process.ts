import type { Closable } from './lifecycle.ts';
import { WorkerEnded, WorkerProcess, type WorkerProcessOptions } from './worker-process.ts';

/** Why a job was not done. */
export type JobRefusal =
  /** As many wait as may, or nothing more is done here. */
  | 'busy'
  | 'too_slow'
  /** It wanted more memory than it may have. */
  | 'too_large';

export interface SharedProcessOptions extends Pick<WorkerProcessOptions, 'entry' | 'memoryMb'> {
  /** How long one job may take once its turn has come and there is a process. */
  readonly deadlineMs: number;
  /** Jobs that wait or run: of all, and of one party. */
  readonly jobsMax: number;
  readonly jobsPerPartyMax: number;
  /** Characters of all that waits. */
  readonly charsMax: number;
  /** A process without work ends after so long. */
  readonly idleMs?: number | undefined;
  /** The error that tells of it. */
  readonly refuse: (why: JobRefusal) => Error;
}

interface Waiting<Job, Answer> {
  readonly party: string;
  readonly job: Job;
  readonly chars: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

const IDLE_MS = 60_000;

/**
 * Does jobs one after the other in a process of its own (`WorkerProcess`), so that none holds up anything else, nor ends it by
 * the memory it takes. Parties take turns: one with many jobs makes the others wait for one of them at most. A job that takes
 * too long, or too much memory, ends the process and fails; the next one gets another. No job is answered with undefined.
 */
export class SharedProcess<Job extends NonNullable<unknown>, Answer extends NonNullable<unknown>> implements Closable {
  readonly #options: SharedProcessOptions;
  readonly #waiting: Waiting<Job, Answer>[] = [];
  readonly #jobsOf = new Map<string, number>();
  #waitingChars = 0;
  /** Whose job was done last. */
  #lastParty: string | undefined;
  readonly #process: WorkerProcess;
  #isWorking = false;
  #isClosed = false;

  constructor(options: SharedProcessOptions) {
    this.#options = options;
    const { entry, memoryMb, idleMs = IDLE_MS } = options;
    this.#process = new WorkerProcess({ entry, memoryMb, idleMs });
  }

  /** Of the process, where there is one; one that is idle ends by itself. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** `chars`: what the job brings, about. Rejects with what `refuse` makes of a refusal, and with what broke. */
  run(party: string, job: Job, chars: number): Promise<Answer> {
    const { jobsMax, jobsPerPartyMax, charsMax, refuse } = this.#options;
    const own = this.#jobsOf.get(party) ?? 0;
    const all = this.#waiting.length + (this.#isWorking ? 1 : 0);
    const isCrowded = this.#waiting.length > 0 && this.#waitingChars + chars > charsMax;
    if (this.#isClosed || own >= jobsPerPartyMax || all >= jobsMax || isCrowded) return Promise.reject(refuse('busy'));
    this.#jobsOf.set(party, own + 1);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ party, job, chars, resolve, reject });
    this.#waitingChars += chars;
    void this.#work();
    return promise.finally(() => {
      const left = (this.#jobsOf.get(party) ?? 1) - 1;
      if (left === 0) this.#jobsOf.delete(party);
      else this.#jobsOf.set(party, left);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#options.refuse('busy'));
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

  /** The oldest job of another party than the last one, else the oldest of all. */
  #take(): Waiting<Job, Answer> | undefined {
    const other = this.#waiting.findIndex(({ party }) => party !== this.#lastParty);
    const [next] = this.#waiting.splice(Math.max(other, 0), 1);
    this.#lastParty = next?.party;
    this.#waitingChars -= next?.chars ?? 0;
    return next;
  }

  async #do(job: Job): Promise<Answer> {
    const { deadlineMs, refuse } = this.#options;
    try {
      await this.#process.start();
      const answer = await this.#process.ask(deadlineMs, (tell) => tell(job));
      if (answer !== undefined) return answer as Answer;
    } catch (error) {
      if (this.#isClosed) throw refuse('busy');
      throw error instanceof WorkerEnded && error.ranOutOfMemory ? refuse('too_large') : error;
    }
    throw refuse('too_slow');
  }
}
