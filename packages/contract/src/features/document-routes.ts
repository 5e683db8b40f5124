import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { EDITORS, READERS } from '../roles.ts';
import { DOCUMENT_BODY_BYTES, defineRoute } from '../route.ts';
import { booleanQuerySchema, dryRunQuery, idSchema, listOf, listQuery, nameSchema, repeatable } from '../schemas.ts';
import { CERTIFICATE_STATES } from './certificates.ts';
import { documentListItemSchema } from './document-lists.ts';
import { DOCUMENT_STATE_FILTERS } from './document-states.ts';
import {
  collectionSchema,
  createDocumentSchema,
  documentNameSchema,
  documentPlanSchema,
  documentRevisionSchema,
  documentSchema,
  extensionCollectionSchema,
  messageTypeSchema,
  patchDocumentSchema,
  proxyVersionSchema,
  replaceDocumentSchema,
  restoreSchema,
  revisionSummarySchema,
} from './documents.ts';

const itemQuery = { project: idSchema, version: proxyVersionSchema };
const itemQuerySchema = z.strictObject(itemQuery);
const itemWriteQuerySchema = z.strictObject({ ...itemQuery, ...dryRunQuery });
const writeQuerySchema = z.strictObject({ project: idSchema, ...dryRunQuery });
const listDocumentsQuery = {
  ...listQuery,
  version: repeatable(proxyVersionSchema).optional(),
  name: repeatable(z.string()).optional(),
  /** `key=value`; a document has to match all of them. */
  label: repeatable(z.string().regex(/^[^=]+=.*$/, 'key=value')).optional(),
  /** Documents with certificates, by the state of the one that ends first; `ends_soon`: within 30 days. */
  certificate: repeatable(z.enum(CERTIFICATE_STATES)).optional(),
  /** `refused`: an active configuration error names it; `unused`: no service reaches it. */
  state: repeatable(z.enum(DOCUMENT_STATE_FILTERS)).optional(),
  /** Name of the user who wrote the newest revision. */
  updated_by: repeatable(z.string().max(256)).optional(),
  with_total: booleanQuerySchema.optional(),
  /** True: includes the content of each document. */
  resource: booleanQuerySchema.optional(),
};

const listedSchema = listOf(documentListItemSchema);
const plannedSchema = z.union([documentSchema, documentPlanSchema]);
const revisionNumber = z.coerce.number().int().min(1);

interface Family {
  /** Prefix of the operation ids. */
  readonly id: string;
  readonly list: string;
  readonly item: string;
  readonly listParams: z.ZodRawShape;
  readonly itemParams: z.ZodRawShape;
}

/** Defines the routes for one group of addresses; all groups share one set of handlers. */
// oxlint-disable-next-line max-lines-per-function -- a table of routes
function defineFamily<L extends z.ZodRawShape, I extends z.ZodRawShape>(
  family: Omit<Family, 'listParams' | 'itemParams'> & { listParams: L; itemParams: I },
) {
  const { id } = family;
  const access = { kind: 'roles', roles: READERS } as const;
  const editors = { kind: 'roles', roles: EDITORS } as const;
  const item = z.strictObject(family.itemParams);
  const shared = {
    tag: 'Documents',
    family: 'configuration',
    project: 'query',
    bodyLimit: DOCUMENT_BODY_BYTES,
  } as const;
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
      summary: 'Read a document',
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
      summary: 'Replace a document; private values that are left out stay',
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
      summary: 'Delete an unused document',
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
      summary: 'List the history of a document, newest first',
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
      summary: 'Read an earlier revision of a document',
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
      summary: 'Restore an earlier revision as the newest one',
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
  list: '/api/v3/xds/:collection',
  item: '/api/v3/xds/:collection/:name',
  listParams: { collection: collectionSchema },
  itemParams: { collection: collectionSchema, name: documentNameSchema },
});

/** `/api/v3/eo/:collection/:type`: filters and extensions of one message type. */
export const eoTypedRoutes = defineFamily({
  id: 'ExtensionObject',
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

export const documentAuditWords = defineAuditWords({
  actions: {
    'document.create': 'create {document}',
    'document.delete': 'delete {document}',
    'document.patch': 'change part of {document}',
    'document.replace': 'change {document}',
    'document.restore': 'restore {document}',
  },
  nouns: {
    bootstrap: 'bootstrap',
    clusters: 'cluster',
    endpoints: 'endpoints',
    extensions: 'extension',
    filters: 'filter',
    listeners: 'listener',
    routes: 'route configuration',
    secrets: 'secret',
    virtual_hosts: 'virtual host',
  },
});
