import * as z from 'zod';
import { createFail } from '../errors/define.ts';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, nameSchema, timeSchema } from '../schemas.ts';
import { inventoryAuthSchemeSchema, inventoryMethodSchema, operationIdSchema, riskFlagSchema } from './inventory.ts';
import { INVENTORY_PATH } from './inventory-routes.ts';
import {
  POLICY_DRAFT_FINDING_SKIPS,
  POLICY_DRAFT_OPERATIONS_MAX,
  POLICY_DRAFT_PARTS,
  POLICY_DRAFT_SKIPS,
} from './policy-draft-words.ts';
import { trafficHashSchema, trafficWindowQuery } from './traffic-event-filters.ts';

const host = z.string().max(255);

export const policyDraftBodySchema = z.strictObject({
  operation_ids: z.array(operationIdSchema).min(1).max(POLICY_DRAFT_OPERATIONS_MAX).optional(),
  /** Open findings. The draft is about their flags alone, also about those that were not seen lately. */
  finding_ids: z.array(idSchema).min(1).max(POLICY_DRAFT_OPERATIONS_MAX).optional(),
  /** Paths of the list by host and path; a group has all operations of its path, or those that had it if none has it now. */
  groups: z
    .array(z.strictObject({ host, normalized_path: z.string().min(1).max(4096) }))
    .min(1)
    .max(POLICY_DRAFT_OPERATIONS_MAX)
    .optional(),
  /** The whole host. */
  host: host.optional(),
  /** Operations that have one of these flags now. Alone, they choose among all operations. */
  flags: z.array(riskFlagSchema).min(1).max(64).optional(),
  /** Operations that were seen less often are left out: 5 by default for the positive model, otherwise 1. */
  min_seen: z.number().int().min(0).optional(),
  parts: z.array(z.enum(POLICY_DRAFT_PARTS)).min(1).max(POLICY_DRAFT_PARTS.length).optional(),
  /** The traffic that limits and counts are derived from; the last 7 days by default, and at most. */
  from: timeSchema.optional(),
  to: timeSchema.optional(),
  factor: z.number().min(1).max(100).optional(),
  /** The name in the draft; derived from the host by default. */
  name: nameSchema.optional(),
});
export type PolicyDraftBody = z.infer<typeof policyDraftBodySchema>;

const count = z.number().int();

/** The traffic behind a limit. A value is a source address: what the filter counts by. */
const limitSchema = z.object({
  requests_per_second: z.number(),
  burst: count,
  per_minute: count,
  /** `traffic`: from the distribution below. `default`: there was too little traffic, or no event store. */
  basis: z.enum(['traffic', 'default']),
  counted_by: z.literal('source'),
  sources: count,
  consumers: count.nullable(),
  /** Minutes in which a source made requests. */
  minutes: count,
  requests: count,
  /** 99.9 % of these minutes had at most so many requests. */
  p999: count,
  max: count,
  factor: z.number(),
  /** Sources, minutes and requests of the window that are beyond the limit. */
  over: z.object({ sources: count, minutes: count, requests: count }),
});
export type PolicyDraftLimit = z.infer<typeof limitSchema>;

const engineSchema = z.object({ engine: z.string(), why: z.string(), limit: limitSchema.nullable() });
const noteSchema = z.object({ flag: riskFlagSchema.nullable(), text: z.string() });

const routeSchema = z.object({
  host: z.string(),
  /** The host as requests spell it, with its ports. The route is for all of them, because a policy names no port. */
  hosts: z.array(z.string()),
  normalized_path: z.string(),
  /** Methods that were seen. Only a positive model allows no others. */
  methods: z.array(inventoryMethodSchema),
  operation_ids: z.array(operationIdSchema),
  /** Findings of the selection that the route is about. */
  finding_ids: z.array(idSchema),
  flags: z.array(riskFlagSchema),
  auth_schemes: z.array(inventoryAuthSchemeSchema),
  /** Requests in the window, and those without credentials; null without the event store. */
  traffic: z.object({ requests: count, anonymous: count, sources: count, consumers: count }).nullable(),
  engines: z.array(engineSchema),
  /** Findings that no engine of the filter fixes, and where to fix them. */
  notes: z.array(noteSchema),
});
export type PolicyDraftRoute = z.infer<typeof routeSchema>;

