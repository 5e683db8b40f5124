import { COLLECTIONS, fail } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import type { ListQuery } from '../../../platform/database/paging.ts';
import { Rows } from '../../../platform/database/records.ts';
import { describeDocument, toDocument, toPrivate } from './model.ts';
import { type DocumentKey, findDocument, type Scope } from './store.ts';

export async function readDocument(db: Db, scope: Scope, key: DocumentKey) {
  return toDocument(await requireDocument(db, scope, key));
}

export async function listRevisions(db: Db, scope: Scope, key: DocumentKey, query: ListQuery) {
  const { id } = await requireDocument(db, scope, key);
  return REVISIONS.list(
    db.selectFrom('document_revisions').select(['revision', 'created_at', 'created_by']).where('document_id', '=', id),
    query,
  );
}

const REVISIONS = new Rows({
  sortable: { revision: 'revision' },
  defaultSort: '-revision',
  id: 'revision',
  toView: (row: { revision: number; created_at: Date; created_by: string }) => ({
    ...row,
    created_at: row.created_at.toISOString(),
  }),
});

export async function readRevision(db: Db, scope: Scope, key: DocumentKey, revision: number) {
  const { id } = await requireDocument(db, scope, key);
  const row = await db
    .selectFrom('document_revisions')
    .selectAll()
    .where('document_id', '=', id)
    .where('revision', '=', revision)
    .executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'revision', name: revision });
  return {
    revision: row.revision,
    created_at: row.created_at.toISOString(),
    created_by: row.created_by,
    type: row.type,
    description: row.description,
    labels: row.labels,
    resource: row.resource,
    private: row.private.map(toPrivate),
    comments: row.comments,
  };
}

async function requireDocument(db: Db, scope: Scope, key: DocumentKey) {
  const row = await findDocument(db, scope, key);
  if (!row) throw fail('record.not_found', describeDocument(key, scope.version));
  return row;
}

/** Number of documents per collection, and of policies and services. */
export async function countDocuments(db: Db, project: string, version: string | undefined) {
  const rows = await db
    .selectFrom('documents')
    .select(['collection', sql<number>`count(*)::int`.as('count')])
    .where('project_id', '=', project)
    .$if(version !== undefined, (query) => query.where('version', '=', version ?? ''))
    .groupBy('collection')
    .execute();
  const counts = new Map(rows.map(({ collection, count }) => [collection, count]));
  const policies = await db
    .selectFrom('policies')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('project_id', '=', project)
    .executeTakeFirstOrThrow();
  return {
    ...Object.fromEntries(COLLECTIONS.map((collection) => [collection, counts.get(collection) ?? 0])),
    policies: policies.count,
  };
}
