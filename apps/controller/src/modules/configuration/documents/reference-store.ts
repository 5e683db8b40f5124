import type { Db, Tables, Tx } from '@flotilla/db';
import { type ExpressionBuilder, sql } from 'kysely';
import { permittedRows, type Reader } from '../../../platform/auth/index.ts';
import { type DocumentKey, isOneOf, type Scope } from './store.ts';
import type { DocumentReferencesTable } from './tables.ts';

export interface Reference {
  readonly collection: string;
  readonly name: string;
  readonly kind: DocumentReferencesTable['kind'];
  readonly path: string;
}

/** Replaces the references of a document or service and returns the previous ones. */
export async function replaceReferences(
  tx: Tx,
  from: Scope & { id: string; collection: string; name: string },
  references: readonly Reference[],
): Promise<Pick<Reference, 'collection' | 'name'>[]> {
  const before = await tx
    .deleteFrom('document_references')
    .where('from_id', '=', from.id)
    .returning(['to_collection as collection', 'to_name as name'])
    .execute();
  for (let i = 0; i < references.length; i += INSERT_CHUNK) {
    const rows = references.slice(i, i + INSERT_CHUNK).map((reference) => ({
      from_id: from.id,
      from_collection: from.collection,
      from_name: from.name,
      project_id: from.project,
      version: reference.collection === 'policies' ? '' : from.version,
      to_collection: reference.collection,
      to_name: reference.name,
      kind: reference.kind,
      path: reference.path,
    }));
    await tx.insertInto('document_references').values(rows).execute();
  }
  return before;
}

/** Nine parameters per row; PostgreSQL takes 65,535 per statement. */
const INSERT_CHUNK = 1000;

/** Replaces the names that a document defines and returns those that it does not define any more. */
export async function replaceNames(
  tx: Tx,
  document: Scope & { id: string },
  names: readonly DocumentKey[],
): Promise<DocumentKey[]> {
  const before = await tx
    .deleteFrom('document_names')
    .where('document_id', '=', document.id)
    .returning(['collection', 'name'])
    .execute();
  const unique = new Map(names.map((key) => [`${key.collection}/${key.name}`, key]));
  const rows = [...unique.values()].map(({ collection, name }) => ({
    document_id: document.id,
    project_id: document.project,
    version: document.version,
    collection,
    name,
  }));
  for (let i = 0; i < rows.length; i += INSERT_CHUNK) {
    await tx
      .insertInto('document_names')
      .values(rows.slice(i, i + INSERT_CHUNK))
      .execute();
  }
  return (before as DocumentKey[]).filter(({ collection, name }) => !unique.has(`${collection}/${name}`));
}

export interface DanglingReference {
  readonly from_id: string;
  readonly path: string;
  readonly to_collection: string;
  readonly to_name: string;
}

/** No document defines the referenced name. */
function hasNoDocument({
  not,
  exists,
  selectFrom,
}: ExpressionBuilder<Tables & { r: Tables['document_references'] }, 'r'>) {
  return not(
    exists(
      selectFrom('document_names as n')
        .select(sql`1`.as('one'))
        .whereRef('n.project_id', '=', 'r.project_id')
        .whereRef('n.version', '=', 'r.version')
        .whereRef('n.collection', '=', 'r.to_collection')
        .whereRef('n.name', '=', 'r.to_name'),
    ),
  );
}

/** References of these documents or services whose target does not exist. */
export async function findDangling(tx: Tx, fromIds: readonly string[]): Promise<DanglingReference[]> {
  if (fromIds.length === 0) return [];
  return tx
    .selectFrom('document_references as r')
    .select(['r.from_id', 'r.path', 'r.to_collection', 'r.to_name'])
    .where('r.from_id', 'in', fromIds)
    .where(hasNoDocument)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('policies as p')
            .select(sql`1`.as('one'))
            .where('r.to_collection', '=', 'policies')
            .whereRef('p.project_id', '=', 'r.project_id')
            .whereRef('p.name', '=', 'r.to_name'),
        ),
      ),
    )
    .orderBy('r.path')
    .execute();
}

