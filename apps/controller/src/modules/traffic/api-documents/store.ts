import { type ApiDocument, type ApiDocumentVersion, fail } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { Records, type RowOf, Rows, type SearchQuery } from '../../../platform/database/records.ts';
import type { Server } from './model/document.ts';
import { scopeOfServers } from './model/scope.ts';

const DOCUMENTS = new Records<DocumentRow, ApiDocument>({
  kind: 'API document',
  table: 'api_documents',
  sortable: { name: 'api_documents.name_key', updated_at: 'api_documents.updated_at' },
  defaultSort: 'name',
  searched: ['api_documents.name', 'v.title'],
  toView: toDocument,
});
const VERSIONS = new Rows<VersionRow, ApiDocumentVersion>({
  id: 'v.number',
  sortable: { number: 'v.number' },
  defaultSort: '-number',
  toView: toVersion,
});

const VERSION_COLUMNS = [
  'v.number',
  'v.format',
  'v.title',
  'v.document_version',
  'v.servers',
  'v.key_query',
  'v.warnings',
  'v.operation_count',
  'v.deprecated_count',
  'v.sha256',
  'v.imported_at',
  'v.imported_by',
] as const;

export function selectDocuments(db: Db, projectId: string) {
  return db
    .selectFrom('api_documents')
    .innerJoin('api_document_versions as v', (join) =>
      join.onRef('v.document_id', '=', 'api_documents.id').onRef('v.number', '=', 'api_documents.current_number'),
    )
    .selectAll('api_documents')
    .select([...VERSION_COLUMNS, sql<number>`octet_length(v.file)`.as('bytes')])
    .select((eb) =>
      eb
        .selectFrom('api_document_versions as n')
        .select(sql<number>`count(*)::int`.as('count'))
        .whereRef('n.document_id', '=', 'api_documents.id')
        .as('version_count'),
    )
    .where('api_documents.project_id', '=', projectId);
}
export type DocumentRow = RowOf<typeof selectDocuments>;

export function selectVersions(db: Db, projectId: string, documentId: string) {
  return db
    .selectFrom('api_document_versions as v')
    .innerJoin('api_documents as d', 'd.id', 'v.document_id')
    .select([...VERSION_COLUMNS, 'd.current_number', sql<number>`octet_length(v.file)`.as('bytes')])
    .where('v.project_id', '=', projectId)
    .where('v.document_id', '=', documentId);
}
type VersionRow = RowOf<typeof selectVersions>;

function toDocument(row: DocumentRow): ApiDocument {
  const { listener_name, host_prefixes, path_prefixes } = row;
  return {
    id: row.id,
    project: row.project_id,
    name: row.name,
    version: toVersion(row),
    version_count: row.version_count ?? 0,
    listener_name,
    host_prefixes,
    path_prefixes,
    scope: toScope(row, row.servers),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: row.updated_by,
    revision: row.revision,
  };
}

/** The scope as it applies to a version with these servers. */
export function toScope(
  given: Pick<ApiDocument, 'listener_name' | 'host_prefixes' | 'path_prefixes'>,
  servers: readonly Server[],
): ApiDocument['scope'] {
  const own = scopeOfServers(servers);
  return {
    listener_name: given.listener_name,
    host_prefixes: given.host_prefixes ?? own.host_prefixes,
    path_prefixes: given.path_prefixes ?? own.path_prefixes,
  };
}

function toVersion(row: VersionRow): ApiDocumentVersion {
  return {
    number: row.number,
    current: row.number === row.current_number,
    format: row.format,
    title: row.title,
    document_version: row.document_version,
    operation_count: row.operation_count,
    deprecated_count: row.deprecated_count,
    servers: row.servers.map(({ host, base }) => `${host ?? '*'}${base}`),
    warnings: [...row.warnings],
    bytes: row.bytes,
    sha256: row.sha256,
    imported_at: row.imported_at.toISOString(),
    imported_by: row.imported_by,
  };
}

export const listDocuments = (db: Db, projectId: string, query: SearchQuery) =>
  DOCUMENTS.list(selectDocuments(db, projectId), query);

/** Throws record.not_found, also for a document of another project. */
export const findDocument = (db: Db, projectId: string, id: string) =>
  DOCUMENTS.find(selectDocuments(db, projectId), id);

export const listVersions = (
  db: Db,
  { projectId, documentId }: { readonly projectId: string; readonly documentId: string },
  query: SearchQuery,
) => VERSIONS.list(selectVersions(db, projectId, documentId), query);

/** Throws record.not_found. */
export async function findVersion(db: Db, projectId: string, { id, number }: { id: string; number: number }) {
  const row = await selectVersions(db, projectId, id).where('v.number', '=', number).executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'version', name: String(number) });
  return { ...toVersion(row), parts: { servers: row.servers, keyQuery: row.key_query } };
}

/** The file of a version. Throws record.not_found. */
export async function readFile(db: Db, projectId: string, { id, number }: { id: string; number: number }) {
  const row = await db
    .selectFrom('api_document_versions')
    .select('file')
    .where('project_id', '=', projectId)
    .where('document_id', '=', id)
    .where('number', '=', number)
    .executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'version', name: String(number) });
  return row.file;
}

/** The number of the newest version before this one. */
export async function findNumberBefore(db: Db, projectId: string, { id, number }: { id: string; number: number }) {
  const row = await selectVersions(db, projectId, id)
    .where('v.number', '<', number)
    .orderBy('v.number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.number;
}
