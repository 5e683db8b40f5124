import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';
import { inventoryOperationParams, inventoryOperationSchema, operationIdSchema } from './inventory.ts';
import { INVENTORY_CHANGE_MAX, INVENTORY_STALE_DAYS_MAX, INVENTORY_STALE_DAYS_MIN } from './inventory-limits.ts';
import { INVENTORY_PATH } from './inventory-routes.ts';
import { inventoryChangedSchema } from './inventory-views.ts';

const write = {
  tag: 'API inventory',
  family: 'inventory',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query',
} as const;
const query = z.strictObject({ project: idSchema, ...dryRunQuery });
const selection = z.strictObject({
  /** Ids, or `all` for every operation of the project. */
  operations: z.union([z.literal('all'), z.array(operationIdSchema).min(1).max(INVENTORY_CHANGE_MAX)]),
});

export const inventoryActionRoutes = {
  reset: defineRoute({
    ...write,
    id: 'resetInventoryOperation',
    method: 'POST',
    path: `${INVENTORY_PATH}/:operation_id/reset`,
    summary:
      'Set the counters, scores, flags, personal data and evidence of authentication of an operation to zero; its name, first time and confirmation stay',
    audit: 'inventory.reset',
    params: inventoryOperationParams,
    query,
    status: 200,
    response: inventoryOperationSchema,
  }),
  delete: defineRoute({
    ...write,
    id: 'deleteInventoryOperation',
    method: 'DELETE',
    path: `${INVENTORY_PATH}/:operation_id`,
    summary: 'Delete an operation; it returns if its traffic continues',
    audit: 'inventory.delete',
    params: inventoryOperationParams,
    query,
    status: 204,
  }),
  resetMany: defineRoute({
    ...write,
    id: 'resetInventoryOperations',
    method: 'POST',
    path: `${INVENTORY_PATH}/reset`,
    summary: 'Reset the named operations, or all of the project',
    audit: 'inventory.reset_many',
    rate: 'command',
    query,
    body: selection,
    status: 200,
    response: inventoryChangedSchema,
  }),
  deleteMany: defineRoute({
    ...write,
    id: 'deleteInventoryOperations',
    method: 'POST',
    path: `${INVENTORY_PATH}/delete`,
    summary: 'Delete the named operations, or all of the project; those with traffic return',
    audit: 'inventory.delete_many',
    rate: 'command',
    query,
    body: selection,
    status: 200,
    response: inventoryChangedSchema,
  }),
  cleanupStale: defineRoute({
    ...write,
    id: 'cleanupStaleInventory',
    method: 'POST',
    path: `${INVENTORY_PATH}/cleanup-stale`,
    summary: 'Delete the operations that were not seen for some days',
    audit: 'inventory.cleanup',
    rate: 'command',
    query: query.extend({
      days: z.coerce
        .number()
        .int()
        .min(INVENTORY_STALE_DAYS_MIN)
        .max(INVENTORY_STALE_DAYS_MAX)
        .optional()
        .describe('Days without a request; 90 by default'),
    }),
    status: 200,
    response: z.object({
      deleted_count: z.number().int(),
      days: z.number().int(),
      /** Operations that were last seen before this time. */
      cutoff: z.iso.datetime(),
    }),
  }),
  rebaselineScores: defineRoute({
    ...write,
    id: 'rebaselineInventoryScores',
    method: 'POST',
    path: `${INVENTORY_PATH}/rebaseline-scores`,
    summary:
      'Set the scores, flags and evidence of authentication of all operations of the project to zero; counters stay',
    audit: 'inventory.rebaseline',
    rate: 'command',
    query,
    status: 200,
    response: z.object({ matched_count: z.number().int(), modified_count: z.number().int() }),
  }),
};

export const inventoryAuditWords = defineAuditWords({
  actions: {
    'inventory.reset': 'reset {operation}',
    'inventory.delete': 'delete {operation}',
    'inventory.reset_many': 'reset operations of the API inventory',
    'inventory.delete_many': 'delete operations of the API inventory',
    'inventory.cleanup': 'delete stale operations of the API inventory',
    'inventory.rebaseline': 'reset the scores of the API inventory',
    'inventory.snapshot': 'take a snapshot of the API inventory',
  },
  nouns: { inventory_operation: 'operation' },
});

export const inventoryTopics = [
  /** Operations have changed; at most one event every few seconds. */
  defineTopic('inventory', 'members', {}),
] as const;
