import { type ConnectionSettings, openDatabase } from '@flotilla/db';
import { openDuckDbStore, spanOf, toProjectId } from '@flotilla/event-store';
import { createEvent } from '@flotilla/event-store/testing/events';
import { createLogger, systemClock } from '@flotilla/kit';
import { openKeyring } from '../../../../platform/keyring/index.ts';
import { noteArrivals } from '../arrival-store.ts';
import { EventExporter } from '../exporter.ts';
import { Outgoing } from '../outgoing.ts';

export interface ExportTask {
  readonly connection: ConnectionSettings;
  readonly path: string;
  readonly project: string;
  /** Batches to store before anything is sent. */
  readonly batches: number;
  readonly eventsPerBatch: number;
}

/** Stores batches, then sends them to the exports of a database until it is killed. */
const task = JSON.parse(process.argv[2] ?? '{}') as ExportTask;
const logger = createLogger({ name: 'export', level: 'warn', destination: 2 });
const { db } = openDatabase(task.connection, logger, { maxConnections: 4 });
const keyring = await openKeyring({ db, masterKey: '2a'.repeat(32), keyFile: '' });
const store = await openDuckDbStore({ path: task.path });
const project = toProjectId(task.project);
const nowMs = Date.now();
for (let sequence = 1; sequence <= task.batches; sequence += 1) {
  const events = Array.from({ length: task.eventsPerBatch }, (_, index) => createEvent({ timeMs: nowMs - index }));
  const batch = { sender: 'killed', epoch: '1', sequence, events };
  await store.append(project, batch);
  const span = spanOf(project, batch, { nowMs, isRepeated: false });
  await db.transaction().execute((tx) => noteArrivals(tx, [{ projectId: project, span }]));
}
const outgoing = new Outgoing();
await outgoing.start({
  watch: async (type, listener) => {
    listener(type.schema.parse({ allowed_networks: ['127.0.0.0/8'] }) as never);
    return { close: async () => undefined };
  },
});
new EventExporter({
  db,
  keyring,
  outgoing,
  events: { store },
  hasStore: true,
  onAttempt: () => undefined,
  logger,
  clock: systemClock,
});
process.stdout.write('sending\n');
setInterval(() => undefined, 60_000);
