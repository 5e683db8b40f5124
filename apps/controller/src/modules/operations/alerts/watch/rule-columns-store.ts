import type { AlertConditionKind } from '@flotilla/contract';
import { type RawBuilder, sql } from 'kysely';

/** The switched-on rules of a kind, as table `rules`. */
export function rulesOf(kind: AlertConditionKind): RawBuilder<unknown> {
  return sql`(select id, project_id, condition, selector from alert_rules
    where enabled and condition ->> 'kind' = ${sql.lit(kind)}) rules`;
}

/** The columns of a `ConditionQuery`. */
export function columns(subject: {
  kind: RawBuilder<unknown>;
  id: RawBuilder<unknown>;
  name: RawBuilder<unknown>;
  key: RawBuilder<unknown>;
  summary: RawBuilder<unknown>;
  since: RawBuilder<unknown>;
  place?: RawBuilder<unknown>;
  labels?: RawBuilder<unknown>;
  isKnown?: RawBuilder<unknown>;
}): RawBuilder<unknown> {
  const { kind, id, name, key, summary, since } = subject;
  const { place = sql`null::jsonb`, labels = sql`'{}'::jsonb`, isKnown = sql`true` } = subject;
  return sql`rules.id as rule_id, rules.project_id, ${key} as key, ${kind} as subject_kind, ${id} as subject_id,
    ${name} as subject_name, ${place} as subject_place, ${labels} as labels, rules.selector, ${summary} as summary,
    ${since} as since, ${isKnown} as is_known`;
}
