import { ALERT_TRAFFIC_KINDS, type AlertTrafficCondition } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { matchesNames } from '../selector-store.ts';

/** A rule over traffic, and the services that it watches. */
export interface TrafficRule {
  readonly rule_id: string;
  readonly revision: number;
  readonly project_id: string;
  readonly condition: AlertTrafficCondition;
  readonly service_ids: readonly string[];
}

/** Services that never reported traffic are left out: nothing is known about them. */
export async function listTrafficRules(db: Db): Promise<TrafficRule[]> {
  const { rows } = await sql<TrafficRule>`
    select rules.id as rule_id, rules.revision::float8 as revision, rules.project_id, rules.condition,
      array_agg(services.id order by services.id) as service_ids
    from alert_rules rules join services on services.project_id = rules.project_id
    where rules.enabled and rules.condition ->> 'kind' = any(${[...ALERT_TRAFFIC_KINDS]})
      and rules.selector -> 'labels' = '{}' and ${matchesNames(sql`rules.selector`, sql`services.name`)}
      and exists (select from traffic_nodes where traffic_nodes.service_id = services.id)
    group by rules.id order by rules.id`.execute(db);
  return rows;
}
