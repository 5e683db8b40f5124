import type { AlertDeliveryView } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RowOf, Rows, type SearchQuery } from '../../../../platform/database/records.ts';
import { type MessagePayload, titleOf } from '../notify/message.ts';

const DELIVERIES = new Rows<DeliveryRow, AlertDeliveryView, DeliveryQuery>({
  sortable: { created_at: 'alert_deliveries.created_at' },
  defaultSort: '-created_at',
  id: 'alert_deliveries.id',
  searched: ['alert_channels.name'],
  filters: { channel_id: 'alert_deliveries.channel_id', status: 'alert_deliveries.status' },
  toView,
});

export interface DeliveryQuery extends SearchQuery {
  readonly channel_id?: readonly string[] | undefined;
  readonly status?: readonly AlertDeliveryView['status'][] | undefined;
}

function selectDeliveries(db: Db, projectId: string) {
  return db
    .selectFrom('alert_deliveries')
    .innerJoin('alert_channels', 'alert_channels.id', 'alert_deliveries.channel_id')
    .innerJoin('projects', 'projects.id', 'alert_deliveries.project_id')
    .selectAll('alert_deliveries')
    .select(['alert_channels.name as channel_name', 'projects.name as project_name'])
    .where('alert_deliveries.project_id', '=', projectId);
}

type DeliveryRow = RowOf<typeof selectDeliveries>;

function toView(row: DeliveryRow): AlertDeliveryView {
  return {
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
  };
}

export const listDeliveries = (db: Db, projectId: string, query: DeliveryQuery) =>
  DELIVERIES.list(selectDeliveries(db, projectId), query);
