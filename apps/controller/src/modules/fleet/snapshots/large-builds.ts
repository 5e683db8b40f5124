import type { EnvoyApi } from '@flotilla/envoy-api';
import { loadOptionsOf } from '@flotilla/envoy-api';
import {
  type Closable,
  err,
  type JobRefusal,
  type Logger,
  ok,
  type Result,
  SharedProcess,
  type SharedProcessOptions,
  WorkerEnded,
} from '@flotilla/kit';
import type { BuildAnswer, BuildProblem, BuildQuestion, DocumentKey } from '@flotilla/translate';
import type { BuildJob } from './build-job.ts';
import type { HeldDocument } from './held-document.ts';

/** The worker is next to this file, as source or as its own bundle. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './build-worker.ts' : './controller-build-worker.mjs',
  import.meta.url,
);

export interface LargeBuildLimits
  extends Pick<SharedProcessOptions, 'processes' | 'deadlineMs' | 'memoryMb' | 'idleMs'> {
  /** Larger documents, including everything inserted into them, are built in another process. */
  readonly fromChars: number;
  /** Larger documents are not built at all. */
  readonly charsMax: number;
  /** Delay before an interrupted build is tried again. */
  readonly retryMs: number;
}

/** Many small messages are the most expensive content: 64 KiB of them take 30 ms, of endpoints or routes 10 ms. */
const LIMITS: LargeBuildLimits = {
  fromChars: 64 * 1024,
  charsMax: 16 * 1024 * 1024,
  processes: 2,
  deadlineMs: 90_000,
  memoryMb: 1536,
  retryMs: 30_000,
};

/** A project runs one job at a time, and each scope of documents queues one, so these limits are not reached. */
const QUEUE = { jobsMax: 1000, jobsPerPartyMax: 100, charsMax: 512 * 1024 * 1024 };

/** The controller is stopping: the result says nothing about the documents. */
export class BuildsClosed extends Error {
  constructor() {
    super('the controller is being stopped');
  }
}

class Refused extends Error {
  readonly why: JobRefusal;

  constructor(why: JobRefusal) {
    super(`the build was given up: ${why}`);
    this.why = why;
  }
}

/**
 * Builds large documents in other processes, so that the main thread is not blocked. The processes start on demand and
 * end when idle; a build that exceeds its time or memory only ends its own process. Projects take turns.
 */
export class LargeBuilds implements Closable {
  readonly limits: LargeBuildLimits;
  readonly #logger: Logger;
  readonly #process: SharedProcess<BuildJob, BuildAnswer>;
  #isClosed = false;

  constructor({
    logger,
    limits,
  }: { readonly logger: Logger; readonly limits?: Partial<LargeBuildLimits> | undefined }) {
    this.limits = { ...LIMITS, ...limits };
    this.#logger = logger;
    const { processes, deadlineMs, memoryMb, idleMs } = this.limits;
    this.#process = new SharedProcess({
      ...QUEUE,
      processes: processes ?? 1,
      deadlineMs,
      memoryMb,
      idleMs,
      entry: WORKER,
      refuse: (why) => new Refused(why),
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Pid of a process, if one runs. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** `documents` contains everything known so far. Rejects with `BuildsClosed`. */
  async build(
    project: string,
    {
      api,
      question,
      documents,
    }: {
      readonly api: EnvoyApi;
      readonly question: BuildQuestion;
      readonly documents: ReadonlyMap<DocumentKey, HeldDocument | undefined>;
    },
  ): Promise<Result<Exclude<BuildAnswer, { kind: 'too_large' }>, BuildProblem>> {
    const { charsMax } = this.limits;
    const present = [...documents.values()].filter((one) => one !== undefined);
    const chars = present.reduce((sum, one) => sum + one.chars, 0);
    if (chars > charsMax) return err(this.#describe('too_long'));
    const job: BuildJob = {
      api: loadOptionsOf(api),
      question,
      documents: present.map((one) => one.toText()),
      absent: [...documents].flatMap(([key, one]) => (one === undefined ? [key] : [])),
      charsMax,
    };
    try {
      const answer = await this.#runTwice(project, job, chars);
      return answer.kind === 'too_large' ? err(this.#describe('too_long')) : ok(answer);
    } catch (error) {
      if (this.#isClosed) throw new BuildsClosed();
      this.#logger.warn({ err: error, project, document: question.document }, 'snapshots.build_failed');
      return err(this.#toProblem(error));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#process.close();
  }

  /** A process may end for other reasons than its work, such as a lack of memory on the host. */
  async #runTwice(project: string, job: BuildJob, chars: number): Promise<BuildAnswer> {
    try {
      return await this.#process.run(project, job, chars);
    } catch (error) {
      if (!(error instanceof WorkerEnded)) throw error;
      this.#logger.warn({ err: error, project, document: job.question.document }, 'snapshots.build_repeated');
      return this.#process.run(project, job, chars);
    }
  }

  #toProblem(error: unknown): BuildProblem {
    if (error instanceof WorkerEnded) return this.#describe('ended');
    return this.#describe(error instanceof Refused ? error.why : 'broken');
  }

  #describe(why: JobRefusal | 'too_long' | 'ended' | 'broken'): BuildProblem {
    const { charsMax, memoryMb, deadlineMs } = this.limits;
    switch (why) {
      case 'too_long':
        return toFailed(`with everything that is put into it, it has more than ${charsMax} characters`);
      case 'too_large':
        return toFailed(`building it takes more than ${memoryMb} MB of memory`);
      case 'too_slow':
        return toFailed(`building it takes longer than ${deadlineMs / 1000} seconds`);
      case 'busy':
        return this.#toInterrupted('too many documents of the project wait to be built');
      case 'ended':
        return this.#toInterrupted(
          'the process that built it was ended twice: look whether the host has memory to spare',
        );
      case 'broken':
        return this.#toInterrupted('it could not be built, and the log of the controller says why');
    }
  }

  #toInterrupted(reason: string): BuildProblem {
    const seconds = this.limits.retryMs / 1000;
    const message = `${reason}; it is built again in ${seconds} seconds, and until then the last good version keeps running`;
    return { rule: 'document.build_interrupted', message };
  }
}

function toFailed(reason: string): BuildProblem {
  const message = `${reason}; divide it into several documents: until then the last good version keeps running`;
  return { rule: 'document.build_failed', message };
}
