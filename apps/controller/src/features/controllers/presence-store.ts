import type { Db, Tx } from '@flotilla/db';
import { type SqlBool, sql } from 'kysely';

/** A controller that has been silent for longer is gone, whatever its rows say. */
export const CONTROLLER_SILENCE_MAX_MS = 15_000;
/** Rows of controllers that were killed and that nobody took away. */
const FORGET_MS = 24 * 3_600_000;

/** What a controller says of itself. */
export interface ControllerFacts {
  readonly hostname: string;
  readonly version: string;
  readonly roles: readonly string[];
  readonly restAddress: string | null;
  readonly grpcAddress: string | null;
  readonly load: ControllerLoad;
}

export interface ControllerLoad {
  /** Of one core, since the beat before. */
  readonly cpu: number;
  readonly rss_bytes: number;
  /** Command streams of agents. */
  readonly agents: number;
  /** Streams of events to those who watch. */
  readonly streams: number;
  readonly jobs: number;
}

/** The row of a controller that begins. Returns its epoch. */
export async function insertController(db: Db, id: string, facts: ControllerFacts, now: Date): Promise<number> {
  const { epoch } = await db
    .insertInto('controllers')
    .values({ id, started_at: now, seen_at: now, ...toColumns(facts) })
    .returning('epoch')
    .executeTakeFirstOrThrow();
  return epoch;
}

/** False: the row is gone, and with it the right to work. */
export async function recordBeat(db: Db, id: string, facts: ControllerFacts, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('controllers')
    .set({ seen_at: now, ...toColumns(facts) })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function forgetLongGone(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('controllers')
    .where('seen_at', '<', new Date(now.getTime() - FORGET_MS))
    .execute();
}

/** Takes a controller away, with everything that seems connected through it. */
export async function removeController(
  db: Db | Tx,
  id: string,
  { now, reason }: { readonly now: Date; readonly reason: 'controller_stopped' | 'controller_lost' },
): Promise<void> {
  await db
    .updateTable('clients')
    .set({ connected_to: null, disconnect_time: now, disconnect_reason: reason })
    .where('connected_to', '=', id)
    .execute();
  await db.deleteFrom('controllers').where('id', '=', id).execute();
}

/** Locks the row: it does not come back to life until the transaction ends. */
export function lockController(tx: Tx, id: string, aliveSince: Date) {
  return tx
    .selectFrom('controllers')
    .select(['id', 'hostname', 'epoch', 'seen_at', sql<SqlBool>`seen_at > ${aliveSince}`.as('live')])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

function toColumns({ hostname, version, roles, restAddress, grpcAddress, load }: ControllerFacts) {
  return {
    hostname,
    version,
    roles: [...roles],
    rest_address: restAddress,
    grpc_address: grpcAddress,
    load: JSON.stringify(load),
  };
}
