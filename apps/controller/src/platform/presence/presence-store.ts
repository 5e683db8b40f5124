import type { Db, Tx } from '@flotilla/db';
import { type SqlBool, sql } from 'kysely';

/** A controller that is silent for longer counts as gone. */
export const CONTROLLER_SILENCE_MAX_MS = 15_000;
/**
 * For rows of `controllers`. Beats and this comparison use the database's clock: those of controllers may differ by
 * more than the limit.
 */
export const isControllerLive = sql<SqlBool>`(controllers.seen_at >
  statement_timestamp() - ${sql.lit(CONTROLLER_SILENCE_MAX_MS)} * interval '1 ms')`;
/** Rows of dead controllers that nobody removed are deleted after this time. */
const FORGET_MS = 24 * 3_600_000;
const DATABASE_TIME = sql<Date>`clock_timestamp()`;

/** Seconds since the last beat of a row of `controllers`. */
export const silentSeconds = sql<number>`extract(epoch from statement_timestamp() - controllers.seen_at)::float8`;

export interface ControllerFacts {
  readonly hostname: string;
  readonly version: string;
  readonly roles: readonly string[];
  readonly restAddress: string | null;
  readonly grpcAddress: string | null;
  readonly load: ControllerLoad;
}

export interface ControllerLoad {
  /** Share of one core since the previous beat. */
  readonly cpu: number;
  readonly rss_bytes: number;
  /** Command streams of agents. */
  readonly agents: number;
  /** Event streams of listeners. */
  readonly streams: number;
  readonly jobs: number;
}

/** Inserts the row of a starting controller and returns its epoch. */
export async function insertController(db: Db, id: string, facts: ControllerFacts): Promise<number> {
  const { epoch } = await db
    .insertInto('controllers')
    .values({ id, started_at: DATABASE_TIME, seen_at: DATABASE_TIME, ...toColumns(facts) })
    .returning('epoch')
    .executeTakeFirstOrThrow();
  return epoch;
}

/** False: the row was removed, and the controller must stop. */
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

/** Removes a controller and everything that appears connected through it. */
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

/** Locks the row, so that the controller cannot beat until the transaction ends. */
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
