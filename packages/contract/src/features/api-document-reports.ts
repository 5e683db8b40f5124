import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, listOf, listQuery, repeatable } from '../schemas.ts';
import {
  API_COVERAGE_KINDS,
  API_DOCUMENT_BYTES_MAX,
  API_DOCUMENT_DAYS_MAX,
  apiBreakingChangeSchema,
  apiCoverageFields,
  apiCoverageItemSchema,
  apiDocumentScopeSchema,
} from './api-document-answers.ts';
import { inventoryMethodSchema, inventoryOperationParams, operationIdSchema } from './inventory.ts';
import { INVENTORY_OPENAPI_FORMATS, INVENTORY_PATH } from './inventory-routes.ts';

export const API_DOCUMENTS_PATH = `${INVENTORY_PATH}/documents`;

export const apiDocumentParams = z.strictObject({ document_id: idSchema.describe('Id of an API document') });
export const versionNumberSchema = z.coerce.number().int().min(1).max(2_147_483_647);

/** `api.example.com` with its subdomains, `*.example.com`, or `api.` for names that begin with this label; a port only if it is part of it. */
export const hostPrefixSchema = z.string().min(1).max(260);
export const pathPrefixSchema = z.string().min(1).max(1024).startsWith('/');

/** The scope in a query. Left out: from the servers of the document. */
export const scopeQuery = {
  listener_name: z.string().max(256).optional().describe('Exact name of a listener'),
  host_prefix: repeatable(hostPrefixSchema)
    .optional()
    .describe(
      'Host with its subdomains; `*.example.com` for subdomains alone, `api.` for every name with this first label',
    ),
  path_prefix: repeatable(pathPrefixSchema).optional().describe('Path with everything below it'),
};

const shared = {
  tag: 'API inventory',
  family: 'inventory',
  access: { kind: 'roles', roles: READERS },
  project: 'query',
  audit: null,
  rate: 'trial',
  status: 200,
} as const;
const days = z.coerce
  .number()
  .int()
  .min(1)
  .max(API_DOCUMENT_DAYS_MAX)
  .optional()
  .describe('Days of traffic to compare with; 7 by default');
const kind = repeatable(z.enum(API_COVERAGE_KINDS))
  .optional()
  .describe('Kinds of the operations; all differences by default');

/** Comparisons of documents with traffic. */
export const apiDocumentReportRoutes = {
  differences: defineRoute({
    ...shared,
    id: 'listApiDocumentDifferences',
    method: 'GET',
    path: `${API_DOCUMENTS_PATH}/differences`,
    summary: 'Compare the API documents with the confirmed HTTP operations of the inventory',
    query: z.strictObject({
      project: idSchema,
      days,
      kind,
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      q: listQuery.q,
      document_id: idSchema.optional().describe('Only what concerns this document'),
      number: versionNumberSchema.optional().describe('Version to compare instead of the current one'),
    }),
    response: listOf(apiCoverageItemSchema).extend(apiCoverageFields),
  }),
  check: defineRoute({
    ...shared,
    id: 'checkApiDocument',
    method: 'POST',
    path: `${API_DOCUMENTS_PATH}/check`,
    summary: 'Compare a file with the inventory, without importing it',
    upload: true,
    bodyLimit: API_DOCUMENT_BYTES_MAX,
    query: z.strictObject({ project: idSchema, days, kind, limit: listQuery.limit, ...scopeQuery }),
    response: z.object({
      items: z.array(apiCoverageItemSchema),
      /** Further operations of these kinds. */
      omitted: z.number().int(),
      ...apiCoverageFields,
      scope: apiDocumentScopeSchema,
      warnings: z.array(z.object({ field: z.string(), message: z.string() })),
    }),
  }),
  previewScope: defineRoute({
    ...shared,
    id: 'previewApiDocumentScope',
    method: 'GET',
    path: `${API_DOCUMENTS_PATH}/scope-preview`,
    summary: 'Count the operations in a scope',
    query: z.strictObject({ project: idSchema, days, ...scopeQuery }),
    response: z.object({
      matched: z.number().int(),
      operation_count: z.number().int(),
      samples: z.array(
        z.object({
          operation_id: operationIdSchema,
          method: inventoryMethodSchema,
          host: z.string(),
          path: z.string(),
        }),
      ),
    }),
  }),
  patch: defineRoute({
    ...shared,
    id: 'getApiDocumentPatch',
    method: 'GET',
    path: `${API_DOCUMENTS_PATH}/:document_id/patch`,
    summary: 'Download the paths, parameters and status codes that the document lacks, as a fragment of OpenAPI',
    media: 'application/octet-stream',
    params: apiDocumentParams,
    query: z.strictObject({
      project: idSchema,
      days,
      format: z.enum(INVENTORY_OPENAPI_FORMATS).optional().describe('Format of the fragment; YAML by default'),
    }),
  }),
  breakingChanges: defineRoute({
    ...shared,
    id: 'listApiDocumentBreakingChanges',
    method: 'GET',
    path: `${API_DOCUMENTS_PATH}/:document_id/breaking-changes`,
    summary: 'List the changes between two versions that break clients',
    params: apiDocumentParams,
    query: z.strictObject({
      project: idSchema,
      from_number: versionNumberSchema.optional().describe('Older version; by default the one before `to_number`'),
      to_number: versionNumberSchema.optional().describe('Newer version; the current one by default'),
    }),
    response: z.object({
      from_number: z.number().int(),
      to_number: z.number().int(),
      items: z.array(apiBreakingChangeSchema),
      omitted: z.number().int(),
      added_operations: z.number().int(),
    }),
  }),
  ofOperation: defineRoute({
    ...shared,
    rate: 'read',
    id: 'getOperationDocuments',
    method: 'GET',
    path: `${INVENTORY_PATH}/:operation_id/documents`,
    summary: 'Find the API documents that describe an operation',
    params: inventoryOperationParams,
    query: z.strictObject({ project: idSchema }),
    response: z.object({
      /** Null: no document can describe it, because it is no confirmed HTTP operation. */
      item: apiCoverageItemSchema.nullable(),
    }),
  }),
};
