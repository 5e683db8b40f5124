import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { type Feature, listTables } from '../../platform/features/index.ts';

/** Tables of the database that no feature declares, and declared tables that do not exist. */
export async function findUndeclaredTables(owner: Db, features: readonly Feature[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(owner);
  return differences(
    rows.map(({ name }) => name),
    listTables(features).map(({ table }) => table),
  );
}

/**
 * Tables whose row-level security does not restrict everybody, or not their owner, although their feature declares it;
 * and the reverse.
 */
export async function findMisguarded(owner: Db, features: readonly Feature[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity and relforcerowsecurity
      and exists (select from pg_policy where polrelid = pg_class.oid)`.execute(owner);
  return differences(
    rows.map(({ name }) => name),
    listTables(features).flatMap(({ table, scope }) => (scope === 'policies' ? [table] : [])),
  );
}

/**
 * Columns that are encrypted by their name or by a trigger that holds their key, and that no feature declares; and the
 * reverse.
 */
export async function findUndeclaredSecrets(owner: Db, features: readonly Feature[]): Promise<string[]> {
  const { rows } = await sql<{ place: string; is_held: boolean }>`
    select * from (
      select relname || '.' || attname as place, atttypid = 'bytea'::regtype and attname ~ '(^|_)(un)?seal' as is_named, exists (
        select from pg_trigger where tgrelid = attrelid and attnum = any (tgattr) and tgname like '%_sealed') as is_held
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and not attisdropped) columns
    where is_named or is_held`.execute(owner);
  const declared = listTables(features).flatMap(({ table, encrypted = [] }) =>
    encrypted.map(({ column }) => `${table}.${column}`),
  );
  const places = rows.map(({ place }) => place);
  return [
    ...differences(places, declared),
    ...rows.filter(({ is_held }) => !is_held).map(({ place }) => `${place} does not hold its key`),
  ];
}

/** References from a table in backups to one that is not in them, or that comes later. */
export async function findReferencesAhead(owner: Db, features: readonly Feature[]): Promise<string[]> {
  const { rows } = await sql<{ child: string; parent: string }>`
    select distinct conrelid::regclass::text as child, confrelid::regclass::text as parent
    from pg_constraint where contype = 'f' and conrelid <> confrelid`.execute(owner);
  const held = listTables(features).filter(({ backup }) => backup === true || !('none' in backup));
  const place = new Map(held.map(({ table }, i) => [table, i]));
  return rows.flatMap(({ child, parent }) => {
    const [at, before] = [place.get(child), place.get(parent)];
    return at !== undefined && (before === undefined || before > at) ? [`${child} refers to ${parent}`] : [];
  });
}

function differences(found: readonly string[], declared: readonly string[]): string[] {
  return [
    ...found.filter((name) => !declared.includes(name)).map((name) => `${name} is not declared`),
    ...declared.filter((name) => !found.includes(name)).map((name) => `${name} is not there`),
  ].toSorted();
}
