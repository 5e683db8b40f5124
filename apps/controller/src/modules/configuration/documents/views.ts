import { type CertificateState, COLLECTIONS, type Collection, fail } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { executePage, type ListQuery, matchesText, parsePage } from '../../../platform/http/paging.ts';
import { hasCertificateIn, orderByCertificateEnd } from './certificate-views.ts';
import { describeDocument, toDocument, toPrivate, toSummary } from './model.ts';
import { type DocumentKey, findDocument, type Scope } from './store.ts';

export interface ListDocumentsQuery extends ListQuery {
  readonly project: string;
  readonly q?: string | undefined;
  readonly version?: readonly string[] | undefined;
  readonly name?: readonly string[] | undefined;
  readonly type?: readonly string[] | undefined;
  readonly label?: readonly string[] | undefined;
  readonly certificate?: readonly CertificateState[] | undefined;
  readonly resource?: boolean | undefined;
}

const LIST_RULES = {
  sortable: {
    name: 'documents.name',
    version: 'documents.version',
    type: 'documents.type',
    created_at: 'documents.created_at',
    updated_at: 'documents.updated_at',
    updated_by: 'documents.updated_by',
    certificate_ends_at: orderByCertificateEnd(),
  },
  defaultSort: 'name',
  id: 'documents.id',
};

export async function listDocuments(db: Db, collection: Collection, query: ListDocumentsQuery, now: Date) {
  const labels = query.label && Object.fromEntries(query.label.map((text) => splitLabel(text)));
  const listed = await executePage(
    db
      .selectFrom('documents')
      .select([
        'id',
        'project_id',
        'version',
        'collection',
        'name',
        'type',
        'description',
        'labels',
        'revision',
        'created_at',
        'updated_at',
        'updated_by',
        'certificate_ends_at',
      ])
      .$if(query.resource === true, (select) => select.select('resource'))
      .where('project_id', '=', query.project)
      .where('collection', '=', collection)
      .$if(query.version !== undefined, (select) => select.where('version', 'in', query.version ?? []))
      .$if(query.name !== undefined, (select) => select.where('name', 'in', query.name ?? []))
      .$if(query.type !== undefined, (select) => select.where('type', 'in', query.type ?? []))
      .$if(labels !== undefined, (select) =>
        select.where(sql<boolean>`documents.labels @> ${JSON.stringify(labels)}::jsonb`),
      )
      .$if(query.certificate !== undefined, (select) => select.where(hasCertificateIn(query.certificate ?? [], now)))
      .$if(query.q !== undefined, (select) =>
        select.where(matchesText(['documents.name', 'documents.type', 'documents.description'], query.q ?? '')),
      ),
    parsePage(query, LIST_RULES),
  );
  return {
    items: listed.rows.map((row) => ({ ...toSummary(row), ...(row.resource && { resource: row.resource }) })),
    next_cursor: listed.next_cursor,
  };
}

function splitLabel(text: string): [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

export async function readDocument(db: Db, scope: Scope, key: DocumentKey) {
  return toDocument(await requireDocument(db, scope, key));
}

export async function listRevisions(db: Db, scope: Scope, key: DocumentKey, query: ListQuery) {
  const { id } = await requireDocument(db, scope, key);
  const listed = await executePage(
    db.selectFrom('document_revisions').select(['revision', 'created_at', 'created_by']).where('document_id', '=', id),
    parsePage(query, REVISION_RULES),
  );
  return {
    items: listed.rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() })),
    next_cursor: listed.next_cursor,
  };
}

export const REVISION_RULES = { sortable: { revision: 'revision' }, defaultSort: '-revision', id: 'revision' };

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
