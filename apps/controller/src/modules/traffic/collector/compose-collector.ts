import type { HashedKind } from '@flotilla/collector';
import type { Platform } from '../../../platform/platform.ts';
import type { LeaseTiming } from '../../../platform/presence/index.ts';
import type { LogsPort } from '../../../platform/streams/index.ts';
import type { ApplyBatches } from './applier.ts';
import { Collector } from './collector.ts';
import type { EventStoreAccess } from './event-store-access.ts';
import { ProjectKeys } from './project-keys.ts';
import { EventStoreSeat } from './seat.ts';
import { NAME_SOURCES } from './sources.ts';

export interface CollectorOptions {
  /** Id of this process. */
  readonly controllerId: string;
  readonly applyBatches: ApplyBatches;
  /** Only tests set it. */
  readonly seatTiming?: LeaseTiming;
  /** Stored operations of the project may have other names now. */
  readonly onNamesChanged: (project: string) => void;
}

/** A hash of a value, and the id of its key. */
export interface KeyedValue {
  readonly keyId: string;
  readonly hash: string;
}

export interface CollectorModule {
  readonly events: EventStoreAccess;
  readonly logs: LogsPort;
  /** The hashes that a value has in stored events: of the current key of the project, and of those before it. */
  readonly hashesOf: (project: string, kind: HashedKind, value: string) => Promise<readonly KeyedValue[]>;
}

export interface CollectorPlatform extends Pick<Platform, 'keyring' | 'settings' | 'logger' | 'metrics' | 'lifecycle'> {
  readonly config: Pick<Platform['config'], 'eventStore'>;
  readonly database: Pick<Platform['database'], 'db' | 'listen'>;
}

const ELSEWHERE =
  'Another controller has the event store, which is a file on its disk. Ask that controller, or use ClickHouse (SVC_EVENT_STORE).';

/** For processes that serve agents: the others collect nothing. Starts collecting, or waits for the seat of the embedded store. */
export async function composeCollector(
  { config, database, keyring, settings, logger, metrics, lifecycle }: CollectorPlatform,
  { controllerId, applyBatches, onNamesChanged, seatTiming }: CollectorOptions,
): Promise<CollectorModule> {
  const { db } = database;
  const keys = new ProjectKeys({ db, keyring, settings, now: () => new Date() });
  const store = config.eventStore;
  const collector = new Collector({
    database,
    settings,
    keys,
    store,
    applyBatches,
    logger,
    metrics,
    id: controllerId,
    onNamesChanged,
    ...NAME_SOURCES,
  });
  if (store.kind === 'duckdb') {
    const seat = new EventStoreSeat({
      db,
      controllerId,
      logger,
      ...(seatTiming && { timing: seatTiming }),
      onChange: (isTaken) => (isTaken ? collector.start() : collector.stop(ELSEWHERE)),
    });
    await collector.stop(ELSEWHERE);
    await seat.start();
    // Given back last, when the file is closed.
    lifecycle.add(() => seat.close());
  } else await collector.start();
  lifecycle.add(() => collector.close());
  return {
    events: collector.events,
    logs: collector,
    hashesOf: (project, kind, value) => keys.hashesOf(project, kind, value),
  };
}
