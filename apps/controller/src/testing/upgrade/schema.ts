import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

/** Describes the result of all migrations line by line, ignoring column order and spacing. */
export async function describeSchema(owner: Db): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select regexp_replace(line, '\\s+', ' ', 'g') as line from (
      select format('column %s.%s %s %s %s %s %s', c.relname, attname, format_type(atttypid, atttypmod), attnotnull,
          pg_get_expr(adbin, adrelid), attgenerated, attidentity) as line
        from pg_attribute a join pg_class c on c.oid = attrelid left join pg_attrdef d on adrelid = c.oid and adnum = attnum
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'p') and attnum > 0 and not attisdropped
      union all select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
        from pg_constraint where connamespace = 'public'::regnamespace
      union all select indexdef from pg_indexes where schemaname = 'public'
      union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
      union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
      union all select format('policy %s %s %s %s %s %s', tablename, policyname, roles, cmd, qual, with_check) from pg_policies
      union all select format('row security %s %s %s', relname, relrowsecurity, relforcerowsecurity)
        from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      union all select format('right %s %s', table_name, privilege_type) from information_schema.role_table_grants
        where table_schema = 'public' and grantee = 'flotilla_app'
    ) lines order by line collate "C"`.execute(owner);
  return rows.map(({ line }) => line);
}
