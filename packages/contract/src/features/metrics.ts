import * as z from 'zod';
import { ADMINS, READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, listOf, listQuery, nameSchema, timeSchema } from '../schemas.ts';
import { selfTestFields } from './services.ts';

/** Retention of the series, which have one point per minute: for hosts of clients, and for the filters' counters. */
export const HOST_SERIES_KEPT_H = 24;
export const SHIELD_SERIES_KEPT_DAYS = 7;
/** Limit of points in an answer. A step that is too fine is made coarser; `step_s` of the answer says so. */
export const SERIES_POINTS_MAX = 1500;
export const SERIES_STEP_MIN_S = 60;
export const SERIES_STEP_MAX_S = 86_400;

/**
 * `from` is inclusive, `to` exclusive; the default is the last hour. `step_s` is a multiple of 60; by default the controller
 * picks one that gives about 240 points. Steps begin at multiples of `step_s` since 1970, so `from` of the answer may be
 * earlier than requested.
 */
const rangeQuery = {
  from: timeSchema.optional(),
  to: timeSchema.optional(),
  step_s: z.coerce.number().int().min(SERIES_STEP_MIN_S).max(SERIES_STEP_MAX_S).multipleOf(60).optional(),
};

const rangeFields = { from: timeSchema, to: timeSchema, step_s: z.number().int() };

/** Averages over one step that begins at `at`. Null: no sample of the step has the value. */
export const hostPointSchema = z.object({
  at: timeSchema,
  /** Busy share of all cores, 0 to 100. */
  cpu_percent: z.number(),
  /** Load average over one minute per core; 1 means that all cores are busy. */
  load1_per_core: z.number(),
  /** Load average over five minutes per core, in percent: the column "CPU" of the clients. */
  load5_percent: z.number(),
  memory_percent: z.number(),
  memory_used_bytes: z.number(),
  memory_total_bytes: z.number(),
  /** The fullest file system. */
  disk_used_percent: z.number().nullable(),
  disk_mount: z.string().nullable(),
  /** Without loopback. */
  rx_bytes_per_s: z.number().nullable(),
  tx_bytes_per_s: z.number().nullable(),
  /** Sums over the services of the client; 100 is one core. Zero if none runs. */
  envoy_cpu_percent: z.number(),
  envoy_rss_bytes: z.number(),
  shield_cpu_percent: z.number(),
  shield_rss_bytes: z.number(),
});
export type HostPoint = z.infer<typeof hostPointSchema>;

/** In order of time. A step without a sample has no point: the client or its controller was away. */
export const hostSeriesSchema = z.object({ ...rangeFields, points: z.array(hostPointSchema) });
export type HostSeries = z.infer<typeof hostSeriesSchema>;

export const SHIELD_VERDICTS = ['allowed', 'blocked', 'detected', 'error'] as const;

/**
 * Counters of the filters.
 * allowed   requests that a policy covered and allowed
 * blocked   requests that it blocked
 * detected  findings of policies in mode `detect`, per request at most one per engine. The request is not stopped, so it
 *           also counts as allowed
 * errors    failures of engines. The policy's fail mode decides about the request, which also counts as allowed or blocked
 */
const countFields = {
  allowed: z.number().int(),
  blocked: z.number().int(),
  detected: z.number().int(),
  errors: z.number().int(),
};

/** Counts of one step that begins at `at`. */
export const shieldPointSchema = z.object({ at: timeSchema, ...countFields });
export type ShieldPoint = z.infer<typeof shieldPointSchema>;

/**
 * Counts that do not belong to a minute. Filters keep their counts for 60 minutes while the controller is away.
 * dropped    requests of older minutes: they are in no count
 * clock_off  requests that are counted in the minute of the report, because their own minute is more than a minute ahead
 *            of the controller's clock, or older than what filters keep
 */
const unplacedFields = { dropped: z.number().int(), clock_off: z.number().int() };

/**
 * In order of time. Counts belong to the minute in which the filter decided the requests, by its host's clock,
 * regardless of when the controller got them. A step without counts has no point: it is zero, or one of `gaps`.
 */
export const shieldSeriesSchema = z.object({
  ...rangeFields,
  points: z.array(shieldPointSchema),
  /**
   * Steps without a report of any filter, which are unknown rather than zero: the clients were disconnected or ran no filter.
   * Counts of disconnected clients come later. Steps before the first stored report are not listed.
   */
  gaps: z.array(timeSchema),
  /** Start of the steps that still grow: the current one, and for some seconds the previous one. Null: all are complete. */
  open_from: timeSchema.nullable(),
  unplaced: z.object(unplacedFields),
});
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
  /** Largest first; zero counts are left out. */
  counters: z.array(shieldCounterSchema),
  unplaced: z.object(unplacedFields),
  /** Time of the last stored count; null: never. */
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
  /** Digest of the bundle of all current policies of the service. */
  wanted_digest: z.string(),
  /** Digest of the bundle that the filter reports; null: it has none, or has not reported yet. */
  live_digest: z.string().nullable(),
  /**
   * Whether the filter runs the newest text of this policy, by the last report. It may be true with different digests, if
   * only other policies of the service differ. Null: never reported, or the live bundle is too old to say.
   */
  current: z.boolean().nullable(),
  /** Revision of this policy in the live bundle; null if it is not known. */
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
  /** Counts over all nodes, listed here or not, by `current`. */
  summary: z.object({
    nodes: z.number().int(),
    current: z.number().int(),
    outdated: z.number().int(),
    unknown: z.number().int(),
  }),
});
export type PolicyNodes = z.infer<typeof policyNodesSchema>;

/** The part of one policy in a bundle that a filter reports by its digest. */
export const policyInBundleSchema = z.object({
  /** Whether its text is the newest. Null: the bundle is too old to say. */
  current: z.boolean().nullable(),
  /** Its revision in the bundle; null if it is not known, or if the bundle does not contain the policy. */
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
    summary: 'Read load, memory, disk and network of a client over time',
    tag: 'Clients',
    family: 'clients',
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
    summary: 'Read how many requests the filters allowed, blocked and detected over time',
    tag: 'Policies',
    family: 'policies',
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
    summary: 'Read the counters of the filters by policy, engine and reason',
    tag: 'Policies',
    family: 'policies',
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
    summary: 'List the proxies that should run a policy, with the revision that each runs',
    tag: 'Policies',
    family: 'policies',
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
    summary: 'Find the revision of a policy in a bundle, such as one that decided a request',
    tag: 'Policies',
    family: 'policies',
    access: readers,
    project: 'query',
    needs: { kind: 'policy', level: 'view', param: 'name', by: 'name' },
    audit: null,
    params: z.strictObject({ name: nameSchema, digest: z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex') }),
    /** The service of the bundle, with its current policies; without one, the bundle of this policy alone. */
    query: z.strictObject({ project: idSchema, service_id: idSchema.optional() }),
    status: 200,
    response: policyInBundleSchema,
  }),
};
