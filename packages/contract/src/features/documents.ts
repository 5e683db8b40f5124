import { z } from 'zod';
import type { RouteTag } from '../families.ts';
import { EDITORS, READERS } from '../roles.ts';
import { DOCUMENT_BODY_BYTES, defineRoute } from '../route.ts';
import {
  booleanQuerySchema,
  dryRunQuery,
  idSchema,
  listOf,
  listQuery,
  nameSchema,
  repeatable,
  timeSchema,
  violationSchema,
} from '../schemas.ts';

/** Collections of documents, in the order in which a person thinks of them. */
export const COLLECTIONS = [
  'bootstrap',
  'listeners',
  'routes',
  'virtual_hosts',
  'clusters',
  'endpoints',
  'secrets',
  'filters',
  'extensions',
] as const;
export const collectionSchema = z.enum(COLLECTIONS);
export type Collection = z.infer<typeof collectionSchema>;

/** Collections whose documents may be of many message types: the `type` of each document says which. */
export const EXTENSION_COLLECTIONS = ['filters', 'extensions'] as const;
export const extensionCollectionSchema = z.enum(EXTENSION_COLLECTIONS);

/** An exact Envoy release: `1.39.3`. */
export const proxyVersionSchema = z.string().regex(/^\d{1,3}\.\d{1,3}\.\d{1,4}$/, 'an exact release such as 1.39.3');

/** Of a virtual host: `<route configuration>/<host>`; the host may hold a wildcard and a port. */
const VIRTUAL_HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\/[A-Za-z0-9*][A-Za-z0-9*._:[\]-]*$/;
export const documentNameSchema = z.union([
  nameSchema,
  z.string().min(3).max(384).regex(VIRTUAL_HOST_NAME, 'a name, or <route configuration>/<host> for virtual hosts'),
]);

export const labelsSchema = z
  .record(nameSchema, z.string().max(256))
  .refine((labels) => Object.keys(labels).length <= 64, 'at most 64 labels');

/** Full name of an Envoy message. */
export const messageTypeSchema = z
  .string()
  .max(256)
  .regex(/^[a-z][\w]*(?:\.[A-Za-z_]\w*)+$/, 'the full name of a message, e.g. envoy.config.cluster.v3.Cluster');

const resourceSchema = z.record(z.string(), z.unknown());

export const privatePartSchema = z.object({ path: z.string(), set: z.literal(true), updated_at: timeSchema });

/** A document without its content: what lists show. */
export const documentSummarySchema = z.object({
  id: idSchema,
  collection: collectionSchema,
  name: z.string(),
  version: z.string(),
  project: idSchema,
  type: z.string(),
  description: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  revision: z.number().int(),
  created_at: timeSchema,
  updated_at: timeSchema,
  updated_by: z.string(),
});

export const documentSchema = documentSummarySchema.extend({
  /** Envoy's own message as proto-JSON, without its private values. */
  resource: resourceSchema,
  private: z.array(privatePartSchema),
  /** Deprecated fields that are still taken; in answers to writes. */
  warnings: z.array(violationSchema).optional(),
});
export type Document = z.infer<typeof documentSchema>;

