import { fail } from '@flotilla/contract';
import type { Database } from '@flotilla/db';
import { type Closable, type JobRefusal, type Logger, SharedProcess, type SharedProcessOptions } from '@flotilla/kit';
import type { ControllerConfig } from '../config.ts';
import type { Relay, RelayedAnswer, RelayedRequest } from '../http/relay.ts';
import type { WorkerSetup } from './worker.ts';

/** The worker is next to this file, as source or as its own bundle. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? '../../request-worker.ts' : './controller-request-worker.mjs',
  import.meta.url,
);

export interface LargeRequestLimits
  extends Pick<SharedProcessOptions, 'processes' | 'deadlineMs' | 'memoryMb' | 'jobsMax' | 'charsMax' | 'idleMs'> {
  /** Limits for waiting and running requests, per caller and per project. */
  readonly perCallerMax: number;
  readonly perProjectMax: number;
}

/** Analysing a policy has its own deadline of 60 seconds (`PolicyWorker`), which gives a better error than this one. */
const LIMITS: LargeRequestLimits = {
  processes: 2,
  deadlineMs: 90_000,
  memoryMb: 1536,
  jobsMax: 24,
  charsMax: 128 * 1024 * 1024,
  perCallerMax: 3,
  perProjectMax: 6,
};

const BUSY_RETRY_S = 2;

export interface LargeRequestDeps {
  readonly config: ControllerConfig;
  readonly database: Pick<Database, 'settings' | 'role'>;
  readonly logger: Logger;
  readonly limits?: Partial<LargeRequestLimits>;
}

/**
 * Handles requests that would block the main thread: completely, from parsing the body to writing the answer, in
 * processes that serve the same routes on the same database. The processes start on demand and end when idle. Projects
 * take turns, with one request each at a time.
 */
export class LargeRequests implements Relay, Closable {
  readonly #limits: LargeRequestLimits;
  readonly #process: SharedProcess<RelayedRequest, RelayedAnswer>;
  readonly #pending = new Map<string, number>();

  constructor({ config, database, logger, limits }: LargeRequestDeps) {
    this.#limits = { ...LIMITS, ...limits };
    const { perCallerMax: _, perProjectMax, ...shared } = this.#limits;
    const begin: WorkerSetup = {
      config,
      connection: database.settings,
      role: database.role,
      logLevel: logger.level,
    };
    this.#process = new SharedProcess({
      ...shared,
      jobsPerPartyMax: perProjectMax,
      entry: WORKER,
      begin,
      refuse: (why) => this.#refuse(why),
    });
  }

  /** Pid of a running process, if any. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  reserve(caller: string): () => void {
    return this.#take(`caller ${caller}`, this.#limits.perCallerMax, 'of one caller');
  }

  /**
   * Rejects with request.too_many_large, request.busy, request.too_slow or request.too_heavy, or with the error of the
   * process.
   */
  async answer(request: RelayedRequest, party: string): Promise<RelayedAnswer> {
    const release = this.#take(`party ${party}`, this.#limits.perProjectMax, 'of one project');
    try {
      return await this.#process.run(party, request, request.body?.byteLength ?? 0);
    } finally {
      release();
    }
  }

  close(): Promise<void> {
    return this.#process.close();
  }

  #take(key: string, limit: number, of: string): () => void {
    const taken = this.#pending.get(key) ?? 0;
    if (taken >= limit) throw fail('request.too_many_large', { limit, of }, { extra: { retry_after: BUSY_RETRY_S } });
    this.#pending.set(key, taken + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const left = (this.#pending.get(key) ?? 1) - 1;
      if (left === 0) this.#pending.delete(key);
      else this.#pending.set(key, left);
    };
  }

  #refuse(why: JobRefusal): Error {
    switch (why) {
      case 'busy':
        return fail('request.busy', {}, { extra: { retry_after: BUSY_RETRY_S } });
      case 'too_slow':
        return fail('request.too_slow', { seconds: this.#limits.deadlineMs / 1000 });
      case 'too_large':
        return fail('request.too_heavy');
    }
  }
}
