import { flushCompileCache } from 'node:module';
import { type Db, openDatabase, type Tx } from '@flotilla/db';
import { createId, createSilentLogger } from '@flotilla/kit';
import { sql } from 'kysely';
import { openKeyring } from '../../../../../platform/keyring/index.ts';
import { ControllerPresence, Leadership, type Leading } from '../../../../../platform/presence/index.ts';
import { CommandService, SealedPayloads } from '../../../../fleet/commands/index.ts';
import { ForwarderConfigs } from '../../../../fleet/log-forwarding/index.ts';
import { ServiceRegistry } from '../../../../fleet/services/index.ts';
import { noteTargetsChanged, PairSync } from '../index.ts';
import type { Kill, WorkerOrder, WorkState } from './workers.ts';

// A controller that does nothing but let members of pairs catch up, for tests that kill it. The first argument is its order as JSON.
flushCompileCache();
const order = JSON.parse(process.argv[2] ?? '') as WorkerOrder;
const logger = createSilentLogger();
const database = openDatabase(order.settings, logger, { maxConnections: 6 });
const { db } = database;
const controllerId = createId();

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  // Blocks until the signal is delivered, so that nothing else runs.
  for (;;);
}

/** The state of the only row of work. */
async function readState(from: Db | Tx): Promise<WorkState> {
  const { rows } = await sql<{ attempts: number; service_id: string | null; status: string | null }>`
    select ha_sync.attempts, commands.service_id, commands.status
    from ha_sync left join commands on commands.id = ha_sync.command_id limit 1`.execute(from);
  const [row] = rows;
  if (!row) return 'gone';
  if (row.status === null) return row.attempts > 0 ? 'failed' : 'owed';
  const ended = row.status === 'done' ? ' done' : '';
  return row.service_id === null ? `install${ended}` : `order${ended}`;
}

/** Kills the process at a moment of the transaction that leads to a state. */
function watch(leading: Leading, kill: Kill | undefined): Leading {
  return {
    get isLeading() {
      return leading.isLeading;
    },
    leads: (duty) => leading.leads(duty),
    async write<T>(work: (tx: Tx) => Promise<T>): Promise<T | undefined> {
      const before = kill && (await readState(db));
      const isAt = (state: WorkState | undefined) => state === kill?.state;
      if (kill?.moment === 'before' && isAt(before)) die();
      const result = await leading.write(async (tx) => {
        const inside = await work(tx);
        if (kill?.moment === 'inside' && !isAt(before) && isAt(await readState(tx))) die();
        return inside;
      });
      if (kill?.moment === 'after' && !isAt(before) && isAt(await readState(db))) die();
      return result;
    },
  };
}

const keyring = await openKeyring({ db, masterKey: '2a'.repeat(32), keyFile: '' });
const presence = new ControllerPresence({ db, controllerId, version: 'test', logger });
await presence.start();
const leadership = new Leadership({ db, controllerId, logger, timing: order.lease });
await leadership.start();
const services = new ServiceRegistry({
  references: { check: async () => [], replace: async () => undefined, remove: async () => undefined },
  onTargetsChanged: noteTargetsChanged,
});
const commands = new CommandService({
  db,
  logger,
  services,
  archive: { offer: async () => undefined },
  configs: new ForwarderConfigs(keyring),
  payloads: new SealedPayloads(keyring),
  requireKnownVersion: async () => undefined,
  findRights: async () => undefined,
});
const sync = new PairSync({
  db,
  leadership: watch(leadership, order.kill),
  logger,
  commands,
  services,
  allowAddresses: async () => undefined,
});
sync.start();
process.stdout.write(`${controllerId}\n`);
