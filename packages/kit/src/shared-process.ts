import type { Closable } from './lifecycle.ts';
import { WorkerEnded, WorkerProcess, type WorkerProcessOptions } from './worker-process.ts';

export type JobRefusal =
  /** The queue is full, or the process is closing. */
  | 'busy'
  | 'too_slow'
  /** The job exceeded the memory limit. */
  | 'too_large';

export interface SharedProcessOptions extends Pick<WorkerProcessOptions, 'entry' | 'memoryMb'> {
  /** Number of processes, and so of jobs at the same time. A party has at most one running job. */
  readonly processes?: number;
  /** First message to every new process, which replies when it is ready for jobs. */
  readonly begin?: NonNullable<unknown>;
  /** Limit for one job, from the moment it is sent to a running process. */
  readonly deadlineMs: number;
  /** Limits on waiting and running jobs, in total and per party. */
  readonly jobsMax: number;
  readonly jobsPerPartyMax: number;
  /** Limit on the characters of all waiting jobs. */
  readonly charsMax: number;
  /** How long a process without work stays alive. */
  readonly idleMs?: number | undefined;
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
/** How long a started process may take to become ready. */
const BEGIN_MS = 60_000;

/**
 * Runs jobs in separate processes (`WorkerProcess`), so that a job can neither block this process nor exhaust its
 * memory. Parties take turns: a party with many jobs delays the others by at most one job. A job that exceeds its time
 * or memory fails and ends its process; the next job gets a new one. A job never resolves to undefined.
 */
export class SharedProcess<Job extends NonNullable<unknown>, Answer extends NonNullable<unknown>> implements Closable {
  readonly #options: SharedProcessOptions;
  readonly #waiting: Waiting<Job, Answer>[] = [];
  readonly #jobsOf = new Map<string, number>();
  #waitingChars = 0;
  /** The party of the job that was started last. */
  #lastParty: string | undefined;
  /** Idle processes, the most recently used first. */
  readonly #resting: WorkerProcess[];
  readonly #processes: readonly WorkerProcess[];
  /** Parties with a running job. */
  readonly #working = new Set<string>();
  #isClosed = false;

  constructor(options: SharedProcessOptions) {
    this.#options = options;
    const { entry, memoryMb, processes = 1, idleMs = IDLE_MS } = options;
    this.#processes = Array.from({ length: processes }, () => new WorkerProcess({ entry, memoryMb, idleMs }));
    this.#resting = [...this.#processes];
  }

  /** The id of one of the processes; undefined if none is running. Idle processes end on their own. */
  get pid(): number | undefined {
    return this.#processes.find(({ pid }) => pid !== undefined)?.pid;
  }

  /** `chars` is the approximate size of the job. Rejects with the error from `refuse`, or with the error of the job. */
  run(party: string, job: Job, chars: number): Promise<Answer> {
    const { jobsMax, jobsPerPartyMax, charsMax, refuse } = this.#options;
    const own = this.#jobsOf.get(party) ?? 0;
    const all = this.#waiting.length + this.#working.size;
    const isCrowded = this.#waiting.length > 0 && this.#waitingChars + chars > charsMax;
    if (this.#isClosed || own >= jobsPerPartyMax || all >= jobsMax || isCrowded) return Promise.reject(refuse('busy'));
    this.#jobsOf.set(party, own + 1);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.push({ party, job, chars, resolve, reject });
    this.#waitingChars += chars;
    this.#work();
    return promise.finally(() => {
      const left = (this.#jobsOf.get(party) ?? 1) - 1;
      if (left === 0) this.#jobsOf.delete(party);
      else this.#jobsOf.set(party, left);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#options.refuse('busy'));
    await Promise.all(this.#processes.map((process) => process.close()));
  }

  /** Starts as many jobs as processes are free. */
  #work(): void {
    for (let next = this.#take(); next; next = this.#take()) {
      const [process] = this.#resting.splice(0, 1);
      if (process) void this.#doIn(process, next);
    }
  }

  async #doIn(process: WorkerProcess, { party, job, resolve, reject }: Waiting<Job, Answer>): Promise<void> {
    this.#working.add(party);
    try {
      resolve(await this.#do(process, job));
    } catch (error) {
      reject(error);
    }
    this.#working.delete(party);
    this.#resting.unshift(process);
    this.#work();
  }

  /**
   * Takes the oldest job of a party without a running job, preferring parties other than the last one served. Undefined
   * if no process is idle.
   */
  #take(): Waiting<Job, Answer> | undefined {
    if (this.#resting.length === 0) return undefined;
    const isFree = ({ party }: Waiting<Job, Answer>) => !this.#working.has(party);
    const other = this.#waiting.findIndex((one) => isFree(one) && one.party !== this.#lastParty);
    const at = other === -1 ? this.#waiting.findIndex(isFree) : other;
    if (at === -1) return undefined;
    const [next] = this.#waiting.splice(at, 1);
    this.#lastParty = next?.party;
    this.#waitingChars -= next?.chars ?? 0;
    return next;
  }

  async #do(process: WorkerProcess, job: Job): Promise<Answer> {
    const { deadlineMs, refuse, begin } = this.#options;
    try {
      const isNew = await process.start();
      if (isNew && begin !== undefined && (await process.ask(BEGIN_MS, (tell) => tell(begin))) === undefined)
        throw refuse('busy');
      const answer = await process.ask(deadlineMs, (tell) => tell(job));
      if (answer !== undefined) return answer as Answer;
    } catch (error) {
      if (this.#isClosed) throw refuse('busy');
      throw error instanceof WorkerEnded && error.ranOutOfMemory ? refuse('too_large') : error;
    }
    throw refuse('too_slow');
  }
}
