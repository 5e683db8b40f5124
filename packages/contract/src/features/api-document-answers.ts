import * as z from 'zod';
import { idSchema, timeSchema } from '../schemas.ts';
import { inventoryMethodSchema, operationIdSchema } from './inventory.ts';

export const API_DOCUMENT_BYTES_MAX = 5 * 1024 * 1024;
export const API_DOCUMENT_OPERATIONS_MAX = 20_000;
/** Documents of a project, and versions of a document. The oldest versions are deleted beyond it. */
export const API_DOCUMENTS_MAX = 50;
export const API_DOCUMENT_VERSIONS_MAX = 20;
/** Operations of all documents of a project, each with its largest version: a comparison holds them in memory. */
export const API_DOCUMENT_PROJECT_OPERATIONS_MAX = 60_000;
export const API_DOCUMENT_HOSTS_MAX = 32;
export const API_DOCUMENT_PATHS_MAX = 32;
/** Days of traffic that a comparison looks at. */
export const API_DOCUMENT_DAYS_DEFAULT = 7;
export const API_DOCUMENT_DAYS_MAX = 90;
/** Operations in a patch. */
export const API_DOCUMENT_PATCH_MAX = 2000;
/** Warnings of a version. */
export const API_DOCUMENT_WARNINGS_MAX = 100;
/** Breaking changes in an answer; `omitted` counts the others. */
export const API_DOCUMENT_CHANGES_MAX = 1000;

export const API_DOCUMENT_FORMATS = ['openapi-3.0', 'openapi-3.1', 'swagger-2.0'] as const;
export type ApiDocumentFormat = (typeof API_DOCUMENT_FORMATS)[number];

/**
 * documented            one document describes the operation
 * overlap               two or more documents describe it
 * undocumented          it is in the scope of a document, and no document describes it
 * unscoped              it is in the scope of no document
 * out_of_scope          a document describes its method and path, but its scope leaves out this listener, host or path
 * unused                a document describes it, and no request was seen
 * deprecated_in_use     the document calls it deprecated, and there were requests
 * undeclared_parameter  requests had query parameters that the document does not declare
 * undeclared_status     answers had status codes that the document does not declare
 */
export const API_COVERAGE_KINDS = [
  'documented',
  'overlap',
  'undocumented',
  'unscoped',
  'out_of_scope',
  'unused',
  'deprecated_in_use',
  'undeclared_parameter',
  'undeclared_status',
] as const;
export type ApiCoverageKind = (typeof API_COVERAGE_KINDS)[number];
/** The kinds that say that documents and traffic differ. */
export const API_DIFFERENCE_KINDS = [
  'undocumented',
  'overlap',
  'out_of_scope',
  'unused',
  'deprecated_in_use',
  'undeclared_parameter',
  'undeclared_status',
] as const satisfies readonly ApiCoverageKind[];

export const API_BREAKING_KINDS = [
  'operation_removed',
  'base_path_removed',
  'parameter_required',
  'parameter_removed',
  'parameter_type_changed',
  'body_required',
  'media_type_removed',
  'success_status_removed',
  'security_added',
] as const;
export type ApiBreakingKind = (typeof API_BREAKING_KINDS)[number];

const count = z.number().int();

/** The part of the traffic that a document is about. An empty list means any. */
export const apiDocumentScopeSchema = z.object({
  /** Exact name of a listener; empty: any. */
  listener_name: z.string(),
  host_prefixes: z.array(z.string()),
  path_prefixes: z.array(z.string()),
});
export type ApiDocumentScope = z.infer<typeof apiDocumentScopeSchema>;

export const apiDocumentWarningSchema = z.object({
  /** Place in the document, such as `paths./users.get`. */
  field: z.string(),
  message: z.string(),
});
export type ApiDocumentWarning = z.infer<typeof apiDocumentWarningSchema>;

export const apiDocumentVersionSchema = z.object({
  /** Counts up from 1. The number of a deleted version is never used again. */
  number: count,
  current: z.boolean(),
  format: z.enum(API_DOCUMENT_FORMATS),
  title: z.string(),
  /** `info.version`, as its author wrote it. */
  document_version: z.string(),
  operation_count: count,
  deprecated_count: count,
  /** Hosts and paths of the servers. */
  servers: z.array(z.string()),
  warnings: z.array(apiDocumentWarningSchema),
  bytes: count,
  /** Hex digest of the file. */
  sha256: z.string(),
  imported_at: timeSchema,
  imported_by: z.string(),
});
export type ApiDocumentVersion = z.infer<typeof apiDocumentVersionSchema>;

export const apiDocumentSchema = z.object({
  id: idSchema,
  project: idSchema,
  name: z.string(),
  /** The current version. */
  version: apiDocumentVersionSchema,
  version_count: count,
  /** As it was set. Null: from the servers of the current version. It stays for later versions. */
  listener_name: z.string(),
  host_prefixes: z.array(z.string()).nullable(),
  path_prefixes: z.array(z.string()).nullable(),
  /** As it applies. */
  scope: apiDocumentScopeSchema,
  created_at: timeSchema,
  updated_at: timeSchema,
  updated_by: z.string(),
  revision: count,
});
export type ApiDocument = z.infer<typeof apiDocumentSchema>;

const documentRefSchema = z.object({
  /** Null: a document that is only checked. */
  id: idSchema.nullable(),
  name: z.string(),
  number: count,
});

/** An operation of the inventory, or one of a document that was not seen. */
export const apiCoverageItemSchema = z.object({
  kinds: z.array(z.enum(API_COVERAGE_KINDS)),
  /** Null: `unused`. */
  operation_id: operationIdSchema.nullable(),
  method: inventoryMethodSchema,
  /** Empty for `unused`. */
  host: z.string(),
  /** The template of the inventory; for `unused`, that of the document with the path of its server. */
  path: z.string(),
  last_seen: timeSchema.nullable(),
  seen_count: count,
  /** Documents that describe it. For `undocumented`, those whose scope it is in; for `out_of_scope`, those that would describe it. */
  documents: z.array(documentRefSchema.extend({ path: z.string(), operation: z.string() })),
  undeclared_parameters: z.array(z.string()),
  undeclared_statuses: z.array(z.string()),
});
export type ApiCoverageItem = z.infer<typeof apiCoverageItemSchema>;

/** Every comparison says this about itself. */
export const apiCoverageFields = {
  /** Operations by kind, on all pages. An operation may have several. */
  counts: z.record(z.enum(API_COVERAGE_KINDS), count),
  /** Confirmed HTTP operations that were seen in the window. */
  operation_count: count,
  /** Operations that OpenAPI cannot describe, so they are not compared. */
  excluded: z.object({ grpc: count, tcp: count, graphql: count, other_methods: count }),
  documents: z.array(documentRefSchema),
  /** The operations come from the catalogue. Their query parameters and status codes are those since the first request, or since a reset. */
  source: z.literal('inventory'),
  days: count,
  since: timeSchema,
  /** The caller does not see all services of the project, so `unused` is left out. */
  restricted: z.boolean(),
};

export const apiBreakingChangeSchema = z.object({
  kind: z.enum(API_BREAKING_KINDS),
  method: z.string(),
  path: z.string(),
  /** The parameter, media type, status code or types. */
  detail: z.string(),
});
export type ApiBreakingChange = z.infer<typeof apiBreakingChangeSchema>;
