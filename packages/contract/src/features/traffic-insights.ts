import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { inventoryOperationParams } from './inventory.ts';
import { INVENTORY_PATH } from './inventory-routes.ts';
import {
  TRAFFIC_GRANULARITIES,
  trafficDimensionSchema,
  trafficHashSchema,
  trafficQuery,
  trafficWindowQuery,
} from './traffic-event-filters.ts';
import { trafficEventRead } from './traffic-events.ts';
import {
  trafficBotsSchema,
  trafficComparisonSchema,
  trafficConsumerDetailSchema,
  trafficConsumersSchema,
  trafficErrorsSchema,
  trafficGeoSchema,
  trafficLatencyMapSchema,
  trafficOverviewSchema,
  trafficPostureSchema,
  trafficStatsSchema,
  trafficTopSchema,
  trafficTransportSchema,
} from './traffic-insight-answers.ts';
import { trafficScoreSchema } from './traffic-score.ts';

export const TRAFFIC_TOP_MAX = 200;
export const TRAFFIC_TOP_DEFAULT = 10;
export const TRAFFIC_TOP_ORDERS = [
  'requests',
  'server_errors',
  'client_errors',
  'response_bytes',
  'latency_max',
  'risk_max',
] as const;

/** Times in which batches of requests were lost, by service and client. Nothing else is known of them. */
export const trafficGapSchema = z.object({
  service_id: idSchema,
  service_name: z.string().nullable(),
  client_id: idSchema,
  client_name: z.string().nullable(),
  /** The minute in which the loss was noticed. */
  at: timeSchema,
  /** Batches that never came; a batch has at most 10,000 requests and covers at most half a second of one listener. */
  batches: z.number().int(),
});
export type TrafficGap = z.infer<typeof trafficGapSchema>;

/** Batches on the disk of a host that are not stored yet. They are not lost: the host sends them, oldest first. A few wait at any time. */
export const trafficBacklogSchema = z.object({
  service_id: idSchema,
  service_name: z.string(),
  client_id: idSchema,
  client_name: z.string(),
  batches: z.number().int(),
  bytes: z.number().int(),
  /** When the oldest of them was written, as the clock of the host shows it. */
  oldest_at: timeSchema.nullable(),
  /** Batches that this host has dropped since its agent started. */
  dropped_batches: z.number().int(),
  /** When the host reported this. It does so every few seconds while it is connected. */
  reported_at: timeSchema,
});
export type TrafficBacklog = z.infer<typeof trafficBacklogSchema>;

// Each of these reads all requests of the range.
const shared = { ...trafficEventRead, rate: 'trial' } as const;
const top = z.coerce
  .number()
  .int()
  .min(1)
  .max(TRAFFIC_TOP_MAX)
  .optional()
  .describe('Maximum number of groups; 10 by default');
const granularity = z
  .enum(TRAFFIC_GRANULARITIES)
  .optional()
  .describe('Length of a step. Default: a minute up to two hours, an hour up to two days, otherwise a day');
const { operation_id: _, ...queryOfOperation } = trafficQuery;
const seriesQuery = {
  granularity,
  by: trafficDimensionSchema.optional().describe('Column that splits the series into its twenty largest values'),
  uniques: booleanQuerySchema.optional().describe('Also counts different consumers and sources in each step'),
};

