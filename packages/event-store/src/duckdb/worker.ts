import { AppError } from '@flotilla/kit';
import { type Failure, toFailure } from '../failure.ts';
import type { AppendOutcome, ProjectId, Retention, StoreHealth } from '../port.ts';
import { createReader, type Reader } from '../read.ts';
import { Connections } from './connections.ts';
import { type Append, Database, type DatabaseOptions } from './database.ts';
import { createDuckDbDialect } from './dialect.ts';
import { readRows, toStoreError } from './file.ts';
import type { Answer, Question, Task } from './messages.ts';
import { ROLLUP_KINDS } from './schema.ts';
import { WriteQueue } from './write-queue.ts';

// Program of the store's process, which `store-process.ts` starts.
const options = JSON.parse(process.argv[2] ?? '{}') as DatabaseOptions;
const connections = new Connections(() => database.connect());
const database = new Database(options, () => connections.whenIdle());
const queue = new WriteQueue(database);

const reader: Reader = createReader({
  wordOf: (value) => database.words.textOf(value),
  ranksSinceMs: () => database.ranksSinceMs,
  isLossy: true,
  statement: (project) => ({
    dialect: createDuckDbDialect(database.words, database.words.findProject(project)),
    run: (sql) => connections.use((connection) => readRows(connection, sql)),
  }),
});

async function readHealth(): Promise<StoreHealth> {
  const [row] = await connections.use((connection) =>
    readRows(connection, 'select count(*) as n, min("timeMs") as oldest, max("timeMs") as newest from events'),
  );
  const { used } = await queue.run(() => database.readSizes());
  const toTime = (value: unknown) => (value === null || value === undefined ? null : Number(value));
  return {
    kind: 'duckdb',
    events: Number(row?.n ?? 0),
    bytes: used,
    oldestMs: toTime(row?.oldest),
    newestMs: toTime(row?.newest),
    overflowedWords: database.words.overflowed,
    setAside: database.setAside,
    processId: process.pid,
  };
}

/** Every task of the port. */
async function perform({ name, args }: Task, nowMs: number): Promise<unknown> {
  const [project, options] = args as [ProjectId, never];
  switch (name) {
    case 'open':
      return database.open(nowMs);
    case 'append':
      return queue.append(args[0] as Append, nowMs) satisfies Promise<AppendOutcome>;
    case 'totals':
    case 'percentiles':
    case 'series':
    case 'latencyMap':
    case 'groups':
    case 'top':
    case 'distinct':
    case 'rates':
    case 'facets':
    case 'page':
    case 'exportEvents':
    case 'forward':
      return reader[name](project, options);
    case 'completeFrom':
      return database.completeFromMs;
    case 'raiseCompleteFrom':
      return queue.run(() => database.write(nowMs, () => database.raiseCompleteFrom(args[0] as number)));
    case 'projects':
      return database.words.listProjects();
    case 'deleteProject':
      return queue.run(() => database.write(nowMs, () => database.deleteProject(project)));
    case 'maintain':
      return queue.run(() => maintain(nowMs, args[0] as Partial<Retention> | undefined));
    case 'compact':
      return queue.run(() => compact(nowMs));
    case 'health':
      return readHealth();
    case 'close':
      await queue.run(async () => undefined);
      await connections.whenIdle();
      return database.close();
  }
}

async function maintain(nowMs: number, retention: Partial<Retention> | undefined) {
  database.retention = { ...database.retention, ...retention };
  await database.write(nowMs, () => database.settle(nowMs));
  await database.write(nowMs, () => database.fold(nowMs));
  const expiredEvents = await database.write(nowMs, () => database.expire(nowMs));
  const evictedEvents = await database.write(nowMs, () => database.makeRoom(nowMs));
  return { expiredEvents, evictedEvents };
}

async function compact(nowMs: number): Promise<void> {
  await database.write(nowMs, () => database.settle(nowMs));
  await database.write(nowMs, () => database.fold(nowMs));
  for (const kind of ROLLUP_KINDS) {
    for (const table of Object.values(kind.tables)) {
      await database.write(nowMs, () => database.rewriteRollup(kind, table));
    }
  }
  await database.write(nowMs, () => database.checkpoint());
}

function describe(cause: unknown): Failure {
  return toFailure(cause instanceof AppError ? cause : toStoreError(cause));
}

/** The owner has ended, and the next one needs the file: what was acknowledged is on the disk. A normal exit would wait for DuckDB. */
function endAtOnce(): void {
  process.kill(process.pid, 'SIGKILL');
}

function send(answer: Answer): void {
  process.send?.(answer, (error: Error | null) => {
    if (error !== null) endAtOnce();
  });
}

process.on('message', ({ id, task, nowMs }: Question) => {
  perform(task, nowMs).then(
    (result) => send({ id, result }),
    (cause: unknown) => send({ id, failure: describe(cause) }),
  );
});
process.on('disconnect', endAtOnce);
