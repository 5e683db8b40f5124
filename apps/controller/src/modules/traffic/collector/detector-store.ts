import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { adoptLearned } from './adopt-store.ts';

/** Learned states of the detectors of a project. */
export interface StoredDetectors {
  readonly state: Buffer;
  /** The number of the last reset that it has followed. */
  readonly lastReset: number;
}

/** Reads what the detectors of this collector have learned. The counts of two collectors are never added up. */
export async function takeDetectors(db: Db, project: string, collector: string): Promise<StoredDetectors | undefined> {
  const columns = ['state', 'last_reset'] as const;
  const row = await adoptLearned<{ state: Buffer; last_reset: string }>(db, 'collector_detectors', {
    project,
    collector,
    columns,
  });
  return row && { state: row.state, lastReset: Number(row.last_reset) };
}

/** Does nothing for a project that was deleted in the meantime. */
export async function storeDetectors(
  db: Db,
  project: string,
  { collector, state, lastReset, at }: StoredDetectors & { readonly collector: string; readonly at: Date },
): Promise<void> {
  await sql`
    insert into collector_detectors (project_id, collector, state, last_reset, updated_at)
    select id, ${collector}, ${state}, ${lastReset}, ${at} from projects where id = ${project}
    on conflict (project_id, collector)
      do update set state = excluded.state, last_reset = excluded.last_reset, updated_at = excluded.updated_at`.execute(
    db,
  );
}

/** No detector remembers anything for longer. */
const KEPT_DAYS = 7;
const DAY_MS = 86_400_000;

export async function forgetOldDetectors(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('collector_detectors')
    .where('updated_at', '<', new Date(now.getTime() - KEPT_DAYS * DAY_MS))
    .execute();
}
