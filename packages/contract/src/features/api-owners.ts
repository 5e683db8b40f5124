import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS, READERS } from '../roles.ts';
import { defineRoute, LIST_BODY_BYTES } from '../route.ts';
import { booleanQuerySchema, dryRunQuery, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { hostPrefixSchema, pathPrefixSchema } from './api-document-reports.ts';
import {
  INVENTORY_RISK_BANDS,
  inventoryMethodSchema,
  inventoryOperationParams,
  inventoryPiiSchema,
  operationIdSchema,
  riskFlagSchema,
} from './inventory.ts';
import { INVENTORY_PATH } from './inventory-routes.ts';

export const OWNER_RULES_MAX = 200;
export const OWNER_OVERRIDES_MAX = 20_000;
export const OWNER_EXPORT_MAX = 50_000;
const TAGS_MAX = 20;
const RULE_PATHS_MAX = 32;

export const API_CRITICALITIES = ['critical', 'high', 'medium', 'low'] as const;
export type ApiCriticality = (typeof API_CRITICALITIES)[number];
export const API_DATA_CLASSES = [
  'personal',
  'national_id',
  'financial',
  'health',
  'special_category',
  'credentials',
] as const;
export type ApiDataClass = (typeof API_DATA_CLASSES)[number];

const word = z
  .string()
  .max(128)
  .regex(/^[^\p{Cc}]*$/u, 'must not have control characters');
const tags = z.array(word.min(1)).max(TAGS_MAX);
const criticality = z.enum(API_CRITICALITIES);
const dataClasses = z.array(z.enum(API_DATA_CLASSES)).max(API_DATA_CLASSES.length);

/** Values of an operation. An empty text or list says nothing. */
const ownerValues = {
  team: word,
  owner: word,
  criticality: criticality.nullable(),
  data_classes: dataClasses,
  tags,
};
export const apiOwnershipSchema = z.object(ownerValues);
export type ApiOwnership = z.infer<typeof apiOwnershipSchema>;

const ruleSchema = z.strictObject({
  name: word.min(1),
  enabled: z.boolean().default(true),
  /** All that is given must match. Empty: any. */
  match: z.strictObject({
    listener_name: z.string().max(256).default(''),
    host_prefix: z.union([z.literal(''), hostPrefixSchema]).default(''),
    path_prefixes: z.array(pathPrefixSchema).max(RULE_PATHS_MAX).default([]),
    methods: z.array(inventoryMethodSchema).max(10).default([]),
  }),
  set: z.strictObject({
    team: word.default(''),
    owner: word.default(''),
    criticality: criticality.nullable().default(null),
    data_classes: dataClasses.default([]),
    tags: tags.default([]),
  }),
});
export type ApiOwnerRule = z.output<typeof ruleSchema>;
const rulesSchema = z.array(ruleSchema).max(OWNER_RULES_MAX);

/** Values of a single operation. A member that is left out follows the rules; an empty one says that there is none. */
const overrideBody = z.strictObject({
  team: word.optional(),
  owner: word.optional(),
  criticality: criticality.nullable().optional(),
  data_classes: dataClasses.optional(),
  tags: tags.optional(),
});
export type ApiOwnerOverride = z.infer<typeof overrideBody>;

const storedRulesSchema = z.object({
  rules: z.array(ruleSchema),
  revision: z.number().int(),
  updated_at: timeSchema.nullable(),
  updated_by: z.string().nullable(),
});

const count = z.number().int();
const bandCounts = z.record(z.enum(INVENTORY_RISK_BANDS), count);

const operationFields = {
  operation_id: operationIdSchema,
  method: inventoryMethodSchema,
  host: z.string(),
  path: z.string(),
};

/** An operation with what is said of it. */
export const ownedOperationSchema = z.object({
  ...operationFields,
  listeners: z.array(z.string()),
  protocols: z.array(z.string()),
  ...ownerValues,
  /** The rules that say something about it, in their order, and whether it has an override. */
  rules: z.array(z.string()),
  overridden: z.boolean(),
  active_risk_score: count,
  active_exposure_score: count,
  active_risk_band: z.enum(INVENTORY_RISK_BANDS),
  active_flags: z.array(riskFlagSchema),
  pii_categories: z.array(inventoryPiiSchema),
  /** It changes something, and accepts requests without credentials. */
  unauthenticated_write: z.boolean(),
  /** Classes of data that follow from what its traffic showed. */
  suggested_data_classes: z.array(z.enum(API_DATA_CLASSES)),
  last_seen: timeSchema,
});
export type OwnedOperation = z.infer<typeof ownedOperationSchema>;

export const apiTeamSchema = z.object({
  /** Empty: the operations without a team. */
  team: z.string(),
  operation_count: count,
  /** Operations by the band of their active threat score. */
  risk: bandCounts,
  criticality: z.record(z.enum([...API_CRITICALITIES, 'none']), count),
  data_classes: z.record(z.enum(API_DATA_CLASSES), count),
  unauthenticated_writes: count,
  personal_data: count,
  without_owner: count,
  /** The operations with the highest active threat score. */
  riskiest: z.array(z.object({ ...operationFields, active_risk_score: count })),
});
export type ApiTeam = z.infer<typeof apiTeamSchema>;

const previewSchema = z.object({
  operation_count: count,
  /** Operations that get no team. */
  unowned: count,
  /** In the order of the rules. */
  rules: z.array(
    z.object({
      name: z.string(),
      matched: count,
      /** Operations of which the rule says something that no rule before it says. */
      effective: count,
      /** It matches, and rules before it say everything that it would say. */
      shadowed: z.boolean(),
      /** The rules before it that do, for the first operations. */
      shadowed_by: z.array(z.string()),
      samples: z.array(z.object(operationFields)),
    }),
  ),
});
export type ApiOwnerPreview = z.infer<typeof previewSchema>;

const shared = { tag: 'API inventory', family: 'inventory', project: 'query' } as const;
const read = { ...shared, access: { kind: 'roles', roles: READERS }, audit: null, status: 200 } as const;
const write = { ...shared, access: { kind: 'roles', roles: ADMINS } } as const;
const writeQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const base = `${INVENTORY_PATH}/ownership`;

const filters = {
  team: repeatable(word).optional().describe('Team; empty: none'),
  owner: repeatable(word).optional().describe('Owner; empty: none'),
  criticality: repeatable(criticality).optional().describe('Criticality'),
  data_class: repeatable(z.enum(API_DATA_CLASSES)).optional().describe('Class of data'),
  tag: repeatable(word).optional().describe('Tag'),
  unauthenticated_write: booleanQuerySchema.optional().describe('Whether it changes something without credentials'),
};

/** Teams and owners of the operations of the inventory. */
export const apiOwnerRoutes = {
  rules: defineRoute({
    ...read,
    id: 'getApiOwnerRules',
    method: 'GET',
    path: `${base}/rules`,
    summary: 'Read the rules that give operations a team, an owner, a criticality, classes of data and tags',
    query: z.strictObject({ project: idSchema }),
    response: storedRulesSchema,
  }),
  replaceRules: defineRoute({
    ...write,
    id: 'replaceApiOwnerRules',
    method: 'PUT',
    path: `${base}/rules`,
    summary: 'Replace the rules. The first rule that says something decides; tags of all rules add up',
    audit: 'api_owners.rules',
    bodyLimit: LIST_BODY_BYTES,
    query: writeQuery,
    body: z.strictObject({ rules: rulesSchema }),
    status: 200,
    response: storedRulesSchema,
  }),
  preview: defineRoute({
    ...read,
    id: 'previewApiOwnerRules',
    method: 'POST',
    path: `${base}/preview`,
    summary: 'Count the operations that rules match, and find rules that others hide',
    rate: 'trial',
    bodyLimit: LIST_BODY_BYTES,
    query: z.strictObject({ project: idSchema }),
    body: z.strictObject({ rules: rulesSchema }),
    response: previewSchema,
  }),
  teams: defineRoute({
    ...read,
    id: 'listApiTeams',
    method: 'GET',
    path: `${base}/teams`,
    summary: 'List the teams with their operations, risks and data, and what has no team',
    rate: 'trial',
    query: z.strictObject({ project: idSchema }),
    response: z.object({ items: z.array(apiTeamSchema), operation_count: count }),
  }),
  operations: defineRoute({
    ...read,
    id: 'listOwnedOperations',
    method: 'GET',
    path: `${base}/operations`,
    summary: 'List the confirmed operations with their team and owner, the highest active threat score first',
    rate: 'trial',
    query: z.strictObject({
      project: idSchema,
      limit: listQuery.limit,
      cursor: listQuery.cursor,
      q: listQuery.q,
      ...filters,
    }),
    response: listOf(ownedOperationSchema),
  }),
  export: defineRoute({
    ...read,
    id: 'exportOwnedOperations',
    method: 'GET',
    path: `${base}/export`,
    summary: 'Download the operations with their team and owner as CSV, at most 50,000',
    rate: 'trial',
    media: 'text/csv',
    query: z.strictObject({ project: idSchema, q: listQuery.q, ...filters }),
  }),
  overrides: defineRoute({
    ...read,
    id: 'listApiOwnerOverrides',
    method: 'GET',
    path: `${base}/overrides`,
    summary: 'List the operations whose values differ from the rules, with those that no longer exist',
    query: z.strictObject({ project: idSchema, limit: listQuery.limit, cursor: listQuery.cursor }),
    response: listOf(
      z.object({
        operation_id: operationIdSchema,
        /** Null: the operation no longer exists. */
        operation: z.object(operationFields).nullable(),
        set: overrideBody,
        updated_at: timeSchema,
        updated_by: z.string(),
      }),
    ),
  }),
  get: defineRoute({
    ...read,
    id: 'getOperationOwnership',
    method: 'GET',
    path: `${INVENTORY_PATH}/:operation_id/ownership`,
    summary: 'Read the team and owner of an operation, and the rules that say so',
    params: inventoryOperationParams,
    query: z.strictObject({ project: idSchema }),
    response: z.object({
      operation: ownedOperationSchema,
      /** Null: the operation follows the rules. */
      override: overrideBody.nullable(),
    }),
  }),
  override: defineRoute({
    ...write,
    id: 'overrideOperationOwnership',
    method: 'PUT',
    path: `${INVENTORY_PATH}/:operation_id/ownership/override`,
    summary: 'Set values of one operation against the rules',
    audit: 'api_owners.override',
    params: inventoryOperationParams,
    query: writeQuery,
    body: overrideBody,
    status: 200,
    response: overrideBody,
  }),
  clearOverride: defineRoute({
    ...write,
    id: 'clearOperationOwnership',
    method: 'DELETE',
    path: `${INVENTORY_PATH}/:operation_id/ownership/override`,
    summary: 'Let an operation follow the rules again',
    audit: 'api_owners.clear_override',
    params: inventoryOperationParams,
    query: writeQuery,
    status: 204,
  }),
};

export const apiOwnerAuditWords = defineAuditWords({
  actions: {
    'api_owners.rules': 'change the rules of API owners',
    'api_owners.override': 'set the owner of {operation}',
    'api_owners.clear_override': 'clear the owner of {operation}',
  },
});
