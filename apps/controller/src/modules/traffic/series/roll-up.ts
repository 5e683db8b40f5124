import type { Db } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import { FlushLoop } from '../../../platform/database/flush-loop.ts';
import { forgetOldIntervals } from './prune-store.ts';
import { rollUpHours, rollUpNodes } from './roll-up-store.ts';

const INTERVAL_MS = 300_000;

/** Adds new intervals to the stored minutes, and complete minutes to the hours, and deletes what is no longer needed. Every controller does a part of it. */
export class TrafficRollUp implements Closable {
  readonly #loop: FlushLoop;

  constructor(deps: {
    readonly db: Db;
    readonly logger: Logger;
    readonly now: () => Date;
    readonly intervalMs?: number;
  }) {
    const { db, logger, now } = deps;
    this.#loop = new FlushLoop({
      intervalMs: deps.intervalMs ?? INTERVAL_MS,
      write: async () => {
        while ((await rollUpNodes(db)) > 0);
        while ((await rollUpHours(db, now())) > 0);
        await forgetOldIntervals(db, now());
      },
      onFailure: (error) => logger.warn({ err: error }, 'traffic.roll_up_failed'),
    });
  }

  /** Adds everything that is stored. */
  run(): Promise<void> {
    return this.#loop.flush();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }
}
