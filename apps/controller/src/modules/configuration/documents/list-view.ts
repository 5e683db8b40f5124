import type { CertificateState, Collection, DOCUMENT_STATE_FILTERS, DocumentState } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';
import { type RowOf, Rows, type SearchQuery } from '../../../platform/database/records.ts';
import { hasCertificateIn, orderByCertificateEnd } from './certificate-views.ts';
import { toSummary } from './model.ts';
import {
  findServicesOfDocuments,
  isUnused,
  type ReachedService,
  type VersionedKey,
} from './services-of-documents-view.ts';

export interface ListDocumentsQuery extends SearchQuery {
  readonly project: string;
  readonly version?: readonly string[] | undefined;
  readonly name?: readonly string[] | undefined;
  readonly type?: readonly string[] | undefined;
  readonly label?: readonly string[] | undefined;
  readonly certificate?: readonly CertificateState[] | undefined;
  readonly state?: readonly (typeof DOCUMENT_STATE_FILTERS)[number][] | undefined;
  readonly updated_by?: readonly string[] | undefined;
  readonly resource?: boolean | undefined;
}

/** The states of documents, from the fleet. */
export interface DocumentStates {
  /** States of documents that a service reaches, by `<version>/<collection>/<name>`. */
  readStates(db: Db, project: string, reached: readonly ReachedService[]): Promise<ReadonlyMap<string, DocumentState>>;
  /** Condition on a row of `documents`: an active configuration error names it. */
  isRefused(collection: Collection): RawBuilder<boolean>;
}

interface ListDeps {
  readonly db: Db;
  readonly now: Date;
  readonly states: DocumentStates;
}

const SERVICES_SHOWN_MAX = 5;

const DOCUMENTS = new Rows<DocumentRow, DocumentRow, ListDocumentsQuery>({
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
  searched: ['documents.name', 'documents.type', 'documents.description'],
  filters: {
    version: 'documents.version',
    name: 'documents.name',
    type: 'documents.type',
    updated_by: 'documents.updated_by',
    label: (labels) => sql`documents.labels @> ${JSON.stringify(Object.fromEntries(labels.map(splitLabel)))}::jsonb`,
  },
  toView: (row) => row,
});

export async function listDocuments({ db, now, states }: ListDeps, collection: Collection, query: ListDocumentsQuery) {
  const select = selectDocuments(db, collection, { ...query, now, isRefused: states.isRefused(collection) });
  const { items: rows, ...page } = await DOCUMENTS.list(select, query);
  const reached = await findServicesOfDocuments(db, query.project, rows);
  const found = await states.readStates(db, query.project, reached);
  const byDocument = Map.groupBy(reached, documentKeyOf);
  const items = rows.map((row) => {
    const services = byDocument.get(documentKeyOf(row)) ?? [];
    return {
      ...toSummary(row),
      facts: row.facts ?? {},
      state: found.get(documentKeyOf(row)) ?? ('unused' as const),
      users: row.users,
      services: services.slice(0, SERVICES_SHOWN_MAX).map(({ service_id: id, service_name: name }) => ({ id, name })),
      services_total: services.length,
      ...(row.resource && { resource: row.resource }),
    };
  });
  return { ...page, items };
}

export function documentKeyOf({ version, collection, name }: VersionedKey): string {
  return `${version}/${collection}/${name}`;
}

interface Matching extends ListDocumentsQuery {
  readonly now: Date;
  readonly isRefused: RawBuilder<boolean>;
}

function selectDocuments(db: Db, collection: Collection, { isRefused, now, ...query }: Matching) {
  const conditions = { refused: isRefused, unused: isUnused(query.project) };
  return db
    .selectFrom('documents')
    .select(['id', 'project_id', 'version', 'collection', 'name', 'type', 'description', 'labels', 'revision'])
    .select(['created_at', 'updated_at', 'updated_by', 'certificate_ends_at', 'facts', countUsers().as('users')])
    .$if(query.resource === true, (select) => select.select('resource'))
    .where('project_id', '=', query.project)
    .where('collection', '=', collection)
    .$if(query.certificate !== undefined, (select) => select.where(hasCertificateIn(query.certificate ?? [], now)))
    .$if(query.state !== undefined, (select) =>
      select.where((eb) => eb.or((query.state ?? []).map((state) => conditions[state]))),
    );
}

type DocumentRow = RowOf<typeof selectDocuments>;

/** Documents and services that name a row of `documents` directly. */
function countUsers(): RawBuilder<number> {
  return sql<number>`(
    select count(distinct users.from_id)::int from document_references users
    where users.project_id = documents.project_id and users.version = documents.version
      and users.to_collection = documents.collection and users.to_name = documents.name
      and users.kind in ('name', 'ref', 'service') and users.from_id <> documents.id)`;
}

function splitLabel(text: string): [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

const LABELS_MAX = 200;

/** The labels of a collection, those of the most documents first. */
export async function listLabels(db: Db, project: string, collection: Collection) {
  const { rows } = await sql<{ key: string; value: string; documents: number }>`
    select label.key, label.value, count(*)::int as documents
    from documents cross join lateral jsonb_each_text(documents.labels) label
    where documents.project_id = ${project} and documents.collection = ${collection}
    group by 1, 2 order by 3 desc, 1, 2 limit ${LABELS_MAX}
  `.execute(db);
  return { items: rows, next_cursor: null };
}
