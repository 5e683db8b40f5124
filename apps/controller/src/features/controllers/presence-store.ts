import type { Db, Tx } from '@flotilla/db';
import { type SqlBool, sql } from 'kysely';

/** A controller that has been silent for longer is gone, whatever its rows say. */
export const CONTROLLER_SILENCE_MAX_MS = 15_000;
/** Of a row of `controllers`. Beats and this are by the database's clock: those of controllers may differ by more than a silence. */
export const isControllerLive = sql<SqlBool>`(controllers.seen_at >
  statement_timestamp() - ${sql.lit(CONTROLLER_SILENCE_MAX_MS)} * interval '1 ms')`;
/** Rows of controllers that were killed and that nobody took away. */
const FORGET_MS = 24 * 3_600_000;
const DATABASE_TIME = sql<Date>`clock_timestamp()`;

/** Since the last beat of a row of `controllers`. */
export const silentSeconds = sql<number>`extract(epoch from statement_timestamp() - controllers.seen_at)::float8`;

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
export async function insertController(db: Db, id: string, facts: ControllerFacts): Promise<number> {
  const { epoch } = await db
    .insertInto('controllers')
    .values({ id, started_at: DATABASE_TIME, seen_at: DATABASE_TIME, ...toColumns(facts) })
    .returning('epoch')
    .executeTakeFirstOrThrow();
  return epoch;
}

/** False: the row is gone, and with it the right to work. */
export async function recordBeat(db: Db, id: string, facts: ControllerFacts): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('controllers')
    .set({ seen_at: DATABASE_TIME, ...toColumns(facts) })
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function forgetLongGone(db: Db): Promise<void> {
  await db
    .deleteFrom('controllers')
    .where('seen_at', '<', sql<Date>`clock_timestamp() - ${sql.lit(FORGET_MS)} * interval '1 ms'`)
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
export function lockController(tx: Tx, id: string) {
  return tx
    .selectFrom('controllers')
    .select(['id', 'hostname', 'epoch', silentSeconds.as('silent_sec'), isControllerLive.as('live')])
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
