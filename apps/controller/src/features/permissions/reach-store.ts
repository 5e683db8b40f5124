import { LEVELS, type Level, type ResourceKind } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { RequestContext } from '../../http/context.ts';
import { TABLE_OF } from './tables.ts';

/** A member of a project that lists what its members may reach. */
export interface Reader {
  readonly projectId: string;
  readonly userId: string;
}

/** Undefined: the caller reaches everything in the project. */
export function readerOf({ access }: Pick<RequestContext, 'access'>): Reader | undefined {
  return access.userId === undefined ? undefined : { projectId: access.projectId, userId: access.userId };
}

/** By its id, or a document or policy by its name. */
export type ResourceKey =
  | { readonly id: string }
  | { readonly name: string; readonly collection?: string | undefined; readonly version?: string | undefined };

/** May this be done with that thing? */
export interface ResourceQuestion {
  readonly kind: ResourceKind;
  readonly key: ResourceKey;
  readonly level: Level;
}

/** `visible`: it is there for them, and that is all. */
export type Reach = 'visible' | 'enough';

/** With its table, or another column of its name would be meant where the condition has a table of its own. */
type Column = `${string}.${string}`;

/**
 * As a condition on rows of the kind: this member may do that much with them. Undefined: everything is reached.
 * A thing at a time where there are few rows; where there are many, what is given is read once in a statement, and looked up.
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

/** So many are read one by one in the time that it takes to look through what has a text in it. */
const FEW_MAX = 2000;

/** The condition of permittedRows for rows of a kind that may be seen. */
export type SeenRows = (kind: ResourceKind, id: Column) => RawBuilder<SqlBool>;

/**
 * The condition in the form that suits how much the member is given, for statements that ask of each row what takes long: the
 * planner does not know how much that is. Of little, rows are read by its ids, and of these alone the rest is asked; of much,
 * they are read by what else is asked.
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

/** Of things of a kind, those that are given one by one for the member to see. */
function givenIds(reader: Reader, kind: ResourceKind | RawBuilder<unknown>): RawBuilder<unknown> {
  const given = givenApart(reader, kind, 'view').map((from) => sql`select granted.resource_id ${from}`);
  return sql.join(given, sql` union all `);
}

const atLeast = (level: Level) => LEVELS.slice(LEVELS.indexOf(level));

/** Of permissions `granted`: those of a member on things of a kind or on all of it, of their own and by groups. */
function givenTo({ projectId, userId }: Reader, kind: ResourceKind | RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`from permissions granted where granted.project_id = ${projectId}::uuid and granted.resource_kind = ${kind}
    and (granted.user_id = ${userId}::uuid or granted.group_id in (select belongs.group_id from group_members belongs
      where belongs.project_id = ${projectId}::uuid and belongs.user_id = ${userId}::uuid))`;
}

/**
 * Of permissions `granted`: those of a member on things one by one, first their own and then those of groups. Apart, since each is
 * found by an index, and both together by none.
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

/** What the member may do with one thing; undefined where there is none that they may see. */
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

/** Whether there is such a thing, for whomever. */
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

/** Of these things, those that the member may do that much with. */
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
