import { type RawBuilder, sql } from 'kysely';
import type { StoredReason } from './model/problems.ts';

/** A report about now that is older than this says nothing about now. */
const FRESH_S = 60;

/**
 * The reasons that the traffic of a node gives for its health, as a JSON list, over `service_targets`. Agents report every ten
 * seconds; without a connection the last report counts.
 */
export function trafficReasons(connected: RawBuilder<boolean>): RawBuilder<StoredReason[]> {
  return sql<StoredReason[]>`coalesce((
    select traffic_nodes.reasons from traffic_nodes
    where traffic_nodes.service_id = service_targets.service_id and traffic_nodes.client_id = service_targets.client_id
      and (not ${connected} or traffic_nodes.received_at > now() - ${FRESH_S} * interval '1 second')), '[]'::jsonb)`;
}

/** When the oldest current problem of an endpoint was first reported. */
export function problemsSince(): RawBuilder<Date | null> {
  return sql<Date | null>`(
    select min((problem ->> 'since')::timestamptz) from traffic_nodes, jsonb_array_elements(traffic_nodes.problems) problem
    where traffic_nodes.service_id = service_targets.service_id
      and traffic_nodes.client_id = service_targets.client_id)`;
}

/** Milliseconds that the clock of the host is behind the controller's; null: it is right, or unknown. */
export function clockOffset(): RawBuilder<number | null> {
  return sql<number | null>`(
    select nullif(traffic_nodes.clock_offset_ms, 0)::float8 from traffic_nodes
    where traffic_nodes.service_id = service_targets.service_id
      and traffic_nodes.client_id = service_targets.client_id)`;
}
