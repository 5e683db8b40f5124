import { CANDIDATES_MAX, type CandidateRecord, type Collection } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { ANY_SLOT, type EnvoyApi, listExtensions } from '@flotilla/envoy-api';
import { COLLECTION_TYPE, RESERVED_PREFIX } from '@flotilla/translate';
import { sql } from 'kysely';
import { matchesText } from '../../../platform/database/paging.ts';

export interface CandidateQuery {
  readonly slot?: string | undefined;
  readonly type?: string | undefined;
  readonly collection?: Collection | undefined;
  readonly q?: string | undefined;
  readonly limit?: number | undefined;
}

interface Scope {
  readonly project: string;
  readonly version: string;
}

const LIMIT_DEFAULT = 50;

/** Stored documents that can be used in a place, by name. For a collection, also the static names in bootstraps. */
export async function listCandidates(db: Db, api: EnvoyApi, scope: Scope, query: CandidateQuery) {
  const limit = Math.min(query.limit ?? LIMIT_DEFAULT, CANDIDATES_MAX);
  const rows = await selectCandidates(db, api, scope, query)
    .orderBy('n.name')
    .orderBy('n.collection')
    .limit(limit + 1)
    .execute();
  return { items: rows.slice(0, limit).map(toCandidate), truncated: rows.length > limit };
}

function selectCandidates(db: Db, api: EnvoyApi, scope: Scope, { slot, type, collection, q }: CandidateQuery) {
  const types = slot === undefined || slot === ANY_SLOT ? undefined : listExtensions(api, slot).map((one) => one.type);
  // Only these two can be inserted by `$ref`; all others are named by text.
  const places = collection === undefined ? ['filters', 'extensions'] : [collection];
  return db
    .selectFrom('document_names as n')
    .innerJoin('documents as d', 'd.id', 'n.document_id')
    .select(['n.collection', 'n.name', 'd.type', 'd.collection as owner'])
    .select(sql<string | null>`d.facts ->> 'content'`.as('content'))
    .where('n.project_id', '=', scope.project)
    .where('n.version', '=', scope.version)
    .where('n.collection', 'in', places)
    .$if(types !== undefined, (select) => select.where(sql<boolean>`d.type = any(${types ?? []}::text[])`))
    .$if(type !== undefined, (select) => select.where('d.type', '=', type ?? ''))
    .$if(q !== undefined && q !== '', (select) => select.where(matchesText(['n.name'], q ?? '')))
    .where(sql<boolean>`not starts_with(n.name, ${RESERVED_PREFIX})`);
}

function toCandidate(row: {
  collection: string;
  name: string;
  type: string;
  owner: string;
  content: string | null;
}): CandidateRecord {
  const collection = row.collection as Collection;
  const isPutInPlace = collection === 'filters' || collection === 'extensions';
  const isStatic = row.owner !== row.collection;
  return {
    collection,
    name: row.name,
    // A bootstrap defines clusters and secrets of its own, whose messages have the collection's type.
    type: isStatic ? (COLLECTION_TYPE[collection] ?? row.type) : row.type,
    ref: isPutInPlace ? `${collection}/${row.name}` : row.name,
    ...(collection === 'secrets' && !isStatic && row.content !== null && { content: row.content }),
  };
}