export const trafficInsightRoutes = {
  stats: defineRoute({
    ...shared,
    id: 'readTrafficStats',
    path: `${INVENTORY_PATH}/stats`,
    summary: 'Read requests, errors, latency, bytes and risk of the project over time',
    query: z.strictObject({ ...trafficQuery, ...seriesQuery }),
    response: trafficStatsSchema,
  }),
  statsOfOperation: defineRoute({
    ...shared,
    id: 'readOperationStats',
    path: `${INVENTORY_PATH}/:operation_id/stats`,
    summary: 'Read requests, errors, latency, bytes and risk of an operation over time',
    params: inventoryOperationParams,
    query: z.strictObject({ ...queryOfOperation, ...seriesQuery }),
    response: trafficStatsSchema,
  }),
  posture: defineRoute({
    ...trafficEventRead,
    id: 'readOperationPosture',
    path: `${INVENTORY_PATH}/:operation_id/current-posture`,
    summary: 'Read the risk of an operation by its requests of the last days',
    params: inventoryOperationParams,
    query: z.strictObject({
      project: idSchema,
      window_days: z.coerce.number().int().min(1).max(7).optional().describe('Days before now; 7 by default'),
    }),
    response: trafficPostureSchema,
  }),
  overview: defineRoute({
    ...shared,
    id: 'readTrafficOverview',
    path: `${INVENTORY_PATH}/overview`,
    summary: 'Read totals, rates, statuses, a series and the largest groups of the requests at once',
    query: z.strictObject({ ...trafficQuery, top }),
    response: trafficOverviewSchema,
  }),
  top: defineRoute({
    ...shared,
    id: 'readTrafficTop',
    path: `${INVENTORY_PATH}/top`,
    summary: 'Rank the values of a column by requests, errors, bytes, latency or risk',
    query: z.strictObject({
      ...trafficQuery,
      by: trafficDimensionSchema.describe('Column whose values are ranked'),
      order: z.enum(TRAFFIC_TOP_ORDERS).optional().describe('Sum that decides the order; requests by default'),
      top,
    }),
    response: trafficTopSchema,
  }),
  latencyMap: defineRoute({
    ...shared,
    id: 'readLatencyMap',
    path: `${INVENTORY_PATH}/latency-map`,
    summary: 'Count the requests by time and latency, as a heat map shows them',
    query: z.strictObject({ ...trafficQuery }),
    response: trafficLatencyMapSchema,
  }),
  comparison: defineRoute({
    ...shared,
    id: 'compareTraffic',
    path: `${INVENTORY_PATH}/comparison`,
    summary: 'Compare the requests of two time ranges: sums, and what is new, gone or different',
    query: z.strictObject({
      ...trafficQuery,
      base_from: timeSchema.optional().describe('Start of the range to compare with; by default one of equal length'),
      base_to: timeSchema.optional().describe('End of the range to compare with; the start of the range by default'),
      top,
    }),
    response: trafficComparisonSchema,
  }),
  geo: defineRoute({
    ...shared,
    id: 'readTrafficGeo',
    path: `${INVENTORY_PATH}/geo`,
    summary: 'Read countries, networks, user agents and threat intelligence hits of the requests',
    query: z.strictObject({ ...trafficQuery, top }),
    response: trafficGeoSchema,
  }),
  consumers: defineRoute({
    ...shared,
    id: 'listTrafficConsumers',
    path: `${INVENTORY_PATH}/consumers`,
    summary: 'Rank the consumers of the APIs',
    query: z.strictObject({ ...trafficQuery, top }),
    response: trafficConsumersSchema,
  }),
  consumer: defineRoute({
    ...shared,
    id: 'getTrafficConsumer',
    path: `${INVENTORY_PATH}/consumers/:consumer_hash`,
    summary: 'Read what a consumer calls, from where, and with which results',
    params: z.strictObject({ consumer_hash: trafficHashSchema.describe('Hash of a consumer') }),
    query: z.strictObject({ project: idSchema, ...trafficWindowQuery, top }),
    response: trafficConsumerDetailSchema,
  }),
  bots: defineRoute({
    ...shared,
    id: 'listTrafficBots',
    path: `${INVENTORY_PATH}/bot-scanner`,
    summary: 'List the operations that scanners and bots call',
    query: z.strictObject({
      ...trafficQuery,
      kind: repeatable(z.enum(['scanner', 'bot']))
        .optional()
        .describe('Kinds of user agents; both by default'),
      top,
    }),
    response: trafficBotsSchema,
  }),
  transport: defineRoute({
    ...shared,
    id: 'readTrafficTransport',
    path: `${INVENTORY_PATH}/transport`,
    summary: 'Read how requests were encrypted, and which were not',
    query: z.strictObject({ ...trafficQuery, top }),
    response: trafficTransportSchema,
  }),
  errors: defineRoute({
    ...shared,
    id: 'readTrafficErrors',
    path: `${INVENTORY_PATH}/errors`,
    summary: 'Rank the operations by responses with errors',
    query: z.strictObject({
      ...trafficQuery,
      min_error_percentage: z.coerce
        .number()
        .min(0)
        .max(100)
        .optional()
        .describe('Smallest share of errors of an operation, in percent'),
      granularity,
      top,
    }),
    response: trafficErrorsSchema,
  }),
  score: defineRoute({
    ...shared,
    id: 'readSecurityScore',
    path: `${INVENTORY_PATH}/security-score`,
    summary: 'Grade the security of the APIs by their requests, and list what would raise the grade',
    query: z.strictObject({ ...trafficQuery }),
    response: trafficScoreSchema,
  }),
  gaps: defineRoute({
    ...trafficEventRead,
    id: 'listTrafficGaps',
    path: `${INVENTORY_PATH}/gaps`,
    summary: 'List the minutes in which requests were lost, newest first, and the requests that wait on hosts',
    query: z.strictObject({
      project: idSchema,
      ...trafficWindowQuery,
      service_id: repeatable(idSchema).optional().describe('Ids of services'),
      client_id: repeatable(idSchema).optional().describe('Ids of clients'),
      limit: listQuery.limit,
      cursor: listQuery.cursor,
    }),
    response: listOf(trafficGapSchema).extend({
      from: timeSchema,
      to: timeSchema,
      /** The largest backlogs now, at most 100; independent of the range. */
      waiting: z.array(trafficBacklogSchema),
    }),
  }),
};
