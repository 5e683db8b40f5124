import { type EventStore, openClickHouseStore, openDuckDbStore } from '@flotilla/event-store';
import { AppError, Lifecycle, type Logger } from '@flotilla/kit';
import type { ControllerConfig, EventStoreTarget } from '../../../platform/config.ts';
import { openOwnDatabase } from '../../../platform/database/open.ts';
import type { Feature } from '../../../platform/features/index.ts';
import { listLiveControllers } from './controllers-store.ts';
import { type MoveOutcome, moveBetween } from './move.ts';
import { ProgressFile } from './progress-file.ts';

export interface MoveEventsDeps {
  readonly config: ControllerConfig;
  readonly target: EventStoreTarget;
  readonly features: readonly Feature[];
  readonly logger: Logger;
}

interface MoveIo {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

const DIFFERENCES_SHOWN = 20;

/** `flotilla controller --move-events`: copies the events of this installation to another store. Returns the exit code. */
export async function moveEvents(deps: MoveEventsDeps, io: MoveIo): Promise<number> {
  const { config, target, features, logger } = deps;
  const { eventStore: source, dataDir } = config;
  if (source.kind === 'off') return refuse(io, 'the event store is switched off');
  const lifecycle = new Lifecycle();
  try {
    const { db } = await openOwnDatabase({ config, features, logger, lifecycle, signal: io.signal });
    const live = await listLiveControllers(db);
    if (live.length > 0) return refuse(io, `stop the controllers first, because they add events: ${live.join(', ')}`);
    const from = await open(source, lifecycle);
    const to = await open(target, lifecycle);
    let shownAt = 0;
    const outcome = await moveBetween({
      from,
      to,
      between: `${describe(source)} -> ${describe(target)}`,
      file: new ProgressFile(dataDir),
      signal: io.signal,
      isQuiet: async () => (await listLiveControllers(db)).length === 0,
      onProgress: ({ events }) => {
        if (performance.now() - shownAt < 2000) return;
        shownAt = performance.now();
        io.stdout.write(`${events} events copied\n`);
      },
    });
    return report(outcome, io);
  } catch (error) {
    if (io.signal.aborted) return refuse(io, 'the copy was interrupted. The same command continues it');
    if (!(error instanceof AppError)) throw error;
    return refuse(io, error.message);
  } finally {
    await lifecycle.close();
  }
}

async function open(choice: EventStoreTarget, lifecycle: Lifecycle): Promise<EventStore> {
  const store =
    choice.kind === 'duckdb'
      ? await openDuckDbStore({ path: choice.path, ...bundledWorker() })
      : await openClickHouseStore({
          server: { url: choice.url, username: choice.username, password: choice.password },
          database: choice.database,
        });
  lifecycle.add(() => store.close());
  return store;
}

/** In a bundle, the thread of the store is a program of its own next to this one. */
function bundledWorker() {
  if (import.meta.url.endsWith('.ts')) return {};
  return { worker: new URL('./event-store-worker.mjs', import.meta.url) };
}

/** Without credentials. */
function describe(choice: EventStoreTarget): string {
  return choice.kind === 'duckdb' ? choice.path : `${choice.url}/${choice.database}`;
}

function report(outcome: MoveOutcome, io: MoveIo): number {
  switch (outcome.kind) {
    case 'moved':
      io.stdout.write(
        `${outcome.events} events of ${outcome.projects} projects are in the target, and the counts of each day agree. ` +
          'Start the controllers with the target in SVC_EVENT_STORE, then delete the source.\n',
      );
      return 0;
    case 'not_empty':
      return refuse(io, `the target has ${outcome.events} events already. Name an empty one`);
    case 'disturbed':
      return refuse(io, 'a controller was started meanwhile. Stop it, and run the same command again');
    case 'different': {
      const lines = outcome.differences
        .slice(0, DIFFERENCES_SHOWN)
        .map(
          ({ project, day, source, target }) =>
            `  project ${project}, ${day}: ${source.events} events in the source, ${target.events} in the target\n`,
        );
      io.stderr.write(lines.join(''));
      return refuse(
        io,
        `${outcome.differences.length} days differ. Keep the source, and copy again to an empty target`,
      );
    }
  }
}

function refuse(io: MoveIo, reason: string): number {
  io.stderr.write(`flotilla controller --move-events: ${reason}.\n`);
  return 1;
}
