import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, listOf, repeatable, timeSchema } from '../schemas.ts';
import { inventoryOperationParams } from './inventory.ts';
import { INVENTORY_PATH } from './inventory-routes.ts';
import { trafficEventSchema, trafficGroupSchema, trafficReadFields } from './traffic-event-answers.ts';
import {
  trafficDimensionSchema,
  trafficEventIdSchema,
  trafficFilterQuery,
  trafficPageQuery,
} from './traffic-event-filters.ts';

/** Values of a facet, and facets of an answer. */
export const TRAFFIC_FACET_VALUES = 10;
export const TRAFFIC_FACETS_MAX = 12;

/** Live streams per user or API token, and per controller. */
export const TRAFFIC_STREAMS_PER_ACTOR = 5;
export const TRAFFIC_STREAMS_MAX = 100;
/** A stream ends after this time. The reader continues with the id of the last event. */
export const TRAFFIC_STREAM_MAX_MS = 30 * 60_000;

/** Newest first. */
export const trafficEventListSchema = listOf(trafficEventSchema).extend({
  ...trafficReadFields,
  /** The largest values of each requested column in the whole range, not only on this page. Only on the first page. */
  facets: z.partialRecord(trafficDimensionSchema, z.array(trafficGroupSchema)).optional(),
});
export type TrafficEventList = z.infer<typeof trafficEventListSchema>;

/**
 * The `data` of the events named `skipped`: the reader or the store was too slow for the traffic, so these requests are not on the
 * stream. `requests` null: not counted.
 */
export const trafficSkippedSchema = z.object({ from: timeSchema, to: timeSchema, requests: z.number().nullable() });
export type TrafficSkipped = z.infer<typeof trafficSkippedSchema>;

/** The `data` of the events named `problem`. The stream tries again. */
export const trafficProblemSchema = z.object({ code: z.string(), message: z.string() });

/**
 * The `data` of the first event, named `hello`. `resumed`: the events after the id that the reader named follow. Those of the last seconds
 * before it may come a second time: requests arrive late. `key_ids` as in lists.
 */
export const trafficHelloSchema = z.object({ resumed: z.boolean(), key_ids: z.array(z.string()).nullable() });

/**
 * The `data` of the last event, named `end`.
 * time     the stream was open for as long as one may be: continue with the last id
 * session  the session, the account or the role has changed: connect again with valid credentials
 * closing  the controller stops: continue with the last id
 */
export const trafficEndSchema = z.object({ reason: z.enum(['time', 'session', 'closing']) });

const { operation_id: _, ...filtersOfOperation } = trafficPageQuery;
const facets = repeatable(trafficDimensionSchema)
  .refine((names) => names.length <= TRAFFIC_FACETS_MAX, `at most ${TRAFFIC_FACETS_MAX} columns`)
  .optional()
  .describe('Columns whose largest values are counted, too');

export const trafficEventRead = {
  method: 'GET',
  tag: 'API inventory',
  family: 'inventory',
  access: { kind: 'roles', roles: READERS },
  project: 'query',
  audit: null,
  status: 200,
} as const;

export const trafficEventRoutes = {
  list: defineRoute({
    ...trafficEventRead,
    id: 'listTrafficEvents',
    path: `${INVENTORY_PATH}/events`,
    summary: 'List the requests of the project, newest first',
    query: z.strictObject({ ...trafficPageQuery, facets }),
    response: trafficEventListSchema,
  }),
  live: defineRoute({
    ...trafficEventRead,
    id: 'streamTrafficEvents',
    path: `${INVENTORY_PATH}/events/live`,
    summary: 'Follow the requests of the project as server-sent events: hello, event, skipped, problem, heartbeat, end',
    rate: 'command',
    media: 'text/event-stream',
    query: z.strictObject({
      project: idSchema,
      ...trafficFilterQuery,
      last_event_id: trafficEventIdSchema
        .optional()
        .describe('Id of the last event that the reader saw, if it cannot send the header Last-Event-ID'),
    }),
    /** The `data` of the events named `event`. Their ids are those of the requests; drop one that was there already. */
    response: trafficEventSchema,
  }),
  get: defineRoute({
    ...trafficEventRead,
    id: 'getTrafficEvent',
    path: `${INVENTORY_PATH}/events/:event_id`,
    summary: 'Read a request',
    params: z.strictObject({ event_id: trafficEventIdSchema.describe('Id of a request') }),
    query: z.strictObject({ project: idSchema }),
    response: trafficEventSchema,
  }),
  ofOperation: defineRoute({
    ...trafficEventRead,
    id: 'listOperationEvents',
    path: `${INVENTORY_PATH}/:operation_id/events`,
    summary: 'List the requests of an operation, newest first',
    params: inventoryOperationParams,
    query: z.strictObject({ ...filtersOfOperation, facets }),
    response: trafficEventListSchema,
  }),
};
