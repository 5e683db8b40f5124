import * as z from 'zod';
import { ADMINS, READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { inventoryMethodSchema, operationIdSchema } from './inventory.ts';
import { INVENTORY_PATH } from './inventory-routes.ts';

export const INVENTORY_SNAPSHOTS_KEPT_DAYS = 30;
/** Snapshots of a project; the oldest is deleted for a new one. */
export const INVENTORY_SNAPSHOTS_MAX = 60;

export const inventorySnapshotSchema = z.object({
  id: idSchema,
  at: timeSchema,
  operation_count: z.number().int(),
  /** `daily`: taken by the controller. */
  kind: z.enum(['daily', 'manual']),
  taken_by: z.string(),
});
export type InventorySnapshot = z.infer<typeof inventorySnapshotSchema>;

/**
 * new_operation        the operation is not in the snapshot, and neither is its path
 * new_method           the path is in the snapshot with other methods
 * removed_operation    the snapshot has it, the inventory no longer
 * templated            operations of the snapshot have this name now, because a template of their paths became known
 * auth_downgrade       only requests with credentials were accepted; now anonymous ones are, too
 * new_pii_category     personal data of a new category
 * new_risk_flag        a flag is active that was not; flags of severity info do not count
 * flag_cleared         a flag is no longer active
 * risk_increase        the active threat score has risen
 * status_regress       answers with a status code of 400 or more that the snapshot does not have
 * zombie_resurrection  idle for 30 days at the time of the snapshot, and seen within the last 7 days
 */
export const INVENTORY_CHANGE_TYPES = [
  'new_operation',
  'new_method',
  'removed_operation',
  'templated',
  'auth_downgrade',
  'new_pii_category',
  'new_risk_flag',
  'flag_cleared',
  'risk_increase',
  'status_regress',
  'zombie_resurrection',
] as const;
export type InventoryChangeType = (typeof INVENTORY_CHANGE_TYPES)[number];

export const inventoryChangeSchema = z.object({
  type: z.enum(INVENTORY_CHANGE_TYPES),
  operation_id: operationIdSchema,
  method: inventoryMethodSchema,
  host: z.string(),
  normalized_path: z.string(),
  operation: z.string(),
  last_seen: timeSchema,
  /** The flags, categories, schemes or status codes; for scores, the old and the new one; for `templated`, the number of operations of the snapshot. */
  detail: z.array(z.string()),
});
export type InventoryChange = z.infer<typeof inventoryChangeSchema>;

const shared = { tag: 'API inventory', family: 'inventory', project: 'query' } as const;

export const inventorySnapshotRoutes = {
  list: defineRoute({
    ...shared,
    id: 'listInventorySnapshots',
    method: 'GET',
    path: `${INVENTORY_PATH}/snapshots`,
    summary: 'List the snapshots of the inventory, newest first',
    access: { kind: 'roles', roles: READERS },
    audit: null,
    query: z.strictObject({ project: idSchema, limit: listQuery.limit, cursor: listQuery.cursor }),
    status: 200,
    response: listOf(inventorySnapshotSchema),
  }),
  get: defineRoute({
    ...shared,
    id: 'readInventorySnapshot',
    method: 'GET',
    path: `${INVENTORY_PATH}/snapshots/:snapshot_id`,
    summary: 'Read what is known of a snapshot',
    access: { kind: 'roles', roles: READERS },
    audit: null,
    params: z.strictObject({ snapshot_id: idSchema.describe('Id of a snapshot of the inventory') }),
    query: z.strictObject({ project: idSchema }),
    status: 200,
    response: inventorySnapshotSchema,
  }),
  take: defineRoute({
    ...shared,
    id: 'takeInventorySnapshot',
    method: 'POST',
    path: `${INVENTORY_PATH}/snapshots`,
    summary: 'Take a snapshot of the confirmed operations, to compare with later',
    access: { kind: 'roles', roles: ADMINS },
    audit: 'inventory.snapshot',
    rate: 'command',
    query: z.strictObject({ project: idSchema, ...dryRunQuery }),
    status: 201,
    response: inventorySnapshotSchema,
  }),
  changes: defineRoute({
    ...shared,
    id: 'listInventoryChanges',
    method: 'GET',
    path: `${INVENTORY_PATH}/changes`,
    summary: 'List the changes of the confirmed operations since a snapshot, latest traffic first',
    access: { kind: 'roles', roles: READERS },
    audit: null,
    rate: 'trial',
    query: z.strictObject({
      project: idSchema,
      snapshot_id: idSchema.optional().describe('Snapshot to compare with'),
      since: timeSchema
        .optional()
        .describe('Compares with the newest snapshot that is not newer than this; by default 24 hours ago'),
      type: repeatable(z.enum(INVENTORY_CHANGE_TYPES)).optional().describe('Type of the change'),
      limit: listQuery.limit,
      cursor: listQuery.cursor,
    }),
    status: 200,
    response: listOf(inventoryChangeSchema).extend({
      baseline: inventorySnapshotSchema,
      /** Changes by type, on all pages. */
      counts: z.partialRecord(z.enum(INVENTORY_CHANGE_TYPES), z.number().int()),
    }),
  }),
};
