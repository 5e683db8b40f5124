import { LEVELS, type Level, type ResourceKind } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { RequestContext } from '../http/context.ts';
import { TABLE_OF } from './tables.ts';

/** A member of a project that restricts what its members may access. */
export interface Reader {
  readonly projectId: string;
  readonly userId: string;
}

/** undefined: the caller may access everything in the project. */
export function readerOf({ access }: Pick<RequestContext, 'access'>): Reader | undefined {
  return access.userId === undefined ? undefined : { projectId: access.projectId, userId: access.userId };
}

/** Names a resource by id; a document or policy by name. */
export type ResourceKey =
  | { readonly id: string }
  | { readonly name: string; readonly collection?: string | undefined; readonly version?: string | undefined };

export interface ResourceQuestion {
  readonly kind: ResourceKind;
  readonly key: ResourceKey;
  readonly level: Level;
}

/** `visible`: the member may see it, but not do more. */
export type Reach = 'visible' | 'enough';

/** Qualified with its table: a condition that has its own table would capture a bare column name. */
type Column = `${string}.${string}`;

/**
 * SQL condition: the member has at least `level` on the row. undefined permits all rows. It checks row by row where
 * there are few rows; where there are many, the statement reads all permissions once.
 */
export function permittedRows(
  reader: Reader | undefined,
  kind: ResourceKind,
  id: Column,
  level: Level = 'view',
): RawBuilder<SqlBool> {
  if (!reader) return sql<SqlBool>`true`;
  const [own, byGroups] = givenApart(reader, kind, level);
  return sql<SqlBool>`(exists (select ${own} and granted.resource_id = ${sql.ref(id)}) or exists (select ${byGroups} and granted.resource_id = ${sql.ref(id)})
    or exists (select ${givenTo(reader, kind)} and granted.level = any(${atLeast(level)}) and granted.resource_id is null))`;
}

/** Up to this many rows, reading one by one is not slower than scanning for a text. */
const FEW_MAX = 2000;

export type SeenRows = (kind: ResourceKind, id: Column) => RawBuilder<SqlBool>;

/**
 * Picks the condition that suits the number of permissions of the member, which the planner does not know, for
 * statements with an expensive filter. With few permissions, rows are read by id and filtered afterwards; with many,
 * they are read by the filter.
 */
export async function chooseSeenRows(db: Db, reader: Reader | undefined): Promise<SeenRows> {
  if (!reader) return () => sql<SqlBool>`true`;
  const kind = sql.ref('kinds.kind');
  const { rows } = await sql<{ kind: ResourceKind; is_whole: boolean; is_much: boolean }>`
    select kind, exists (select ${givenTo(reader, kind)} and granted.resource_id is null) as is_whole,
      (select count(*) from (${givenIds(reader, kind)} limit ${FEW_MAX + 1}) given) > ${FEW_MAX} as is_much
    from unnest(${Object.keys(TABLE_OF)}::text[]) kinds (kind)`.execute(db);
  const givenOf = new Map(rows.map((given) => [given.kind, given]));
  return (of, id) => {
    const given = givenOf.get(of);
    if (given?.is_whole === true) return sql<SqlBool>`true`;
    if (given?.is_much === true) return permittedRows(reader, of, id);
    return sql<SqlBool>`${sql.ref(id)} = any(array(${givenIds(reader, of)}))`;
  };
}

/** Ids of the resources of a kind on which the member has single permissions to view. */
function givenIds(reader: Reader, kind: ResourceKind | RawBuilder<unknown>): RawBuilder<unknown> {
  const given = givenApart(reader, kind, 'view').map((from) => sql`select granted.resource_id ${from}`);
  return sql.join(given, sql` union all `);
}

const atLeast = (level: Level) => LEVELS.slice(LEVELS.indexOf(level));

/**
 * Selects `granted`: the member's permissions on single resources or on the whole kind, their own and those of their
 * groups.
 */
function givenTo({ projectId, userId }: Reader, kind: ResourceKind | RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`from permissions granted where granted.project_id = ${projectId}::uuid and granted.resource_kind = ${kind}
    and (granted.user_id = ${userId}::uuid or granted.group_id in (select belongs.group_id from group_members belongs
      where belongs.project_id = ${projectId}::uuid and belongs.user_id = ${userId}::uuid))`;
}

/**
 * Selects `granted`: the member's permissions on single resources, first their own, then those of groups. There are two
 * queries because each of them uses an index; a combined query would use none.
 */
function givenApart({ projectId, userId }: Reader, kind: ResourceKind | RawBuilder<unknown>, level: Level) {
  const onOne = sql`granted.project_id = ${projectId}::uuid and granted.resource_kind = ${kind} and granted.resource_id is not null
    and granted.level = any(${atLeast(level)})`;
  return [
    sql`from permissions granted where ${onOne} and granted.user_id = ${userId}::uuid`,
    sql`from group_members belongs join permissions granted on granted.group_id = belongs.group_id and granted.user_id is null
      where belongs.project_id = ${projectId}::uuid and belongs.user_id = ${userId}::uuid and ${onOne}`,
  ] as const;
}

/** The member's access to one resource; undefined if it does not exist or they may not see it. */
export async function findReach(
  db: Db,
  reader: Reader,
  { kind, key, level }: ResourceQuestion,
): Promise<Reach | undefined> {
  const thing = selectThing(reader.projectId, { kind, key });
  const { rows } = await sql<{ level: Level }>`
    select granted.level ${givenTo(reader, kind)}
      and (granted.resource_id = ${thing} or (granted.resource_id is null and exists ${thing}))`.execute(db);
  if (rows.length === 0) return undefined;
  return rows.some((row) => LEVELS.indexOf(row.level) >= LEVELS.indexOf(level)) ? 'enough' : 'visible';
}

/** Whether the resource exists, regardless of permissions. */
export async function isThere(
  db: Db,
  projectId: string,
  thing: Pick<ResourceQuestion, 'kind' | 'key'>,
): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`select exists ${selectThing(projectId, thing)} as there`.execute(db);
  return rows[0]?.there === true;
}

function selectThing(projectId: string, { kind, key }: Pick<ResourceQuestion, 'kind' | 'key'>): RawBuilder<unknown> {
  return sql`(select one.id from ${sql.table(TABLE_OF[kind])} one
    where one.project_id = ${projectId}::uuid and ${isKey(kind, key)})`;
}

function isKey(kind: ResourceKind, key: ResourceKey): RawBuilder<SqlBool> {
  if ('id' in key) return sql<SqlBool>`one.id = ${key.id}::uuid`;
  const named = sql<SqlBool>`one.name = ${key.name}`;
  if (kind !== 'document') return named;
  return sql<SqlBool>`${named} and one.collection = ${key.collection ?? ''} and one.version = ${key.version ?? ''}`;
}

/** Returns those ids that the member may access at `level`. */
export async function listReached(
  db: Db,
  reader: Reader,
  { kind, ids, level }: { kind: ResourceKind; ids: readonly string[]; level: Level },
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select one.id from unnest(${[...ids]}::uuid[]) as one (id)
    where ${permittedRows(reader, kind, 'one.id', level)}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