export const policyDraftSchema = z.object({
  /** A free name for the policy. */
  name: nameSchema,
  /** The policy as YAML, with the rationale as comments. Its mode is `detect`. Nothing is stored. */
  text: z.string(),
  operations: count,
  routes: z.array(routeSchema),
  /** Limits and needs of the draft as a whole. */
  notes: z.array(z.string()),
  /** Fields that have to be filled in before the policy can be saved. */
  placeholders: z.array(z.object({ field: z.string(), what: z.string() })),
  skipped: z.array(z.object({ operation_id: operationIdSchema, reason: z.enum(POLICY_DRAFT_SKIPS) })),
  /** Selected findings without a place in the draft. Those of operations that were left out follow from `skipped`. */
  skipped_findings: z.array(z.object({ finding_id: idSchema, reason: z.enum(POLICY_DRAFT_FINDING_SKIPS) })),
  from: timeSchema,
  to: timeSchema,
  /** Why limits and counts are not from traffic; null: they are. */
  without_traffic: z.string().nullable(),
});
export type PolicyDraft = z.infer<typeof policyDraftSchema>;

const groupSchema = z.object({ name: z.string(), events: count, last_at: timeSchema });

export const POLICY_CHECKS = ['attached', 'requests', 'hours', 'credentials', 'complete'] as const;

/** The detections of a policy, and whether it is safe to block. */
export const policyDetectionsSchema = z.object({
  policy: z.object({
    name: nameSchema,
    revision: count,
    updated_at: timeSchema,
    /** Parts of the policy in mode `detect`; null if its text is too large to be read here. */
    detect_parts: count.nullable(),
    services: z.array(z.object({ id: idSchema, name: z.string() })),
  }),
  from: timeSchema,
  to: timeSchema,
  /** Requests that the filters of these services decided; null without the event store. */
  inspected: count.nullable(),
  detected: count,
  blocked: count,
  errors: count,
  /** Findings that filters did not report one by one. */
  dropped: count,
  by_route: z.array(groupSchema),
  by_engine: z.array(groupSchema),
  by_reason: z.array(groupSchema),
  trend: z.array(z.object({ at: timeSchema, detected: count, blocked: count })),
  /** The detected requests as the event store has them: the newest 5,000 findings; null without the event store. */
  requests: z
    .object({
      findings: count,
      found: count,
      truncated: z.boolean(),
      succeeded: count,
      authenticated: count,
      anonymous: count,
      consumers: z.array(
        z.object({ consumer: trafficHashSchema.nullable(), requests: count, succeeded: count, authenticated: count }),
      ),
      statuses: z.array(z.object({ status: count, requests: count })),
    })
    .nullable(),
  safe_to_block: z.boolean(),
  /** All have to hold. `needed` and `found` are numbers of the unit that the check is about. */
  checks: z.array(
    z.object({ check: z.enum(POLICY_CHECKS), passed: z.boolean(), needed: count, found: count.nullable() }),
  ),
  /** The text of the policy with mode `block` in place of `detect`: write it with `PUT` or `PATCH` of the policy. Null: nothing detects, or the text is large. */
  block_text: z.string().nullable(),
  without_traffic: z.string().nullable(),
});
export type PolicyDetections = z.infer<typeof policyDetectionsSchema>;

const shared = {
  tag: 'API inventory',
  access: { kind: 'roles', roles: READERS },
  project: 'query',
  audit: null,
  rate: 'trial',
  status: 200,
} as const;

export const policyDraftRoutes = {
  suggest: defineRoute({
    ...shared,
    id: 'suggestPolicy',
    family: 'inventory',
    method: 'POST',
    path: `${INVENTORY_PATH}/suggest-policy`,
    summary: 'Draft a security policy for operations of the inventory; nothing is stored',
    query: z.strictObject({ project: idSchema }),
    body: policyDraftBodySchema,
    response: policyDraftSchema,
  }),
  detections: defineRoute({
    ...shared,
    id: 'readPolicyDetections',
    family: 'policies',
    method: 'GET',
    path: `${INVENTORY_PATH}/policy-detections`,
    summary: 'Count what a policy has detected, and say whether it is safe to block',
    query: z.strictObject({
      project: idSchema,
      policy: nameSchema,
      ...trafficWindowQuery,
      min_requests: z.coerce
        .number()
        .int()
        .min(1)
        .optional()
        .describe('Requests that have to be inspected: 1,000 by default'),
      min_hours: z.coerce
        .number()
        .int()
        .min(1)
        .max(168)
        .optional()
        .describe('Hours since the last change: 24 by default'),
    }),
    response: policyDetectionsSchema,
  }),
};

export const POLICY_DRAFT_ERRORS = {
  'policy_draft.nothing_to_do': {
    status: 422,
    message: 'Nothing in the selection asks for a rule: {reasons}. Select something else, or other parts of the draft.',
  },
} as const;
export const failPolicyDraft = createFail(POLICY_DRAFT_ERRORS);
