import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS, READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, nameSchema } from '../schemas.ts';
import {
  API_DOCUMENT_BYTES_MAX,
  API_DOCUMENT_HOSTS_MAX,
  API_DOCUMENT_PATHS_MAX,
  apiDocumentSchema,
  apiDocumentVersionSchema,
} from './api-document-answers.ts';
import {
  API_DOCUMENTS_PATH,
  apiDocumentParams,
  hostPrefixSchema,
  pathPrefixSchema,
  scopeQuery,
  versionNumberSchema,
} from './api-document-reports.ts';

const shared = { tag: 'API inventory', family: 'inventory', project: 'query' } as const;
const read = { ...shared, method: 'GET', access: { kind: 'roles', roles: READERS }, audit: null, status: 200 } as const;
const write = { ...shared, access: { kind: 'roles', roles: ADMINS } } as const;
const writeQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const versionParams = apiDocumentParams.extend({ number: versionNumberSchema.describe('Number of a version') });

/** OpenAPI documents that teams import. Names are compared without regard to case. */
export const apiDocumentRoutes = {
  list: defineRoute({
    ...read,
    id: 'listApiDocuments',
    path: API_DOCUMENTS_PATH,
    summary: 'List the API documents with their current versions',
    query: z.strictObject(listQuery),
    response: listOf(apiDocumentSchema),
  }),
  import: defineRoute({
    ...write,
    id: 'importApiDocument',
    method: 'POST',
    path: API_DOCUMENTS_PATH,
    summary: 'Import OpenAPI 3.0 or 3.1 or Swagger 2.0, as YAML or JSON; a known name gets a new version',
    audit: 'api_document.import',
    upload: true,
    bodyLimit: API_DOCUMENT_BYTES_MAX,
    query: writeQuery.extend({ name: nameSchema, ...scopeQuery }),
    status: 201,
    response: apiDocumentSchema,
  }),
  get: defineRoute({
    ...read,
    id: 'getApiDocument',
    path: `${API_DOCUMENTS_PATH}/:document_id`,
    summary: 'Read an API document with its current version',
    params: apiDocumentParams,
    query: z.strictObject({ project: idSchema }),
    response: apiDocumentSchema,
  }),
  setScope: defineRoute({
    ...write,
    id: 'setApiDocumentScope',
    method: 'PUT',
    path: `${API_DOCUMENTS_PATH}/:document_id/scope`,
    summary: 'Set the listener, hosts and paths that a document is about',
    audit: 'api_document.scope',
    params: apiDocumentParams,
    query: writeQuery,
    body: z.strictObject({
      listener_name: z.string().max(256),
      host_prefixes: z.array(hostPrefixSchema).max(API_DOCUMENT_HOSTS_MAX).nullable(),
      path_prefixes: z.array(pathPrefixSchema).max(API_DOCUMENT_PATHS_MAX).nullable(),
    }),
    status: 200,
    response: apiDocumentSchema,
  }),
  delete: defineRoute({
    ...write,
    id: 'deleteApiDocument',
    method: 'DELETE',
    path: `${API_DOCUMENTS_PATH}/:document_id`,
    summary: 'Delete an API document with all versions',
    audit: 'api_document.delete',
    params: apiDocumentParams,
    query: writeQuery,
    status: 204,
  }),
  versions: defineRoute({
    ...read,
    id: 'listApiDocumentVersions',
    path: `${API_DOCUMENTS_PATH}/:document_id/versions`,
    summary: 'List the versions of an API document, newest first',
    params: apiDocumentParams,
    query: z.strictObject({ project: idSchema, limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(apiDocumentVersionSchema),
  }),
  text: defineRoute({
    ...read,
    id: 'downloadApiDocumentVersion',
    path: `${API_DOCUMENTS_PATH}/:document_id/versions/:number/file`,
    summary: 'Download the file of a version as it was imported',
    media: 'application/octet-stream',
    params: versionParams,
    query: z.strictObject({ project: idSchema }),
  }),
  deleteVersion: defineRoute({
    ...write,
    id: 'deleteApiDocumentVersion',
    method: 'DELETE',
    path: `${API_DOCUMENTS_PATH}/:document_id/versions/:number`,
    summary: 'Delete a version; after the current one the newest becomes current, after the last one the document ends',
    audit: 'api_document.version_delete',
    params: versionParams,
    query: writeQuery,
    status: 204,
  }),
};

export const apiDocumentAuditWords = defineAuditWords({
  actions: {
    'api_document.import': 'import API document',
    'api_document.scope': 'change the scope of API document',
    'api_document.version_delete': 'delete a version of API document',
  },
  nouns: { api_document: 'API document' },
});
