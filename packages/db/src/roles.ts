import { sql } from 'kysely';
import type { Db } from './database.ts';

/** The role to which the policies of protected tables apply: it reads and writes rows, and owns nothing. */
export const APP_ROLE = 'flotilla_app';

const INSUFFICIENT_PRIVILEGE = '42501';
/** Lock for transactions that grant rights: two that change the rights of one table at once would fail. */
const GRANT_LOCK = 7_730_013;

/** Roles belong to the whole server: another database or controller may create it at the same time. */
export async function createAppRole(owner: Db): Promise<void> {
  try {
    await sql`
      do $$ begin
        if to_regrole('flotilla_app') is null then create role flotilla_app nologin; end if;
      exception when duplicate_object or unique_violation then null;
      end $$
    `.execute(owner);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === INSUFFICIENT_PRIVILEGE)) throw error;
    throw new Error(
      `the database user may make no role: have an administrator run "create role ${APP_ROLE} nologin" and "grant ${APP_ROLE} to" that user`,
      { cause: error },
    );
  }
}

/** Grants access to the rows of every table except the list of migrations. `member`: a login that may assume the role. */
export async function grantToAppRole(owner: Db, member?: string): Promise<void> {
  await owner.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(GRANT_LOCK)})`.execute(tx);
    await sql`
      grant usage on schema public to flotilla_app;
      grant select, insert, update, delete on all tables in schema public to flotilla_app;
      grant usage, select on all sequences in schema public to flotilla_app;
      revoke all on kysely_migration, kysely_migration_lock from flotilla_app;
    `.execute(tx);
    if (member === undefined) return;
    const { rows } = await sql<{ has: boolean }>`select pg_has_role(${member}, 'flotilla_app', 'set') as has`.execute(
      tx,
    );
    if (!rows[0]?.has) await sql`grant flotilla_app to ${sql.ref(member)}`.execute(tx);
  });
}

/** Throws if the policies do not apply to the connections of this database. */
export async function requireHeldByPolicies(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string; is_free: boolean }>`
    select rolname as name, rolsuper or rolbypassrls or exists (
      select 1 from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where nspname = 'public' and relkind = 'r' and pg_has_role(current_user, relowner, 'member')) as is_free
      from pg_roles where rolname = current_user
  `.execute(db);
  const [role] = rows;
  if (role === undefined || role.is_free)
    throw new Error(
      `the database user ${role?.name ?? ''} is not held by row-level security: it owns tables, is a superuser or may bypass it; name another one in SVC_DATABASE_URL, and this one in SVC_DATABASE_OWNER_URL`,
    );
}

/** The login role of a database's connections. */
export async function findLogin(db: Db): Promise<string> {
  const { rows } = await sql<{ name: string }>`select session_user as name`.execute(db);
  return rows[0]?.name ?? '';
}
