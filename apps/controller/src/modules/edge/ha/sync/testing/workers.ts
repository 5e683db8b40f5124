import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestDatabase } from '@flotilla/testkit';

/** owed: nothing was tried. failed: an attempt was counted. gone: nothing is owed. */
export type WorkState = 'owed' | 'install' | 'install done' | 'order' | 'order done' | 'failed' | 'gone';

/** `before` a transaction begins in the state; `inside` the one that leads to it, before it commits; `after` it has committed. */
export interface Kill {
  readonly state: WorkState;
  readonly moment: 'before' | 'inside' | 'after';
}

export interface WorkerOrder {
  readonly settings: { readonly host: string };
  readonly lease: { readonly lifeMs: number; readonly renewMs: number };
  readonly kill?: Kill;
}

const LEASE = { lifeMs: 1500, renewMs: 300 };

export interface SyncWorker {
  readonly child: ChildProcess;
  readonly controllerId: string;
  /** Exit code and signal. */
  readonly exit: Promise<unknown[]>;
}

/** Processes that let members of pairs catch up, and that a test kills. */
export class SyncWorkers {
  readonly #database: TestDatabase;
  readonly #children = new Set<ChildProcess>();

  constructor(database: TestDatabase) {
    this.#database = database;
  }

  /** Resolves when the worker has begun to look for work, or has died. */
  async start(kill?: Kill): Promise<SyncWorker> {
    const order = { settings: { ...this.#database.settings }, lease: LEASE, ...(kill && { kill }) };
    const child = spawn(process.execPath, [join(import.meta.dirname, 'worker.ts'), JSON.stringify(order)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#children.add(child);
    const exit = once(child, 'exit');
    const lines = createInterface({ input: child.stdout });
    const [controllerId] = (await Promise.race([once(lines, 'line'), exit.then(() => [''])])) as [string];
    return { child, controllerId, exit };
  }

  async close(): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exit = once(child, 'exit');
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await exit;
    }
    this.#children.clear();
  }
}
