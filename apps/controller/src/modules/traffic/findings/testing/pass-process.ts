import { type ConnectionSettings, openDatabase } from '@flotilla/db';
import { createLogger, systemClock } from '@flotilla/kit';
import { runPass } from '../pass.ts';

export interface PassTask {
  readonly connection: ConnectionSettings;
  /** The transaction in which the process kills itself; undefined: none. */
  readonly crashAt?: number;
  readonly crash?: 'before commit' | 'after commit';
}

/** Runs one pass and kills itself in the middle of it. */
const task = JSON.parse(process.argv[2] ?? '{}') as PassTask;
const database = openDatabase(task.connection, createLogger({ name: 'pass', level: 'warn', destination: 2 }), {
  maxConnections: 2,
});
let transactions = 0;
await runPass({
  db: database.db,
  clock: systemClock,
  write: async (work) => {
    transactions += 1;
    const isHere = transactions === task.crashAt;
    const done = await database.db.transaction().execute(async (tx) => {
      const outcome = await work(tx);
      if (isHere && task.crash === 'before commit') process.kill(process.pid, 'SIGKILL');
      return outcome;
    });
    if (isHere && task.crash === 'after commit') process.kill(process.pid, 'SIGKILL');
    return done;
  },
});
await database.close();
