import { FINDING_SEVERITIES } from '@flotilla/contract';
import { RISK_TEXTS } from '@flotilla/inventory';
import { type RawBuilder, sql } from 'kysely';
import { columns, rulesOf } from './rule-columns-store.ts';
import { matchesNames } from './selector-store.ts';

/** Findings of one rule that have an alert of their own: the worst ones. One more alert counts the others. */
const ALERTS_MAX = 1000;

const TEXTS = JSON.stringify(
  Object.fromEntries(Object.entries(RISK_TEXTS).map(([flag, { title, what }]) => [flag, { title, what }])),
);
const RANKS = JSON.stringify(Object.fromEntries(FINDING_SEVERITIES.map((severity, rank) => [severity, rank])));
const SEVERITY = sql`(${JSON.stringify(FINDING_SEVERITIES)}::jsonb ->> f.rank::int)`;

const NAME = sql`f.method || ' ' || f.host || f.path || ': ' || coalesce(${TEXTS}::jsonb -> f.flag ->> 'title', f.flag)`;

const isMeant = sql`f.project_id = rules.project_id and f.state in ('new', 'came_back') and rules.condition -> 'states' ? f.state
  and ${matchesNames(sql`rules.selector`, NAME)} and f.rank <= (${RANKS}::jsonb ->> (rules.condition ->> 'min_severity'))::int`;

/**
 * The findings that nobody has looked at. An alert stays when worse findings push its finding beyond the limit: it would be wrong to say that it is
 * resolved. Sorted as the index `inventory_findings_waiting` is.
 */
export function selectFindings(): RawBuilder<unknown> {
  return sql`
    select ${columns({
      kind: sql`'finding'`,
      id: sql`f.id`,
      name: NAME,
      key: sql`f.id::text`,
      summary: sql`initcap(${SEVERITY}) || case f.state when 'came_back' then ', came back' else '' end || '. '
        || coalesce(${TEXTS}::jsonb -> f.flag ->> 'what', '')`,
      since: sql`f.state_since`,
    })}
    from ${rulesOf('finding')}
    cross join lateral (
      (select f.id from inventory_findings f where ${isMeant} order by f.rank, f.state_since, f.id limit ${ALERTS_MAX})
      union
      select f.id from alerts join inventory_findings f on f.id = alerts.subject_id
      where alerts.rule_id = rules.id and alerts.state <> 'resolved' and alerts.subject_kind = 'finding' and ${isMeant}
    ) chosen
    join inventory_findings f on f.id = chosen.id
    union all
    select ${columns({
      kind: sql`'project'`,
      id: sql`rules.project_id`,
      name: sql`'Further findings'`,
      key: sql`'further'`,
      summary: sql`(found.count - ${ALERTS_MAX}) || ' further findings have no alert of their own.'`,
      since: sql`found.since`,
    })}
    from ${rulesOf('finding')}
    cross join lateral (
      select count(*) as count, min(f.state_since) as since from inventory_findings f where ${isMeant}
    ) found
    where found.count > ${ALERTS_MAX}`;
}