/** One difference; private values are never shown. */
export const changeSchema = z.object({
  path: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
export type Change = z.infer<typeof changeSchema>;

export const documentPlanSchema = z.object({
  dry_run: z.literal(true),
  document: documentSchema.nullable(),
  diff: z.array(changeSchema),
  /** Node ids of the proxies that the change would reach. */
  nodes: z.array(z.string()),
  services: z.array(z.object({ id: idSchema, name: z.string() })),
});

const content = {
  type: messageTypeSchema.optional(),
  description: z.string().max(4096).nullable().optional(),
  labels: labelsSchema.optional(),
};

/** A document as it is written. `project` may be repeated; it must be the one of the query. */
export const createDocumentSchema = z.strictObject({
  name: documentNameSchema,
  version: proxyVersionSchema,
  project: idSchema.optional(),
  ...content,
  resource: resourceSchema,
});

export const replaceDocumentSchema = createDocumentSchema.partial({ name: true, version: true });

/** JSON merge patch (RFC 7396): null clears, objects merge, everything else replaces. */
export const patchDocumentSchema = z.strictObject({
  description: z.string().max(4096).nullable().optional(),
  labels: z.record(z.string(), z.string().max(256).nullable()).nullable().optional(),
  resource: resourceSchema.optional(),
});

export const restoreSchema = z.strictObject({ revision: z.number().int().min(1) });

export const revisionSummarySchema = z.object({
  revision: z.number().int(),
  created_at: timeSchema,
  created_by: z.string(),
});
export const documentRevisionSchema = revisionSummarySchema.extend({
  type: z.string(),
  description: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  resource: resourceSchema,
  private: z.array(privatePartSchema),
});

const itemQuery = { project: idSchema, version: proxyVersionSchema };
const itemQuerySchema = z.strictObject(itemQuery);
const itemWriteQuerySchema = z.strictObject({ ...itemQuery, ...dryRunQuery });
const writeQuerySchema = z.strictObject({ project: idSchema, ...dryRunQuery });
const listDocumentsQuery = {
  ...listQuery,
  version: repeatable(proxyVersionSchema).optional(),
  name: repeatable(z.string()).optional(),
  /** `key=value`; all of them must fit. */
  label: repeatable(z.string().regex(/^[^=]+=.*$/, 'key=value')).optional(),
  /** With the content of each document. */
  resource: booleanQuerySchema.optional(),
};

const listedSchema = listOf(documentSummarySchema.extend({ resource: resourceSchema.optional() }));
const plannedSchema = z.union([documentSchema, documentPlanSchema]);
const revisionNumber = z.coerce.number().int().min(1);

interface Family {
  /** Prefix of the operation ids. */
  readonly id: string;
  readonly list: string;
  readonly item: string;
  readonly tag: RouteTag;
  readonly listParams: z.ZodRawShape;
  readonly itemParams: z.ZodRawShape;
}

/** The routes of one family of addresses; all families have one set of handlers. */
function defineFamily<L extends z.ZodRawShape, I extends z.ZodRawShape>(
  family: Omit<Family, 'listParams' | 'itemParams'> & { listParams: L; itemParams: I },
) {
  const { id, tag } = family;
  const access = { kind: 'roles', roles: READERS } as const;
  const editors = { kind: 'roles', roles: EDITORS } as const;
  const item = z.strictObject(family.itemParams);
  const shared = { tag, project: 'query', bodyLimit: DOCUMENT_BODY_BYTES } as const;
  return {
    list: defineRoute({
      ...shared,
      id: `list${id}`,
      method: 'GET',
      path: family.list,
      summary: 'List documents',
      access,
      audit: null,
      params: z.strictObject(family.listParams),
      query: z.strictObject({ ...listDocumentsQuery, type: repeatable(messageTypeSchema).optional() }),
      status: 200,
      response: listedSchema,
    }),
    create: defineRoute({
      ...shared,
      id: `create${id}`,
      method: 'POST',
      path: family.list,
      summary: 'Create a document',
      access: editors,
      audit: 'document.create',
      params: z.strictObject(family.listParams),
      query: writeQuerySchema,
      body: createDocumentSchema,
      status: 201,
      response: plannedSchema,
    }),
    get: defineRoute({
      ...shared,
      id: `get${id}`,
      method: 'GET',
      path: family.item,
      summary: 'One document',
      access,
      audit: null,
      needs: { kind: 'document', level: 'view', param: 'name', by: 'name' },
      params: item,
      query: itemQuerySchema,
      status: 200,
      response: documentSchema,
    }),
    replace: defineRoute({
      ...shared,
      id: `replace${id}`,
      method: 'PUT',
      path: family.item,
      summary: 'Replace a document; private values that are left out are kept',
      access: editors,
      audit: 'document.replace',
      needs: { kind: 'document', level: 'change', param: 'name', by: 'name' },
      params: item,
      query: itemWriteQuerySchema,
      body: replaceDocumentSchema,
      status: 200,
      response: plannedSchema,
    }),
    patch: defineRoute({
      ...shared,
      id: `patch${id}`,
      method: 'PATCH',
      path: family.item,
      summary: 'Change parts of a document (JSON merge patch)',
      access: editors,
      audit: 'document.patch',
      needs: { kind: 'document', level: 'change', param: 'name', by: 'name' },
      params: item,
      query: itemWriteQuerySchema,
      body: patchDocumentSchema,
      status: 200,
      response: plannedSchema,
    }),
    remove: defineRoute({
      ...shared,
      id: `delete${id}`,
      method: 'DELETE',
      path: family.item,
      summary: 'Delete a document that nothing uses',
      access: editors,
      audit: 'document.delete',
      needs: { kind: 'document', level: 'change', param: 'name', by: 'name' },
      params: item,
      query: itemWriteQuerySchema,
      status: 204,
    }),
    listRevisions: defineRoute({
      ...shared,
      id: `list${id}Revisions`,
      method: 'GET',
      path: `${family.item}/revisions`,
      summary: 'The history of a document, newest first',
      access,
      audit: null,
      needs: { kind: 'document', level: 'view', param: 'name', by: 'name' },
      params: item,
      query: z.strictObject({ ...itemQuery, limit: listQuery.limit, cursor: listQuery.cursor }),
      status: 200,
      response: listOf(revisionSummarySchema),
    }),
    getRevision: defineRoute({
      ...shared,
      id: `get${id}Revision`,
      method: 'GET',
      path: `${family.item}/revisions/:revision`,
      summary: 'A document as it was',
      access,
      audit: null,
      needs: { kind: 'document', level: 'view', param: 'name', by: 'name' },
      params: z.strictObject({ ...family.itemParams, revision: revisionNumber }),
      query: itemQuerySchema,
      status: 200,
      response: documentRevisionSchema,
    }),
    restore: defineRoute({
      ...shared,
      id: `restore${id}`,
      method: 'POST',
      path: `${family.item}/restore`,
      summary: 'Make an earlier revision the newest',
      access: editors,
      audit: 'document.restore',
      needs: { kind: 'document', level: 'change', param: 'name', by: 'name' },
      params: item,
      query: itemWriteQuerySchema,
      body: restoreSchema,
      status: 200,
      response: plannedSchema,
    }),
  };
}

/** `/api/v3/xds/:collection`: every collection. */
export const xdsRoutes = defineFamily({
  id: 'Document',
  tag: 'Documents',
  list: '/api/v3/xds/:collection',
  item: '/api/v3/xds/:collection/:name',
  listParams: { collection: collectionSchema },
  itemParams: { collection: collectionSchema, name: documentNameSchema },
});

/** `/api/v3/eo/:collection/:type`: filters and extensions of one message type. */
export const eoTypedRoutes = defineFamily({
  id: 'ExtensionObject',
  tag: 'Documents',
  list: '/api/v3/eo/:collection/:type',
  item: '/api/v3/eo/:collection/:type/:name',
  listParams: { collection: extensionCollectionSchema, type: messageTypeSchema },
  itemParams: { collection: extensionCollectionSchema, type: messageTypeSchema, name: nameSchema },
});

/** `/api/v3/eo/:collection`: filters and extensions of every type. */
export const eoRoutes = {
  list: defineRoute({
    ...xdsRoutes.list,
    id: 'listExtensionObjects',
    path: '/api/v3/eo/:collection',
    params: z.strictObject({ collection: extensionCollectionSchema }),
  }),
  create: defineRoute({
    ...xdsRoutes.create,
    id: 'createExtensionObjects',
    path: '/api/v3/eo/:collection',
    params: z.strictObject({ collection: extensionCollectionSchema }),
  }),
};

export const APPLY_DOCUMENTS_MAX = 1000;

export const applyDocumentSchema = z.strictObject({
  collection: collectionSchema,
  name: documentNameSchema,
  version: proxyVersionSchema,
  project: idSchema.optional(),
  ...content,
  resource: resourceSchema,
  /** Refuses the whole batch unless the document is at this revision; 0: unless it does not exist yet. */
  revision: z.number().int().min(0).optional(),
});

export const applyKeySchema = z.strictObject({
  collection: collectionSchema,
  name: documentNameSchema,
  version: proxyVersionSchema,
});

export const applyBodySchema = z.strictObject({
  project: idSchema,
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
    summary: 'Write and delete many documents: all or none',
    tag: 'Documents',
    access: { kind: 'roles', roles: EDITORS },
    project: 'body',
    bodyLimit: DOCUMENT_BODY_BYTES,
    audit: 'document.apply',
    query: z.strictObject(dryRunQuery),
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
    summary: 'What a document or service needs and what needs it, as a graph',
    tag: 'Documents',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    params: z.strictObject({ name: documentNameSchema }),
    query: z.strictObject({
      ...itemQuery,
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
    }),
  }),
  countAll: defineRoute({
    id: 'countDocuments',
    method: 'GET',
    path: '/api/v3/custom/count/all',
    summary: 'How many documents of each collection there are',
    tag: 'Documents',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    query: z.strictObject({ project: idSchema, version: proxyVersionSchema.optional() }),
    status: 200,
    response: z.record(z.string(), z.number().int()),
  }),
};
