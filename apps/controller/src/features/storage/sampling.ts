import type { Db } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import { takeSample } from './store.ts';

const LOOK_EVERY_MS = 5 * 60_000;

/** Notes the size of the database once an hour, from the first minute on. */
export function startSampling({ db, logger }: { db: Db; logger: Logger }): Closable {
  let running: Promise<void> = Promise.resolve();
  const sample = () => {
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
