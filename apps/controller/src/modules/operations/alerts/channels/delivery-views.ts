import type { AlertDeliveryView } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { executePage, type ListQuery, type ListRules, parsePage } from '../../../../platform/database/paging.ts';
import { type MessagePayload, titleOf } from '../notify/message.ts';

const RULES: ListRules = {
  sortable: { created_at: 'alert_deliveries.created_at' },
  defaultSort: '-created_at',
  id: 'alert_deliveries.id',
};

export interface DeliveryQuery extends ListQuery {
  readonly q?: string | undefined;
  readonly channel_id?: readonly string[] | undefined;
  readonly status?: readonly AlertDeliveryView['status'][] | undefined;
}

export async function listDeliveries(db: Db, projectId: string, query: DeliveryQuery) {
  let select = db
    .selectFrom('alert_deliveries')
    .innerJoin('alert_channels', 'alert_channels.id', 'alert_deliveries.channel_id')
    .innerJoin('projects', 'projects.id', 'alert_deliveries.project_id')
    .selectAll('alert_deliveries')
    .select(['alert_channels.name as channel_name', 'projects.name as project_name'])
    .where('alert_deliveries.project_id', '=', projectId);
  if (query.q) select = select.where('alert_channels.name', 'ilike', `%${query.q.replaceAll(/[\\%_]/g, '\\$&')}%`);
  if (query.channel_id) select = select.where('channel_id', 'in', [...query.channel_id]);
  if (query.status) select = select.where('alert_deliveries.status', 'in', [...query.status]);
  const { rows, next_cursor } = await executePage(select, parsePage(query, RULES));
  const items = rows.map(
    (row): AlertDeliveryView => ({
      id: row.id,
      channel: { id: row.channel_id, name: row.channel_name },
      kind: row.kind,
      title: titleOf(row.payload as unknown as MessagePayload, row.project_name),
      firing: row.firing,
      resolved: row.resolved,
      status: row.status,
      attempts: row.attempts,
      error: row.error,
      created_at: row.created_at.toISOString(),
      delivered_at: row.delivered_at?.toISOString() ?? null,
    }),
  );
  return { items, next_cursor };
}
