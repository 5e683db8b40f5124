import type { Db } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import type { Leading } from '../../../platform/presence/index.ts';
import { takeSample } from './store.ts';

const LOOK_EVERY_MS = 5 * 60_000;

export interface SamplingDeps {
  readonly db: Db;
  readonly leadership: Leading;
  readonly logger: Logger;
}

/** Records the size of the database once an hour, starting in the first minute, while this controller leads. */
export function startSampling({ db, leadership, logger }: SamplingDeps): Closable {
  leadership.leads('storage samples');
  let running: Promise<void> = Promise.resolve();
  const sample = () => {
    if (!leadership.isLeading) return;
    running = running
      .then(() => takeSample(db, new Date()))
      .catch((error: unknown) => logger.warn({ err: error }, 'storage.sample_failed'));
  };
  sample();
  const timer = setInterval(sample, LOOK_EVERY_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