/**
 * New references of these documents to targets that exist but that the writer may not use; they are treated as missing.
 */
export async function findUnusable(
  tx: Tx,
  reader: Reader,
  written: readonly { readonly id: string; readonly referredBefore: readonly { collection: string; name: string }[] }[],
): Promise<DanglingReference[]> {
  if (written.length === 0) return [];
  const before = written.flatMap(({ id, referredBefore }) => referredBefore.map((target) => ({ id, ...target })));
  const { rows } = await sql<DanglingReference>`
    select r.from_id, r.path, r.to_collection, r.to_name from document_references r
    where r.from_id = any(${written.map(({ id }) => id)}::uuid[])
      and (r.from_id, r.to_collection, r.to_name) not in (select * from unnest(
        ${before.map(({ id }) => id)}::uuid[], ${before.map(({ collection }) => collection)}::text[],
        ${before.map(({ name }) => name)}::text[]))
      and not exists (
        select 1 from document_names n
        where n.project_id = r.project_id and n.version = r.version and n.collection = r.to_collection
          and n.name = r.to_name and ${permittedRows(reader, 'document', 'n.document_id', 'use')})
      and not exists (
        select 1 from policies p
        where r.to_collection = 'policies' and p.project_id = r.project_id and p.name = r.to_name
          and ${permittedRows(reader, 'policy', 'p.id', 'use')})
    order by r.path`.execute(tx);
  return rows;
}

export interface User {
  readonly collection: string;
  readonly id: string;
  readonly name: string;
  readonly path: string;
  /** The referenced name that it uses. */
  readonly uses: string;
}

/** Finds the users of these names. With `unlessNamed`, only of names that no document defines (any more). */
export async function findUsers(
  db: Db,
  scope: Scope,
  keys: readonly { collection: string; name: string }[],
  options: { readonly unlessNamed?: boolean } = {},
): Promise<User[]> {
  if (keys.length === 0) return [];
  const rows = await db
    .selectFrom('document_references as r')
    .select(['r.from_collection', 'r.from_id', 'r.from_name', 'r.path', 'r.to_collection', 'r.to_name'])
    .where('r.project_id', '=', scope.project)
    .where('r.version', '=', scope.version)
    .where(isOneOf(keys, 'r.to_collection', 'r.to_name'))
    .$if(options.unlessNamed === true, (query) => query.where(hasNoDocument))
    .orderBy('r.from_collection')
    .orderBy('r.from_name')
    .limit(100)
    .execute();
  return rows.map((row) => ({
    collection: row.from_collection,
    id: row.from_id,
    name: row.from_name,
    path: row.path,
    uses: `${row.to_collection}/${row.to_name}`,
  }));
}

/** Every `$ref` reachable from these documents: document key -> keys of its targets, one entry per occurrence. */
export async function loadRefGraph(tx: Tx, scope: Scope, ids: readonly string[]): Promise<Map<string, string[]>> {
  const graph = new Map<string, string[]>();
  if (ids.length === 0) return graph;
  const { rows } = await sql<{ source: string; target: string }>`
    with recursive reach(id, key) as (
      select d.id, d.collection || '/' || d.name from documents d where d.id = any(${ids as string[]}::uuid[])
      union
      select d.id, d.collection || '/' || d.name
      from reach join document_references r on r.from_id = reach.id and r.kind = 'ref'
      join documents d on d.project_id = ${scope.project} and d.version = ${scope.version}
        and d.collection = r.to_collection and d.name = r.to_name
    )
    select reach.key as source, r.to_collection || '/' || r.to_name as target
    from reach join document_references r on r.from_id = reach.id and r.kind = 'ref'
  `.execute(tx);
  for (const { source, target } of rows) {
    const targets = graph.get(source);
    if (targets) targets.push(target);
    else graph.set(source, [target]);
  }
  return graph;
}
