import * as z from 'zod';
import { ADMINS, READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, listOf, listQuery, nameSchema, timeSchema } from '../schemas.ts';
import { selfTestFields } from './services.ts';

/** Series are kept by the minute: for the host of a client so many hours, for the filters' counters so many days. */
export const HOST_SERIES_KEPT_H = 24;
export const SHIELD_SERIES_KEPT_DAYS = 7;
/** An answer holds no more points: a finer step than fits is made coarser, as `step_s` of the answer says. */
export const SERIES_POINTS_MAX = 1500;
export const SERIES_STEP_MIN_S = 60;
export const SERIES_STEP_MAX_S = 86_400;

/**
 * `from` is inclusive, `to` exclusive; the last hour unless told otherwise. `step_s` is a multiple of 60; left out, the
 * controller picks one that gives about 240 points. Steps begin at multiples of `step_s` since 1970, so `from` of the
 * answer may be earlier than what was asked for.
 */
const rangeQuery = {
  from: timeSchema.optional(),
  to: timeSchema.optional(),
  step_s: z.coerce.number().int().min(SERIES_STEP_MIN_S).max(SERIES_STEP_MAX_S).multipleOf(60).optional(),
};

const rangeFields = { from: timeSchema, to: timeSchema, step_s: z.number().int() };

/** Averages of one step; `at` is where the step begins. Null: no sample of the step told it. */
export const hostPointSchema = z.object({
  at: timeSchema,
  /** Share of all cores that was busy, 0 to 100. */
  cpu_percent: z.number(),
  /** Load average of one minute per core: 1 is as much as the cores can do. */
  load1_per_core: z.number(),
  /** Load average of five minutes per core, in percent: the column "CPU" of the clients. */
  load5_percent: z.number(),
  memory_percent: z.number(),
  memory_used_bytes: z.number(),
  memory_total_bytes: z.number(),
  /** Of the file system that is fullest. */
  disk_used_percent: z.number().nullable(),
  disk_mount: z.string().nullable(),
  /** Bytes per second, loopback left out. */
  rx_bytes_per_s: z.number().nullable(),
  tx_bytes_per_s: z.number().nullable(),
  /** Sums over the services of the client; 100 is one core. Zero where none runs. */
  envoy_cpu_percent: z.number(),
  envoy_rss_bytes: z.number(),
  shield_cpu_percent: z.number(),
  shield_rss_bytes: z.number(),
});
export type HostPoint = z.infer<typeof hostPointSchema>;

/** In order of time. A step without a sample has no point: the client was away, or nobody heard it. */
export const hostSeriesSchema = z.object({ ...rangeFields, points: z.array(hostPointSchema) });
export type HostSeries = z.infer<typeof hostSeriesSchema>;

export const SHIELD_VERDICTS = ['allowed', 'blocked', 'detected', 'error'] as const;

/**
 * What filters counted.
 * allowed   requests that a policy covered and let through
 * blocked   requests that it turned away
 * detected  findings of policies in mode `detect`, several of one request at most once per engine; they stop nothing, so
 *           the request is counted as allowed, too
 * errors    engines that broke; what became of the request is said by the policy's fail mode and counted there as well
 */
const countFields = {
  allowed: z.number().int(),
  blocked: z.number().int(),
  detected: z.number().int(),
  errors: z.number().int(),
};

/** `at` is where the step begins. */
export const shieldPointSchema = z.object({ at: timeSchema, ...countFields });
export type ShieldPoint = z.infer<typeof shieldPointSchema>;

/**
 * In order of time. A step in which nothing was counted has no point. Counts belong to the minute in which the controller
 * heard of them, some ten seconds after the requests; those of a client that was away all to the minute of its return.
 */
export const shieldSeriesSchema = z.object({ ...rangeFields, points: z.array(shieldPointSchema) });
export type ShieldSeries = z.infer<typeof shieldSeriesSchema>;

export const shieldCounterSchema = z.object({
  policy: z.string(),
  /** Empty for `allowed`: no engine objected. */
  engine: z.string(),
  /** Stable code such as `apikey.missing`; empty for `allowed`. */
  reason: z.string(),
  verdict: z.enum(SHIELD_VERDICTS),
  count: z.number().int(),
});
export type ShieldCounter = z.infer<typeof shieldCounterSchema>;

export const shieldCountersSchema = z.object({
  from: timeSchema,
  to: timeSchema,
  totals: z.object(countFields),
  /** Largest first; what was not counted in the time is not listed. */
  counters: z.array(shieldCounterSchema),
  /** When something was counted last, within what is kept; null: never. */
  updated_at: timeSchema.nullable(),
});
export type ShieldCounters = z.infer<typeof shieldCountersSchema>;

