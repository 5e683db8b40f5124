import type { SettingsType } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { takeLock } from '../database/named-lock.ts';
import type { RowOf } from '../database/records.ts';

/** Identifies a document. */
export interface SettingPlace {
  readonly type: SettingsType;
  /** null: of the installation. */
  readonly project: string | null;
  /** Empty for kinds with a single document. */
  readonly name: string;
}

/** Whether the installation's document applies until the project has its own. */
export function canInherit({ type, project }: SettingPlace): boolean {
  return type.perProject === true && project !== null;
}

const REVISIONS_KEPT = 100;

function selectSettings(db: Db, { type, project }: Pick<SettingPlace, 'type' | 'project'>) {
  return db
    .selectFrom('settings')
    .selectAll()
    .where('key', '=', type.key)
    .where('project_id', 'is not distinct from', project);
}

export type SettingRow = RowOf<typeof selectSettings>;

export async function findSetting(db: Db, place: SettingPlace): Promise<SettingRow | undefined> {
  return selectSettings(db, place).where('name', '=', place.name).executeTakeFirst();
}

/** Reads with a share lock: changes wait until the transaction ends. */
export async function holdSetting(tx: Tx, place: SettingPlace): Promise<SettingRow | undefined> {
  return selectSettings(tx, place).where('name', '=', place.name).forShare().executeTakeFirst();
}

/** All documents of a kind, by name. There are few: see DOCUMENTS_MAX. */
export async function listNamed(db: Db, of: Pick<SettingPlace, 'type' | 'project'>): Promise<SettingRow[]> {
  return selectSettings(db, of).orderBy('name').execute();
}

/** Names of all named documents by key, of the project or (null) of the installation. */
export async function listNames(db: Db, project: string | null): Promise<{ key: string; name: string }[]> {
  return db
    .selectFrom('settings')
    .select(['key', 'name'])
    .where('project_id', 'is not distinct from', project)
    .where('name', '!=', '')
    .orderBy('name')
    .execute();
}

/** Inserts the row if necessary and locks it, so that the second of two writers sees the first one's value. */
export async function lockSetting(tx: Tx, place: SettingPlace, now: Date): Promise<SettingRow> {
  await tx
    .insertInto('settings')
    .values({
      id: createId(now.getTime()),
      project_id: place.project,
      key: place.type.key,
      name: place.name,
      value: '{}',
      secrets: '{}',
      sealed: null,
      updated_at: now,
      updated_by: '',
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'key', 'name']).doNothing())
    .execute();
  return selectSettings(tx, place).where('name', '=', place.name).forUpdate().executeTakeFirstOrThrow();
}

/** Serialises writers of one kind, so that the count stays valid. */
export async function countNamed(tx: Tx, { type, project }: SettingPlace): Promise<number> {
  await takeLock(tx, `settings ${type.key} ${project}`);
  const { count } = await tx
    .selectFrom('settings')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('key', '=', type.key)
    .where('project_id', 'is not distinct from', project)
    .executeTakeFirstOrThrow();
  return count;
}

export interface SettingContent {
  readonly value: Record<string, unknown>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly sealed: Buffer | null;
}

/** Writes the next revision of a locked row. */
export async function storeSetting(
  tx: Tx,
  row: SettingRow,
  { content, at, by }: { content: SettingContent; at: Date; by: string },
): Promise<SettingRow> {
  const [value, secrets] = [JSON.stringify(content.value), JSON.stringify(content.secrets)];
  const stored = await tx
    .updateTable('settings')
    .set({ value, secrets, sealed: content.sealed, revision: row.revision + 1, updated_at: at, updated_by: by })
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('setting_revisions')
    .values({
      setting_id: row.id,
      project_id: row.project_id,
      revision: stored.revision,
      value,
      secrets,
      updated_at: at,
      updated_by: by,
    })
    .execute();
  await tx
    .deleteFrom('setting_revisions')
    .where('setting_id', '=', row.id)
    .where('revision', '<=', stored.revision - REVISIONS_KEPT)
    .execute();
  return stored;
}

export async function deleteSetting(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('settings').where('id', '=', id).execute();
}

/** Newest first. */
export async function listRevisions(db: Db, place: SettingPlace) {
  return db
    .selectFrom('setting_revisions')
    .innerJoin('settings', 'settings.id', 'setting_revisions.setting_id')
    .select([
      'setting_revisions.revision',
      'setting_revisions.value',
      'setting_revisions.secrets',
      'setting_revisions.updated_at',
      'setting_revisions.updated_by',
    ])
    .where('settings.key', '=', place.type.key)
    .where('settings.name', '=', place.name)
    .where('settings.project_id', 'is not distinct from', place.project)
    .orderBy('setting_revisions.revision', 'desc')
    .limit(REVISIONS_KEPT)
    .execute();
}
