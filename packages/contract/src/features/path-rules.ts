import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS, READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';
import { inventoryMethodSchema, operationIdSchema } from './inventory.ts';
import { INVENTORY_PATH } from './inventory-routes.ts';

/** Operations that a preview names again: those with the most requests. */
export const PATH_RULES_PREVIEW_MAX = 20_000;
/** Operations that an answer lists. */
export const PATH_RULES_LISTED_MAX = 100;

const ruleSchema = z.strictObject({ regex: z.string().max(4096), placeholder: z.string().max(64) });

/**
 * moves   all requests of the operation have another name
 * splits  they have several names: the operation stays, and new requests are counted under their new names
 */
const renamingSchema = z.object({
  kind: z.enum(['moves', 'splits']),
  operation_id: operationIdSchema,
  method: inventoryMethodSchema,
  host: z.string(),
  normalized_path: z.string(),
  /** The new name; several for `splits`, as far as they are known. */
  to: z.array(z.string()),
  seen_count: z.number().int(),
});
export type PathRenaming = z.infer<typeof renamingSchema>;

const previewSchema = z.object({
  /** Rules that cannot be used, by their index. With any of them nothing else is known. */
  problems: z.array(z.object({ index: z.number().int(), message: z.string() })),
  /** Operations that were named again. */
  scanned: z.number().int(),
  /** The project has more operations: those with fewer requests were left out. */
  truncated: z.boolean(),
  moves: z.number().int(),
  /** Operations that would become part of another one. */
  merges: z.number().int(),
  /**
   * Operations with placeholders. The values that these have replaced are not stored: a rule that matches some of them divides such an operation, which no
   * preview can foresee.
   */
  unforeseen: z.number().int(),
  /** The largest changes by requests. */
  renamings: z.array(renamingSchema),
  /** Segments of recorded paths that each rule matches, by its index. */
  matches: z.array(z.object({ index: z.number().int(), segments: z.array(z.string()), count: z.number().int() })),
  /** False: requests are recorded by their names. Values that a name has replaced are not known, so a rule may match more than this preview shows. */
  paths_recorded: z.literal(false),
});
export type PathRulesPreview = z.infer<typeof previewSchema>;

const rewriteSchema = z.object({
  job: z.object({ id: idSchema, number: z.number().int() }),
  /** False: a dry run. */
  applies: z.boolean(),
  started_at: timeSchema,
  ended_at: timeSchema.nullable(),
  scanned: z.number().int(),
  moved: z.number().int(),
  merged: z.number().int(),
  split: z.number().int(),
  /** Some of them. Empty for members of restricted projects. */
  renamings: z.array(renamingSchema),
});
export type InventoryRewrite = z.infer<typeof rewriteSchema>;

const shared = { tag: 'API inventory', family: 'inventory', project: 'query' } as const;

export const pathRuleRoutes = {
  preview: defineRoute({
    ...shared,
    id: 'previewPathRules',
    method: 'POST',
    path: `${INVENTORY_PATH}/path-rules/preview`,
    summary: 'Show what rules for path segments would change in the inventory, without saving them',
    access: { kind: 'roles', roles: READERS },
    audit: null,
    rate: 'trial',
    query: z.strictObject({ project: idSchema }),
    body: z.strictObject({ rules: z.array(ruleSchema).max(256) }),
    status: 200,
    response: previewSchema,
  }),
  rewrites: defineRoute({
    ...shared,
    id: 'listInventoryRewrites',
    method: 'GET',
    path: `${INVENTORY_PATH}/rewrites`,
    summary: 'List the last rewrites of the inventory, newest first',
    access: { kind: 'roles', roles: READERS },
    audit: null,
    query: z.strictObject({ project: idSchema }),
    status: 200,
    response: z.object({ items: z.array(rewriteSchema) }),
  }),
  rewrite: defineRoute({
    ...shared,
    id: 'rewriteInventory',
    method: 'POST',
    path: `${INVENTORY_PATH}/rewrites`,
    summary: 'Name the stored operations again by the routes, rules, documents and learned paths of now',
    access: { kind: 'roles', roles: ADMINS },
    audit: 'inventory.rewrite',
    rate: 'command',
    query: z.strictObject({ project: idSchema, ...dryRunQuery }),
    body: z.strictObject({
      /** False: the job changes nothing and reports what it would do. */
      apply: z.boolean().default(true),
    }),
    status: 202,
    response: z.object({ job: z.object({ id: idSchema, number: z.number().int() }) }),
  }),
};

export const pathRuleAuditWords = defineAuditWords({
  actions: { 'inventory.rewrite': 'name the operations of the API inventory again' },
  nouns: {},
});
