import { ALERT_RULES_MAX, type AlertRuleValues, type AlertRuleView, failAlertRule } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { Records, type RowOf, type SearchQuery } from '../../../../platform/database/records.ts';

const RULES = new Records<RuleRow, AlertRuleView, RuleQuery>({
  kind: 'alert rule',
  table: 'alert_rules',
  sortable: {
    name: sql`lower(alert_rules.name)`,
    severity: sql`array_position(array['critical', 'warning', 'info'], alert_rules.severity)`,
    created_at: 'alert_rules.created_at',
    updated_at: 'alert_rules.updated_at',
  },
  defaultSort: 'name',
  searched: ['alert_rules.name'],
  filters: { severity: 'alert_rules.severity' },
  toView,
});

export interface RuleQuery extends SearchQuery {
  readonly severity?: readonly AlertRuleValues['severity'][] | undefined;
  readonly channel_id?: readonly string[] | undefined;
}

function selectRules(db: Db, projectId: string) {
  return db
    .selectFrom('alert_rules')
    .selectAll('alert_rules')
    .select([
      sql<string[]>`array(select channel_id from alert_rule_channels
        where rule_id = alert_rules.id order by channel_id)`.as('channels'),
      sql<number>`(select count(*)::int from alerts where alerts.rule_id = alert_rules.id and state = 'firing')`.as(
        'firing',
      ),
    ])
    .where('alert_rules.project_id', '=', projectId);
}

type RuleRow = RowOf<typeof selectRules>;

function toView({ project_id: project, silenced_until, created_at, updated_at, ...row }: RuleRow): AlertRuleView {
  return {
    ...row,
    project,
    silenced_until: silenced_until?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

export function listRules(db: Db, projectId: string, query: RuleQuery) {
  let select = selectRules(db, projectId);
  if (query.channel_id) {
    const ids = [...query.channel_id];
    select = select.where('alert_rules.id', 'in', (eb) =>
      eb.selectFrom('alert_rule_channels').select('rule_id').where('channel_id', 'in', ids),
    );
  }
  return RULES.list(select, query);
}

/** Throws record.not_found, also for a rule of another project. */
export const findRule = (db: Db, projectId: string, id: string) => RULES.find(selectRules(db, projectId), id);

/** Like `findRule`, with a lock until the transaction ends. */
export const lockRule = (tx: Tx, projectId: string, id: string) => RULES.lock(selectRules(tx, projectId), id);

export interface Writing {
  readonly id: string;
  readonly projectId: string;
  readonly now: Date;
  readonly by: string;
}

/** Throws record.exists, alert_rule.too_many and alert_rule.unknown_channel. */
export async function insertRule(tx: Tx, { id, projectId, now, by }: Writing, values: AlertRuleValues): Promise<void> {
  const counted = tx.selectFrom('alert_rules').select(sql<number>`count(*)::int`.as('count'));
  const { count } = await counted.where('project_id', '=', projectId).executeTakeFirstOrThrow();
  if (count >= ALERT_RULES_MAX) throw failAlertRule('alert_rule.too_many', { max: ALERT_RULES_MAX });
  const row = { id, project_id: projectId, ...toColumns(values), created_at: now, updated_at: now, updated_by: by };
  await RULES.refuseSameName(values.name, () => tx.insertInto('alert_rules').values(row).execute());
  await replaceChannels(tx, { id, projectId }, values.channels);
}

/** The alerts of the rule that are active take its name and severity. */
export async function updateRule(tx: Tx, { id, projectId, now, by }: Writing, values: AlertRuleValues): Promise<void> {
  await RULES.refuseSameName(values.name, () =>
    tx
      .updateTable('alert_rules')
      .set((eb) => ({ ...toColumns(values), updated_at: now, updated_by: by, revision: eb('revision', '+', 1) }))
      .where('id', '=', id)
      .execute(),
  );
  await replaceChannels(tx, { id, projectId }, values.channels);
  await tx
    .updateTable('alerts')
    .set({ rule_name: values.name, severity: values.severity })
    .where('rule_id', '=', id)
    .where('state', '<>', 'resolved')
    .execute();
}

export async function silenceRule(tx: Tx, id: string, silence: { until: Date | null; by: string | null }) {
  await tx
    .updateTable('alert_rules')
    .set((eb) => ({
      silenced_until: silence.until,
      silenced_by: silence.by,
      revision: eb('revision', '+', 1),
    }))
    .where('id', '=', id)
    .execute();
}

/** Ends its alerts first: without their rule nobody could say whether they still hold. */
export async function deleteRule(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.deleteFrom('alerts').where('rule_id', '=', id).where('state', '=', 'pending').execute();
  await tx
    .updateTable('alerts')
    .set({ state: 'resolved', resolved_at: now, end_notified: true })
    .where('rule_id', '=', id)
    .where('state', '=', 'firing')
    .execute();
  await tx.deleteFrom('alert_rules').where('id', '=', id).execute();
}

function toColumns({ channels: _, condition, selector, quiet_hours, ...values }: AlertRuleValues) {
  return {
    ...values,
    condition: JSON.stringify(condition),
    selector: JSON.stringify(selector),
    quiet_hours: quiet_hours && JSON.stringify(quiet_hours),
  };
}

async function replaceChannels(
  tx: Tx,
  { id, projectId }: Pick<Writing, 'id' | 'projectId'>,
  channels: readonly string[],
): Promise<void> {
  await tx.deleteFrom('alert_rule_channels').where('rule_id', '=', id).execute();
  if (channels.length === 0) return;
  const known = await tx
    .selectFrom('alert_channels')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', 'in', [...channels])
    .forShare()
    .execute();
  const unknown = channels.find((channel) => !known.some((row) => row.id === channel.toLowerCase()));
  if (unknown) throw failAlertRule('alert_rule.unknown_channel', { id: unknown });
  const rows = known.map((row) => ({ project_id: projectId, rule_id: id, channel_id: row.id }));
  await tx.insertInto('alert_rule_channels').values(rows).execute();
}
