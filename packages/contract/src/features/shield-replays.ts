import * as z from 'zod';
import { idSchema, timeSchema } from '../schemas.ts';
import { SHIELD_SEVERITIES } from './shield-events.ts';

/** Limits of one replay: characters of recorded requests as text, and events of the project. */
export const REPLAY_TEXT_MAX_CHARS = 16 * 1024 * 1024;
export const REPLAY_EVENTS_MAX = 50_000;
export const REPLAY_TRAFFIC_MAX = 20_000;

export const REPLAY_FORMATS = ['auto', 'jsonl', 'har', 'envoy'] as const;

export const recordsSchema = z.discriminatedUnion('source', [
  z.strictObject({
    /** JSON lines, HAR 1.2 or an Envoy access log. */
    source: z.literal('text'),
    text: z.string().min(1).max(REPLAY_TEXT_MAX_CHARS),
    /** Default: derived from the text. */
    format: z.enum(REPLAY_FORMATS).optional(),
    /** Name of the records in the report. */
    name: z.string().min(1).max(256).optional(),
  }),
  z.strictObject({
    /** Requests that the project's filters blocked or detected: the newest 50,000 of the time. They have no headers and no body. */
    source: z.literal('events'),
    from: timeSchema.optional(),
    to: timeSchema.optional(),
    service_id: idSchema.optional(),
  }),
  z.strictObject({
    /**
     * Requests of the event store, at most 7 days: the newest 20,000 events, each with its weight. They have the template of the path, the kind of
     * credentials, and hashes of consumer and source, but no header, query, body or address.
     */
    source: z.literal('traffic'),
    from: timeSchema.optional(),
    to: timeSchema.optional(),
    service_id: idSchema.optional(),
    /** The whole host. */
    host: z.string().min(1).max(255).optional(),
  }),
]);
export type ReplayRecords = z.infer<typeof recordsSchema>;

const listed = <T extends z.ZodType>(item: T) => z.array(item).readonly();
const count = z.number().int();
const outcomes = z.object({ allowed: count, blocked: count, detected: count });
const flips = { allow_to_block: count, block_to_allow: count, other_reason: count, detection_changed: count };

const totalsSchema = z.object({
  requests: count,
  bad_records: count,
  out_of_order: count,
  without_time: count,
  without_status: count,
  baseline: outcomes,
  candidate: outcomes,
  flips: count,
  ...flips,
  /** Requests that the candidate might block if the record were complete. They count with their recorded answer. */
  undetermined: count,
});

/** The groups with the most flips first; `others` sums up the rest. */
const groupsSchema = z.object({
  groups: listed(z.object({ name: z.string(), requests: count, ...flips })),
  others: z.object({ requests: count, flips: count }),
});

const verdictSchema = z.object({
  verdict: z.enum(['allowed', 'blocked', 'detected']),
  policy: z.string().nullable(),
  route: z.string().nullable(),
  engine: z.string().nullable(),
  reason: z.string().nullable(),
  severity: z.enum(SHIELD_SEVERITIES).nullable(),
  status: z.number().int().nullable(),
});

const sampleSchema = z.object({
  flip: z.enum(['allow_to_block', 'block_to_allow', 'other_reason', 'detection_changed']),
  time: z.string().nullable(),
  method: z.string(),
  host: z.string(),
  /** Without the query. */
  path: z.string(),
  source_ip: z.string(),
  baseline: verdictSchema,
  candidate: verdictSchema,
  /** True if the record lacks something that an engine needs. */
  is_undetermined: z.boolean(),
  file: z.string(),
  line: count,
});

/** The verdicts of a policy on recorded requests, compared with another policy or with the recorded answers. */
export const replayReportSchema = z.object({
  candidate: z.object({ digest: z.string() }),
  /** `recorded`: no baseline was given, so the recorded status counts: 403 and 429 are blocks. */
  baseline: z.object({ kind: z.enum(['policy', 'recorded']), digest: z.string().nullable() }),
  totals: totalsSchema,
  from: z.string().nullable(),
  to: z.string().nullable(),
  by_policy: groupsSchema,
  by_route: groupsSchema,
  by_engine: groupsSchema,
  by_reason: groupsSchema,
  by_client: groupsSchema,
  by_host: groupsSchema,
  /** A few of each kind of flip. */
  samples: listed(sampleSchema),
  /** Parts that an engine needs and the records lack. */
  missing: listed(z.object({ what: z.string(), engine: z.string(), requests: count })),
  /** For recorded traffic: the part of the window that was replayed. */
  traffic: z
    .object({
      from: timeSchema,
      to: timeSchema,
      /** Events that were replayed, and the requests that they stand for. */
      events: count,
      requests: count,
      /** Requests of the whole window. */
      total_requests: count,
      /** The oldest event that was replayed; null without one. */
      replayed_from: timeSchema.nullable(),
      /** The window has more events than were replayed. */
      truncated: z.boolean(),
      /** Replayed events that stand for several requests. A limiter took one token for each event. */
      sampled_events: count,
      /** Requests that are no HTTP request, or whose path the event store no longer had. They were not replayed. */
      left_out: count,
    })
    .optional(),
  /** The first ones; `totals.bad_records` has their number. */
  bad_records: listed(z.object({ file: z.string(), line: count, why: z.string() })),
});
export type ReplayReport = z.infer<typeof replayReportSchema>;
