import type { Buffer } from 'node:buffer';
import { ALERT_CHANNELS_MAX, type AlertChannelView, failAlertChannel, type ShownAlertTarget } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { Records, type RowOf, type SearchQuery } from '../../../../platform/database/records.ts';
import { SECRET_PATHS } from './secrets.ts';

const CHANNELS = new Records<ChannelRow, ChannelRow>({
  kind: 'alert channel',
  table: 'alert_channels',
  sortable: { name: sql`lower(alert_channels.name)`, created_at: 'created_at', updated_at: 'updated_at' },
  defaultSort: 'name',
  searched: ['name'],
  toView: (row) => row,
});

function selectChannels(db: Db, projectId: string) {
  return db.selectFrom('alert_channels').selectAll().where('project_id', '=', projectId);
}

export type ChannelRow = RowOf<typeof selectChannels>;

export function toChannelView(row: ChannelRow): AlertChannelView {
  const path = SECRET_PATHS[row.target.kind];
  const updatedAt = row.secret_updated_at?.toISOString();
  return {
    id: row.id,
    project: row.project_id,
    name: row.name,
    enabled: row.enabled,
    target: row.target,
    private: path && row.sealed && updatedAt ? [{ path, set: true, updated_at: updatedAt }] : [],
    state: row.failing_since ? 'failing' : row.delivered_at ? 'working' : 'unused',
    delivered_at: row.delivered_at?.toISOString() ?? null,
    failing_since: row.failing_since?.toISOString() ?? null,
    last_error: row.last_error,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: row.updated_by,
    revision: row.revision,
  };
}

export async function listChannels(db: Db, projectId: string, query: SearchQuery) {
  const { items, ...page } = await CHANNELS.list(selectChannels(db, projectId), query);
  return { ...page, items: items.map(toChannelView) };
}

/** Throws record.not_found, also for a channel of another project. */
export const findChannel = (db: Db, projectId: string, id: string) => CHANNELS.find(selectChannels(db, projectId), id);

/** Like `findChannel`, with a lock until the transaction ends. */
export const lockChannel = (tx: Tx, projectId: string, id: string) => CHANNELS.lock(selectChannels(tx, projectId), id);

export interface ChannelWrite {
  readonly name: string;
  readonly enabled: boolean;
  readonly target: ShownAlertTarget;
  readonly sealed: Buffer | null;
  readonly secret_updated_at: Date | null;
}

interface Writing {
  readonly id: string;
  readonly now: Date;
  readonly by: string;
}

/** Throws record.exists and alert_channel.too_many. */
export async function insertChannel(
  tx: Tx,
  { id, projectId, now, by }: Writing & { readonly projectId: string },
  values: ChannelWrite,
): Promise<void> {
  const counted = tx.selectFrom('alert_channels').select(sql<number>`count(*)::int`.as('count'));
  const { count } = await counted.where('project_id', '=', projectId).executeTakeFirstOrThrow();
  if (count >= ALERT_CHANNELS_MAX) throw failAlertChannel('alert_channel.too_many', { max: ALERT_CHANNELS_MAX });
  const row = { ...values, target: JSON.stringify(values.target), last_error: null };
  await CHANNELS.refuseSameName(values.name, () =>
    tx
      .insertInto('alert_channels')
      .values({ id, project_id: projectId, ...row, created_at: now, updated_at: now, updated_by: by })
      .execute(),
  );
}

/** A changed channel is tried again at once. */
export async function updateChannel(tx: Tx, { id, now, by }: Writing, values: ChannelWrite): Promise<void> {
  const changed = { ...values, target: JSON.stringify(values.target), updated_at: now, updated_by: by };
  await CHANNELS.refuseSameName(values.name, () =>
    tx
      .updateTable('alert_channels')
      .set((eb) => ({ ...changed, failures: 0, retry_at: null, revision: eb('revision', '+', 1) }))
      .where('id', '=', id)
      .execute(),
  );
}

/** Throws alert_channel.in_use with the names of the rules that use the channel. */
export async function deleteChannel(tx: Tx, { id, name }: Pick<ChannelRow, 'id' | 'name'>): Promise<void> {
  const rules = await tx
    .selectFrom('alert_rule_channels')
    .innerJoin('alert_rules', 'alert_rules.id', 'alert_rule_channels.rule_id')
    .select(['alert_rules.id', 'alert_rules.name'])
    .where('channel_id', '=', id)
    .orderBy('alert_rules.name')
    .execute();
  if (rules.length > 0) {
    const details = rules.map((rule) => ({ path: rule.id, rule: 'in_use', message: `the alert rule ${rule.name}` }));
    const names = rules.map((rule) => rule.name).join(', ');
    throw failAlertChannel('alert_channel.in_use', { name, rules: names }, { details });
  }
  await tx.deleteFrom('alert_channels').where('id', '=', id).execute();
}
