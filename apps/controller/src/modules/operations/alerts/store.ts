import { ALERT_SUMMARY_FIRST, type AlertSummary, type AlertView } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { Records, type RowOf, type SearchQuery } from '../../../platform/database/records.ts';

const SEVERITY_RANK = sql<number>`array_position(array['critical', 'warning', 'info'], alerts.severity)`;
const ALERTS = new Records<AlertRow, AlertView, AlertQuery>({
  kind: 'alert',
  table: 'alerts',
  sortable: {
    since: 'alerts.since',
    severity: SEVERITY_RANK,
    state: sql`array_position(array['firing', 'pending', 'resolved'], alerts.state)`,
    subject: sql`lower(alerts.subject_name)`,
    resolved_at: sql`coalesce(alerts.resolved_at, 'infinity')`,
  },
  defaultSort: '-since',
  searched: ['subject_name', 'rule_name', 'summary'],
  filters: {
    state: 'alerts.state',
    severity: 'alerts.severity',
    rule_id: 'alerts.rule_id',
    acknowledged: sql`(alerts.acknowledged_at is not null)`,
  },
  toView,
});

export interface AlertQuery extends SearchQuery {
  readonly state?: readonly AlertView['state'][] | undefined;
  readonly severity?: readonly AlertView['severity'][] | undefined;
  readonly rule_id?: readonly string[] | undefined;
  readonly acknowledged?: boolean | undefined;
}

function selectAlerts(db: Db, projectId: string) {
  return db.selectFrom('alerts').selectAll('alerts').where('alerts.project_id', '=', projectId);
}

type AlertRow = RowOf<typeof selectAlerts>;

function toView(row: AlertRow): AlertView {
  return {
    id: row.id,
    fingerprint: row.fingerprint,
    rule: { id: row.rule_id, name: row.rule_name },
    condition: row.condition,
    severity: row.severity,
    state: row.state,
    subject: { kind: row.subject_kind, id: row.subject_id, name: row.subject_name, ...row.subject_place },
    labels: row.labels,
    summary: row.summary,
    since: row.since.toISOString(),
    unknown_since: row.unknown_since?.toISOString() ?? null,
    fired_at: row.fired_at?.toISOString() ?? null,
    resolved_at: row.resolved_at?.toISOString() ?? null,
    fires: row.fires,
    acknowledged_at: row.acknowledged_at?.toISOString() ?? null,
    acknowledged_by: row.acknowledged_by,
    silenced_until: row.silenced_until?.toISOString() ?? null,
    silenced_by: row.silenced_by,
    notified_at: row.notified_at?.toISOString() ?? null,
  };
}

export const listAlerts = (db: Db, projectId: string, query: AlertQuery) =>
  ALERTS.list(selectAlerts(db, projectId), query);

/** Throws record.not_found, also for an alert of another project and for one about something that the caller may not see. */
export const findAlert = (db: Db, projectId: string, id: string) => ALERTS.find(selectAlerts(db, projectId), id);

/** Like `findAlert`, with a lock until the transaction ends. */
export const lockAlert = (tx: Tx, projectId: string, id: string) => ALERTS.lock(selectAlerts(tx, projectId), id);

export async function summarizeAlerts(db: Db, projectId: string): Promise<AlertSummary> {
  const firing = selectAlerts(db, projectId).where('state', '=', 'firing');
  const [counts, first] = await Promise.all([
    firing
      .clearSelect()
      .select([
        sql<number>`count(*)::int`.as('firing'),
        sql<number>`count(*) filter (where severity = 'critical')::int`.as('critical'),
        sql<number>`count(*) filter (where severity = 'warning')::int`.as('warning'),
        sql<number>`count(*) filter (where severity = 'info')::int`.as('info'),
        sql<number>`count(*) filter (where acknowledged_at is not null)::int`.as('acknowledged'),
      ])
      .executeTakeFirstOrThrow(),
    firing
      .orderBy(sql`acknowledged_at is not null`)
      .orderBy(SEVERITY_RANK)
      .orderBy('fired_at', 'desc')
      .orderBy('alerts.id')
      .limit(ALERT_SUMMARY_FIRST)
      .execute(),
  ]);
  return { ...counts, first: first.map(toView) };
}

export interface Acknowledgement {
  readonly at: Date | null;
  readonly by: string | null;
}

export async function acknowledgeAlert(tx: Tx, id: string, { at, by }: Acknowledgement): Promise<void> {
  await tx.updateTable('alerts').set({ acknowledged_at: at, acknowledged_by: by }).where('id', '=', id).execute();
}

export async function silenceAlert(tx: Tx, id: string, silence: { until: Date | null; by: string | null }) {
  const set = { silenced_until: silence.until, silenced_by: silence.by };
  await tx.updateTable('alerts').set(set).where('id', '=', id).execute();
}