/** One node (service on a client) that should run the policy. */
export const policyNodeSchema = z.object({
  service_id: idSchema,
  service_name: z.string(),
  client_id: idSchema,
  client_name: z.string(),
  node_id: z.string(),
  connected: z.boolean(),
  run_state: z.enum(['running', 'stopped']),
  /** Of the bundle of all policies of the service as they are now. */
  wanted_digest: z.string(),
  /** Of the bundle that the filter says it runs; null: none, or not yet reported. */
  live_digest: z.string().nullable(),
  /**
   * Whether the filter runs the newest text of this policy, by the last report. True although the digests differ where only
   * other policies of the service differ. Null: never reported, or the live bundle is made of revisions too old to tell.
   */
  current: z.boolean().nullable(),
  /** Revision of this policy in the live bundle, where it can be told. */
  live_revision: z.number().int().nullable(),
  /** Why the filter refused the newest bundle. */
  policy_error: z.string().nullable(),
  shield_running: z.boolean(),
  ...selfTestFields,
  reported_at: timeSchema.nullable(),
});
export type PolicyNode = z.infer<typeof policyNodeSchema>;

export const policyNodesSchema = listOf(policyNodeSchema).extend({
  policy: z.object({ name: z.string(), digest: z.string(), revision: z.number().int() }),
  /** Over all nodes, not only the listed ones: by `current`. */
  summary: z.object({
    nodes: z.number().int(),
    current: z.number().int(),
    outdated: z.number().int(),
    unknown: z.number().int(),
  }),
});
export type PolicyNodes = z.infer<typeof policyNodesSchema>;

/** What a bundle of policies, as a filter tells its digest, says of one of them. */
export const policyInBundleSchema = z.object({
  /** Whether its text is the newest. Null: the bundle is made of revisions too old to tell. */
  current: z.boolean().nullable(),
  /** Its revision in the bundle, where it can be told; null also where it is not in it. */
  revision: z.number().int().nullable(),
});
export type PolicyInBundle = z.infer<typeof policyInBundleSchema>;

const readers = { kind: 'roles', roles: READERS } as const;
const counted = { project: idSchema, policy: nameSchema.optional(), service_id: idSchema.optional() };

export const metricsRoutes = {
  clientSeries: defineRoute({
    id: 'readClientSeries',
    method: 'GET',
    path: '/api/op/clients/:client_id/series',
    summary: 'Load, memory, disk and network of a client over time',
    tag: 'Clients',
    access: { kind: 'roles', roles: ADMINS },
    project: 'query',
    needs: { kind: 'client', level: 'view', param: 'client_id', by: 'id' },
    audit: null,
    params: z.strictObject({ client_id: idSchema }),
    query: z.strictObject({ project: idSchema, ...rangeQuery }),
    status: 200,
    response: hostSeriesSchema,
  }),
  shieldSeries: defineRoute({
    id: 'readShieldSeries',
    method: 'GET',
    path: '/api/v3/shield/series',
    summary: 'What the filters allowed, blocked and detected over time',
    tag: 'Policies',
    access: readers,
    project: 'query',
    audit: null,
    query: z.strictObject({ ...counted, client_id: idSchema.optional(), ...rangeQuery }),
    status: 200,
    response: shieldSeriesSchema,
  }),
  shieldCounters: defineRoute({
    id: 'readShieldCounters',
    method: 'GET',
    path: '/api/v3/shield/counters',
    summary: 'What the filters counted, by policy, engine and reason',
    tag: 'Policies',
    access: readers,
    project: 'query',
    audit: null,
    query: z.strictObject({
      ...counted,
      client_id: idSchema.optional(),
      from: timeSchema.optional(),
      to: timeSchema.optional(),
    }),
    status: 200,
    response: shieldCountersSchema,
  }),
  policyNodes: defineRoute({
    id: 'listPolicyNodes',
    method: 'GET',
    path: '/api/v3/shield/policies/:name/nodes',
    summary: 'Which proxies run which revision of a policy',
    tag: 'Policies',
    access: readers,
    project: 'query',
    needs: { kind: 'policy', level: 'view', param: 'name', by: 'name' },
    audit: null,
    params: z.strictObject({ name: nameSchema }),
    query: z.strictObject({ project: idSchema, limit: listQuery.limit, cursor: listQuery.cursor }),
    status: 200,
    response: policyNodesSchema,
  }),
  policyInBundle: defineRoute({
    id: 'readPolicyInBundle',
    method: 'GET',
    path: '/api/v3/shield/policies/:name/bundles/:digest',
    summary: 'Which revision of a policy a bundle has, such as one that decided a request',
    tag: 'Policies',
    access: readers,
    project: 'query',
    needs: { kind: 'policy', level: 'view', param: 'name', by: 'name' },
    audit: null,
    params: z.strictObject({ name: nameSchema, digest: z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex') }),
    /** The service whose bundle it is: of its policies of now; without one the policy is by itself. */
    query: z.strictObject({ project: idSchema, service_id: idSchema.optional() }),
    status: 200,
    response: policyInBundleSchema,
  }),
};
