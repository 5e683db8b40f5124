import { isRoleAtLeast, type Role, SEARCH_KINDS, type SearchItem } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../../http/actor.ts';
import { permittedRows, type Reader } from '../permissions/index.ts';

type Kind = SearchItem['kind'];

export interface SearchRequest {
  readonly actor: Actor;
  readonly project: { readonly id: string; readonly role: Role };
  /** Undefined: all of the project is reached. */
  readonly reader: Reader | undefined;
  readonly q: string;
  readonly kinds: readonly Kind[] | undefined;
  readonly limit: number;
}

interface Found {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  readonly collection: string | null;
  readonly version: string | null;
  readonly type: string | null;
  readonly detail: string | null;
  readonly rank: number;
  readonly updated_at: Date;
}

/** Rows of one kind that the caller may read: `from` and the columns, before anything is looked for. */
interface Source {
  readonly kind: Kind;
  readonly name: RawBuilder<unknown>;
  readonly columns: RawBuilder<unknown>;
  readonly rows: RawBuilder<unknown>;
}

/** Shorter words have no trigram of their own, so nothing is like them. */
const LIKENESS_MIN_LENGTH = 3;

/**
 * What only owners and admins may list is found by them alone. What has the text in it comes first, so what is merely like it
 * is looked for where that is not enough: to measure how like names are takes longer than all else.
 */
export async function findNames(db: Db, request: SearchRequest): Promise<SearchItem[]> {
  const kinds = request.kinds ?? SEARCH_KINDS;
  const sources = listSources(request).filter(({ kind }) => kinds.includes(kind));
  if (sources.length === 0) return [];
  const text = request.q.trim();
  if (text === '') return select(db, sources, request, undefined);
  const found = await select(db, sources, request, toMatch(text, { isAlike: false }));
  if (found.length >= request.limit || [...text].length < LIKENESS_MIN_LENGTH) return found;
  return select(db, sources, request, toMatch(text, { isAlike: true }));
}

async function select(
  db: Db,
  sources: readonly Source[],
  { limit }: SearchRequest,
  match: Match | undefined,
): Promise<SearchItem[]> {
  const order = match ? sql`rank, likeness desc, length(name), name, id` : sql`updated_at desc, id`;
  const parts = sources.map(({ kind, name, columns, rows }) => {
    const rank = match ? match.rank(name) : sql`0`;
    const likeness = match ? match.likeness(name) : sql`0::real`;
    return sql`(select * from (
      select ${kind}::text as kind, ${name} as name, ${columns}, ${rank} as rank, ${likeness} as likeness
      ${rows} ${match ? sql`and ${match.condition(name)}` : sql``}) named
      order by ${order} limit ${limit})`;
  });
  const { rows } = await sql<Found>`select * from (${sql.join(parts, sql` union all `)}) found
    order by ${order} limit ${limit}`.execute(db);
  return rows.map(toItem);
}

type Match = ReturnType<typeof toMatch>;

function toMatch(text: string, { isAlike }: { readonly isAlike: boolean }) {
  const escaped = text.replaceAll(/[\\%_]/g, '\\$&');
  const prefix = sql`lower(${`${escaped}%`}::text)`;
  const contained = sql`lower(${`%${escaped}%`}::text)`;
  return {
    condition: (name: RawBuilder<unknown>) =>
      isAlike
        ? sql`(lower(${name}) like ${contained} or lower(${name}) % lower(${text}::text))`
        : sql`lower(${name}) like ${contained}`,
    // What has the text in it comes in the order of its length.
    likeness: (name: RawBuilder<unknown>) =>
      isAlike
        ? sql`case when lower(${name}) like ${contained} then 0::real
            else similarity(lower(${name}), lower(${text}::text)) end`
        : sql`0::real`,
    rank: (name: RawBuilder<unknown>) => sql`case when lower(${name}) = lower(${text}::text) then 0
      when lower(${name}) like ${prefix} then 1 when lower(${name}) like ${contained} then 2 else 3 end`,
  };
}

function listSources({ actor, project, reader }: SearchRequest): Source[] {
  const mine = (table: string) => sql`from ${sql.table(table)} where project_id = ${project.id}`;
  const plain = (detail: RawBuilder<unknown>) =>
    sql`id, null::text as collection, null::text as version, null::text as type, ${detail} as detail, updated_at`;
  const readable: Source[] = [
    {
      kind: 'document',
      name: sql`name`,
      columns: sql`id, collection, version, type, null::text as detail, updated_at`,
      rows: sql`${mine('documents')} and ${permittedRows(reader, 'document', sql.ref('id'))}`,
    },
    {
      kind: 'policy',
      name: sql`name`,
      columns: plain(sql`null::text`),
      rows: sql`${mine('policies')} and ${permittedRows(reader, 'policy', sql.ref('id'))}`,
    },
    { kind: 'project', name: sql`name`, columns: plain(sql`null::text`), rows: projectsOf(actor) },
  ];
  if (!isRoleAtLeast(project.role, 'admin')) return readable;
  return [
    ...readable,
    {
      kind: 'service',
      name: sql`name`,
      columns: sql`id, null::text as collection, version, null::text as type, null::text as detail, updated_at`,
      rows: mine('services'),
    },
    { kind: 'client', name: sql`name`, columns: plain(sql`hostname`), rows: mine('clients') },
    {
      kind: 'user',
      name: sql`username`,
      columns: plain(sql`email`),
      rows: sql`from users where id in (select user_id from memberships where project_id = ${project.id})`,
    },
  ];
}

function projectsOf(actor: Actor): RawBuilder<unknown> {
  switch (actor.kind) {
    case 'anonymous':
      return sql`from projects where false`;
    case 'token':
      return sql`from projects where id = ${actor.projectId}`;
    case 'user':
      return actor.isOwner
        ? sql`from projects where true`
        : sql`from projects where id in (select project_id from memberships where user_id = ${actor.id})`;
  }
}

function toItem(row: Found): SearchItem {
  return {
    kind: row.kind,
    id: row.id,
    name: row.name,
    ...(row.collection === null ? {} : { collection: row.collection }),
    ...(row.version === null ? {} : { version: row.version }),
    ...(row.type === null ? {} : { type: row.type }),
    ...(row.detail === null ? {} : { detail: row.detail }),
    rank: row.rank,
    updated_at: row.updated_at.toISOString(),
  };
}
