import { isRoleAtLeast, type Role, SEARCH_KINDS, type SearchItem } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';
import { chooseSeenRows, type Reader, type SeenRows } from '../../../platform/auth/index.ts';
import { escapeLike } from '../../../platform/database/paging.ts';
import type { Actor } from '../../../platform/http/actor.ts';

type Kind = SearchItem['kind'];

export interface SearchRequest {
  readonly actor: Actor;
  readonly project: { readonly id: string; readonly role: Role };
  /** undefined: no restriction within the project. */
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

/** Rows of one kind that the caller may read: `from` and columns, before the search condition. */
interface Source {
  readonly kind: Kind;
  readonly name: RawBuilder<unknown>;
  readonly columns: RawBuilder<unknown>;
  readonly rows: RawBuilder<unknown>;
}

/** Shorter words have no trigram, so the similarity search cannot find them. */
const LIKENESS_MIN_LENGTH = 3;

/**
 * Finds resources by name. Only owners and admins find what only they may list. Exact matches come first, and similar
 * names are only searched if those are not enough, because similarity is by far the slowest part.
 */
export async function findNames(db: Db, request: SearchRequest): Promise<SearchItem[]> {
  const kinds = request.kinds ?? SEARCH_KINDS;
  const { limit } = request;
  const seen = await chooseSeenRows(db, request.reader);
  const sources = listSources(request, seen).filter(({ kind }) => kinds.includes(kind));
  if (sources.length === 0) return [];
  const text = request.q.trim();
  if (text === '') return select(db, sources, LATEST, limit);
  const found = await select(db, sources, containing(text), limit);
  if (found.length >= limit || [...text].length < LIKENESS_MIN_LENGTH) return found;
  const ids = new Set(found.map(({ id }) => id));
  const alike = await select(db, sources, likeness(text), limit);
  // A name may change between the two queries and appear in both.
  return [...found, ...alike.filter(({ id }) => !ids.has(id))].slice(0, limit);
}

/** Selects and orders rows. */
interface Match {
  readonly condition: (name: RawBuilder<unknown>) => RawBuilder<unknown>;
  readonly rank: (name: RawBuilder<unknown>) => RawBuilder<unknown>;
  readonly likeness: (name: RawBuilder<unknown>) => RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
}

async function select(db: Db, sources: readonly Source[], match: Match, limit: number): Promise<SearchItem[]> {
  const parts = sources.map(
    ({ kind, name, columns, rows }) => sql`(select * from (
      select ${kind}::text as kind, ${name} as name, ${columns}, ${match.rank(name)} as rank, ${match.likeness(name)} as likeness
      ${rows} and ${match.condition(name)}) named
      order by ${match.order} limit ${limit})`,
  );
  const { rows } = await sql<Found>`select * from (${sql.join(parts, sql` union all `)}) found
    order by ${match.order} limit ${limit}`.execute(db);
  return rows.map(toItem);
}

const LATEST: Match = {
  condition: () => sql`true`,
  rank: () => sql`0`,
  likeness: () => sql`0::real`,
  order: sql`updated_at desc, id`,
};

function toPatterns(text: string) {
  const escaped = escapeLike(text);
  return { prefix: sql`lower(${`${escaped}%`}::text)`, contained: sql`lower(${`%${escaped}%`}::text)` };
}

function containing(text: string): Match {
  const { prefix, contained } = toPatterns(text);
  return {
    condition: (name) => sql`lower(${name}) like ${contained}`,
    rank: (name) => sql`case when lower(${name}) = lower(${text}::text) then 0
      when lower(${name}) like ${prefix} then 1 else 2 end`,
    likeness: () => sql`0::real`,
    order: sql`rank, length(name), name, id`,
  };
}

/** Excludes rows that contain the text. */
function likeness(text: string): Match {
  const { contained } = toPatterns(text);
  return {
    condition: (name) => sql`lower(${name}) % lower(${text}::text) and lower(${name}) not like ${contained}`,
    rank: () => sql`3`,
    likeness: (name) => sql`similarity(lower(${name}), lower(${text}::text))`,
    order: sql`likeness desc, length(name), name, id`,
  };
}

function listSources({ actor, project }: SearchRequest, seen: SeenRows): Source[] {
  const mine = (table: string) => sql`from ${sql.table(table)} where project_id = ${project.id}`;
  const plain = (detail: RawBuilder<unknown>) =>
    sql`id, null::text as collection, null::text as version, null::text as type, ${detail} as detail, updated_at`;
  const isAdmin = isRoleAtLeast(project.role, 'admin');
  const readable: Source[] = [
    {
      kind: 'document',
      name: sql`name`,
      columns: sql`id, collection, version, type, null::text as detail, updated_at`,
      rows: sql`${mine('documents')} and ${seen('document', 'documents.id')}`,
    },
    {
      kind: 'policy',
      name: sql`name`,
      columns: plain(sql`null::text`),
      rows: sql`${mine('policies')} and ${seen('policy', 'policies.id')}`,
    },
    { kind: 'project', name: sql`name`, columns: plain(sql`null::text`), rows: projectsOf(actor) },
    {
      kind: 'service',
      name: sql`name`,
      columns: sql`id, null::text as collection, version, null::text as type, null::text as detail, updated_at`,
      rows: sql`${mine('services')} and ${seen('service', 'services.id')}`,
    },
    {
      kind: 'client',
      name: sql`name`,
      // Host facts are for owners and admins.
      columns: plain(isAdmin ? sql`hostname` : sql`null::text`),
      rows: sql`${mine('clients')} and ${seen('client', 'clients.id')}`,
    },
  ];
  if (!isAdmin) return readable;
  return [
    ...readable,
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
