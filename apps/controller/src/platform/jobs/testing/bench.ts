import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createId, createSilentLogger } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { createControllerDatabase } from '../../../testing/database.ts';
import { Jobs } from '../jobs.ts';
import type { JobType } from '../model.ts';
import { Runner } from '../runner.ts';
import { JobTypes } from '../types.ts';
import { PLAIN_CIPHER, type Scenario, SYSTEM } from './jobs.ts';
import type { Kill } from './kill.ts';

export interface WorkerOrder {
  readonly leaseMs?: number;
  readonly scenario?: Scenario;
  readonly prefix?: string;
  readonly kill?: Kill;
}

export function createJobs<P>(...types: JobType<P>[]): Jobs {
  const jobs = new Jobs(new JobTypes(PLAIN_CIPHER));
  for (const type of types) jobs.register(type);
  return jobs;
}

/** A database with workers: in separate processes, which can be killed, and in this one. */
export class Bench {
  readonly database: TestDatabase;
  readonly #leaseMs: number;
  readonly #workers = new Set<ChildProcess>();
  readonly #runners = new Set<Runner>();

  constructor(database: TestDatabase, leaseMs: number) {
    this.database = database;
    this.#leaseMs = leaseMs;
  }

  /** `words` are the words that the worker has printed. */
  startWorker(order: WorkerOrder = {}) {
    const workerId = createId();
    const whole = { settings: { ...this.database.settings }, workerId, leaseMs: this.#leaseMs, ...order };
    const child = spawn(process.execPath, [join(import.meta.dirname, 'worker.ts'), JSON.stringify(whole)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#workers.add(child);
    const words: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => words.push(line));
    return { child, workerId, words, exit: once(child, 'exit') };
  }

  async startRunner(jobs: Jobs, workerId = createId()): Promise<Runner> {
    const runner = new Runner({
      database: this.database,
      logger: createSilentLogger(),
      types: jobs.types,
      workerId,
      authorize: async () => ({}),
      timing: { leaseMs: this.#leaseMs, beatMs: this.#leaseMs / 3, pollMs: 50 },
    });
    this.#runners.add(runner);
    await runner.start();
    return runner;
  }

  enqueue<P>(jobs: Jobs, type: JobType<P>, params: P) {
    const order = { params, project: null, actor: SYSTEM };
    return this.database.db.transaction().execute((tx) => jobs.enqueue(tx, type, order));
  }

  readJob(id: string) {
    return this.database.db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  }

  readEvents(id: string) {
    return this.database.db.selectFrom('job_events').selectAll().where('job_id', '=', id).orderBy('seq').execute();
  }

  async readMarks(name: string): Promise<string[]> {
    const { db } = this.database;
    const rows = await db.selectFrom('outbox').select('payload').where('topic', '=', 'test.mark').execute();
    return rows.map(({ payload }) => (payload as { mark: string }).mark).filter((mark) => mark.includes(name));
  }

  async stopAll(): Promise<void> {
    for (const worker of this.#workers) worker.kill('SIGKILL');
    this.#workers.clear();
    for (const runner of this.#runners) await runner.close();
    this.#runners.clear();
  }

  async close(): Promise<void> {
    await this.stopAll();
    await this.database.close();
  }
}

export async function createBench(leaseMs: number): Promise<Bench> {
  return new Bench(await createControllerDatabase(), leaseMs);
}
