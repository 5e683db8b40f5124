import type { Level, ResourceKind } from '@flotilla/contract';
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

/** As a condition on rows of the kind: this member may do that much with them. Undefined: everything is reached. */
export function permittedRows(
  reader: Reader | undefined,
  kind: ResourceKind,
  id: RawBuilder<unknown>,
  level: Level = 'view',
): RawBuilder<SqlBool> {
  if (!reader) return sql<SqlBool>`true`;
  return sql<SqlBool>`may_reach(${reader.userId}::uuid, ${reader.projectId}::uuid, ${kind}, ${id}, ${level})`;
}

/** What the member may do with one thing; undefined where there is none that they may see. */
export async function findReach(
  db: Db,
  reader: Reader,
  { kind, key, level }: { kind: ResourceKind; key: ResourceKey; level: Level },
): Promise<'visible' | 'enough' | undefined> {
  const at = (wanted: Level) => permittedRows(reader, kind, sql.ref('one.id'), wanted);
  const { rows } = await sql<{ is_enough: boolean }>`
    select ${at(level)} as is_enough from ${sql.table(TABLE_OF[kind])} as one
    where one.project_id = ${reader.projectId} and ${isKey(kind, key)} and ${at('view')}`.execute(db);
  const [found] = rows;
  return found && (found.is_enough ? 'enough' : 'visible');
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
