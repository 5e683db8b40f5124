import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { EDITORS, READERS } from '../roles.ts';
import { DOCUMENT_BODY_BYTES, defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, violationSchema } from '../schemas.ts';
import { documentLabelSchema } from './document-lists.ts';
import {
  COLLECTIONS,
  changeSchema,
  collectionSchema,
  documentContent,
  documentNameSchema,
  documentResourceSchema,
  labelsSchema,
  proxyVersionSchema,
} from './documents.ts';

export const APPLY_DOCUMENTS_MAX = 1000;

export const applyDocumentSchema = z.strictObject({
  collection: collectionSchema,
  name: documentNameSchema,
  version: proxyVersionSchema,
  project: idSchema.optional(),
  ...documentContent,
  resource: documentResourceSchema,
  /** Refuses the whole batch unless the document has this revision; 0: unless it does not exist yet. */
  revision: z.number().int().min(0).optional(),
});

export const applyKeySchema = z.strictObject({
  collection: collectionSchema,
  name: documentNameSchema,
  version: proxyVersionSchema,
  /** Refuses the whole batch unless the document has this id, so that it is not another one that was created under its name. */
  id: idSchema.optional(),
  /** Refuses the whole batch unless the document has this revision. */
  revision: z.number().int().min(1).optional(),
});

export const applyBodySchema = z.strictObject({
  /** Here or in the query. */
  project: idSchema.optional(),
  documents: z.array(applyDocumentSchema).max(APPLY_DOCUMENTS_MAX),
  delete: z.array(applyKeySchema).max(APPLY_DOCUMENTS_MAX).optional(),
  /** Also deletes documents of this version that carry all these labels and are not in `documents`. */
  prune: z
    .strictObject({
      version: proxyVersionSchema,
      labels: labelsSchema.refine((labels) => Object.keys(labels).length > 0, 'at least one label'),
    })
    .optional(),
});

export const applyResultSchema = z.object({
  collection: collectionSchema,
  name: z.string(),
  version: z.string(),
  outcome: z.enum(['created', 'changed', 'unchanged', 'deleted']),
  revision: z.number().int().nullable(),
  diff: z.array(changeSchema).optional(),
  warnings: z.array(violationSchema).optional(),
});

export const documentRoutes = {
  apply: defineRoute({
    id: 'applyDocuments',
    method: 'POST',
    path: '/api/v3/xds/apply',
    summary: 'Write and delete many documents, all or none',
    tag: 'Documents',
    family: 'configuration',
    access: { kind: 'roles', roles: EDITORS },
    project: 'body',
    bodyLimit: DOCUMENT_BODY_BYTES,
    audit: 'document.apply',
    query: z.strictObject({ project: idSchema.optional(), ...dryRunQuery }),
    body: applyBodySchema,
    status: 200,
    response: z.object({
      results: z.array(applyResultSchema),
      dry_run: z.literal(true).optional(),
      nodes: z.array(z.string()).optional(),
      services: z.array(z.object({ id: idSchema, name: z.string() })).optional(),
    }),
  }),
  dependency: defineRoute({
    id: 'getDependencies',
    method: 'GET',
    path: '/api/v3/dependency/:name',
    summary: 'Read the graph of what a document or service depends on and what depends on it',
    tag: 'Documents',
    family: 'configuration',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    params: z.strictObject({ name: documentNameSchema }),
    query: z.strictObject({
      project: idSchema,
      version: proxyVersionSchema,
      collection: z.enum([...COLLECTIONS, 'services', 'policies']),
    }),
    status: 200,
    response: z.object({
      nodes: z.array(
        z.object({
          id: z.string(),
          collection: z.string(),
          name: z.string(),
          type: z.string().nullable(),
          missing: z.boolean(),
        }),
      ),
      edges: z.array(z.object({ from: z.string(), to: z.string(), kind: z.string(), path: z.string() })),
      /** There are more edges; those of the thing itself come first. */
      truncated: z.boolean(),
    }),
  }),
  labels: defineRoute({
    id: 'listDocumentLabels',
    method: 'GET',
    path: '/api/v3/custom/labels',
    summary: 'List the labels of the documents of a collection, those of the most documents first',
    tag: 'Documents',
    family: 'configuration',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    query: z.strictObject({ project: idSchema, collection: collectionSchema }),
    status: 200,
    response: listOf(documentLabelSchema),
  }),
  countAll: defineRoute({
    id: 'countDocuments',
    method: 'GET',
    path: '/api/v3/custom/count/all',
    summary: 'Count the documents of each collection',
    tag: 'Documents',
    family: 'configuration',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    query: z.strictObject({ project: idSchema, version: proxyVersionSchema.optional() }),
    status: 200,
    response: z.record(z.string(), z.number().int()),
  }),
};

export const documentBatchAuditWords = defineAuditWords({
  actions: {
    'document.apply': 'apply {documents}',
  },
});
