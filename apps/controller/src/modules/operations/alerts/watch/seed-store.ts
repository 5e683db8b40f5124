import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { DEFAULT_RULES } from '../rules/defaults.ts';

/** Gives the default rules to projects that never had them. Deleted rules do not come back. */
export async function seedRules(tx: Tx, now: Date): Promise<void> {
  await sql`
    with fresh as (
      insert into alert_projects (project_id, seeded_at)
      select id, ${now} from projects where not exists (select from alert_projects where project_id = projects.id)
      on conflict do nothing returning project_id
    )
    insert into alert_rules (id, project_id, name, enabled, condition, for_s, severity, repeat_s, selector, created_at,
      updated_at, updated_by)
    select time_uuid(), fresh.project_id, name, enabled, condition, for_s, severity, repeat_s, selector, ${now}, ${now},
      'Flotilla'
    from fresh
    cross join jsonb_to_recordset(${JSON.stringify(DEFAULT_RULES)}::jsonb) as rules(name text, enabled boolean,
      condition jsonb, for_s int, severity text, repeat_s int, selector jsonb)
    on conflict do nothing`.execute(tx);
}
