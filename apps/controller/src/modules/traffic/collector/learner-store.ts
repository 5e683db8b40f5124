import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { isControllerLive } from '../../../platform/presence/index.ts';
import { adoptLearned } from './adopt-store.ts';

/** Reads the learned paths of this collector. */
export async function takeLearner(db: Db, project: string, collector: string): Promise<Buffer | undefined> {
  const columns = ['state'] as const;
  return (await adoptLearned<{ state: Buffer }>(db, 'collector_learners', { project, collector, columns }))?.state;
}

export interface LearnedElsewhere {
  /** Changes with the states. */
  readonly version: string;
  readonly load: () => Promise<readonly Buffer[]>;
}

/** The most collectors whose decisions are adopted. */
const OTHERS_MAX = 8;

/** Finds the learned paths of other collectors, the newest first. */
export async function findLearnedElsewhere(db: Db, project: string, collector: string): Promise<LearnedElsewhere> {
  const found = db
    .selectFrom('collector_learners')
    .where('project_id', '=', project)
    .where('collector', '<>', collector)
    .orderBy('updated_at', 'desc')
    .orderBy('collector')
    .limit(OTHERS_MAX);
  const rows = await found.select(['collector', 'updated_at']).execute();
  return {
    version: JSON.stringify(rows.map((row) => [row.collector, row.updated_at.getTime()])),
    load: async () => (rows.length === 0 ? [] : (await found.select('state').execute()).map(({ state }) => state)),
  };
}

/** Reads the learned paths of all collectors, the newest first. */
export async function readLearned(db: Db, project: string): Promise<readonly Buffer[]> {
  const rows = await db
    .selectFrom('collector_learners')
    .select('state')
    .where('project_id', '=', project)
    .orderBy('updated_at', 'desc')
    .orderBy('collector')
    .limit(OTHERS_MAX + 1)
    .execute();
  return rows.map(({ state }) => state);
}

/** Does nothing for a project that was deleted in the meantime. */
export async function storeLearner(
  db: Db,
  project: string,
  {
    collector,
    state,
    places,
    at,
  }: { readonly collector: string; readonly state: Buffer; readonly places: number; readonly at: Date },
): Promise<void> {
  await sql`
    insert into collector_learners (project_id, collector, state, places, updated_at)
    select id, ${collector}, ${state}, ${places}, ${at} from projects where id = ${project}
    on conflict (project_id, collector)
      do update set state = excluded.state, places = excluded.places, updated_at = excluded.updated_at`.execute(db);
}

const KEPT_DAYS = 7;
const DAY_MS = 86_400_000;

/** Deletes what collectors had learned that ended long ago, if another one has learned the paths of the project since then. */
export async function forgetOldLearners(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS);
  await sql`
    delete from collector_learners l
    where l.updated_at < ${before}
      and exists (select from collector_learners n where n.project_id = l.project_id and n.updated_at > ${before})
      and not exists (select from controllers where controllers.id::text = l.collector and ${isControllerLive})`.execute(
    db,
  );
}
