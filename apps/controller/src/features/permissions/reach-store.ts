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

/** As a condition on rows of the kind: this member may do that much with them. Undefined: everything is reached. */
export function permittedRows(
  reader: Reader | undefined,
  kind: ResourceKind,
  id: RawBuilder<unknown>,
  level: Level = 'view',
): RawBuilder<SqlBool> {
  if (!reader) return sql<SqlBool>`true`;
  const enough = sql`${givenTo(reader, kind)} and p.level = any(${LEVELS.slice(LEVELS.indexOf(level))})`;
  // Not for each row anew: what is given is read once in a statement, and looked up.
  return sql<SqlBool>`(${id} in (select p.resource_id ${enough} and p.resource_id is not null)
    or exists (select ${enough} and p.resource_id is null))`;
}

/** Of permissions `p`: those of a member on things of a kind or on all of it, of their own and by groups. */
function givenTo({ projectId, userId }: Reader, kind: ResourceKind): RawBuilder<unknown> {
  return sql`from permissions p where p.project_id = ${projectId}::uuid and p.resource_kind = ${kind}
    and (p.user_id = ${userId}::uuid or p.group_id in (select g.group_id from group_members g
      where g.project_id = ${projectId}::uuid and g.user_id = ${userId}::uuid))`;
}

/** What the member may do with one thing; undefined where there is none that they may see. */
export async function findReach(
  db: Db,
  reader: Reader,
  { kind, key, level }: ResourceQuestion,
): Promise<Reach | undefined> {
  const thing = selectThing(reader.projectId, { kind, key });
  const { rows } = await sql<{ level: Level }>`
    select p.level ${givenTo(reader, kind)}
      and (p.resource_id = ${thing} or (p.resource_id is null and exists ${thing}))`.execute(db);
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
    where ${permittedRows(reader, kind, sql.ref('one.id'), level)}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
