import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { EDITORS, READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, dryRunQuery, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';
import { ALERT_SEVERITIES } from './alert-words.ts';

/**
 * pending   the condition holds, but not yet as long as the rule wants
 * firing    it has held long enough
 * resolved  it does not hold any more
 */
export const ALERT_STATES = ['pending', 'firing', 'resolved'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

export const ALERT_SUBJECT_KINDS = ['service', 'client', 'document', 'authority', 'job', 'project', 'finding'] as const;

export const alertSchema = z.object({
  id: idSchema,
  /** Equal for all alerts of one rule about one object. */
  fingerprint: z.string(),
  /** The id is null if the rule was deleted. */
  rule: z.object({ id: idSchema.nullable(), name: z.string() }),
  condition: z.string(),
  severity: z.enum(ALERT_SEVERITIES),
  state: z.enum(ALERT_STATES),
  subject: z.object({
    kind: z.enum(ALERT_SUBJECT_KINDS),
    /** Id of the service, client, document or finding; for a job, of the one that failed last. */
    id: idSchema.nullable(),
    name: z.string(),
    /** Place of a document. */
    collection: z.string().optional(),
    version: z.string().optional(),
  }),
  /** Labels of the document, or metadata of the client. */
  labels: z.record(z.string(), z.string()),
  /** Says what is wrong, for people. */
  summary: z.string(),
  /** When the condition began to hold. */
  since: timeSchema,
  /** Since when the traffic that the condition compares is unknown. Until it is known, the alert keeps its state. */
  unknown_since: timeSchema.nullable(),
  fired_at: timeSchema.nullable(),
  resolved_at: timeSchema.nullable(),
  /** How often the alert fired within the last hours. The more often, the longer it stays firing after its condition ended. */
  fires: z.number().int(),
  acknowledged_at: timeSchema.nullable(),
  acknowledged_by: z.string().nullable(),
  silenced_until: timeSchema.nullable(),
  silenced_by: z.string().nullable(),
  /** When channels were last sent a message about it. */
  notified_at: timeSchema.nullable(),
});
export type AlertView = z.infer<typeof alertSchema>;

const count = z.number().int();
export const ALERT_SUMMARY_FIRST = 5;

const alertSummarySchema = z.object({
  firing: count,
  critical: count,
  warning: count,
  info: count,
  /** Part of `firing`. */
  acknowledged: count,
  /** The first five that are firing: not acknowledged, worst and newest first. */
  first: z.array(alertSchema),
});
export type AlertSummary = z.infer<typeof alertSummarySchema>;

export const ALERT_SILENCE_MAX_DAYS = 90;

const params = z.strictObject({ alert_id: idSchema.describe('Id of an alert') });
const query = z.strictObject({ project: idSchema });
const writeQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const shared = { tag: 'Alerts', family: 'events', project: 'query' } as const;
const read = { ...shared, access: { kind: 'roles', roles: READERS }, audit: null } as const;
const write = { ...shared, access: { kind: 'roles', roles: EDITORS } } as const;

export const alertRoutes = {
  list: defineRoute({
    id: 'listAlerts',
    method: 'GET',
    path: '/api/v3/alerts',
    summary: 'List active alerts and those of the last 90 days',
    ...read,
    query: z.strictObject({
      ...listQuery,
      state: repeatable(z.enum(ALERT_STATES)).optional(),
      severity: repeatable(z.enum(ALERT_SEVERITIES)).optional(),
      rule_id: repeatable(idSchema).optional().describe('Only alerts of these rules'),
      acknowledged: booleanQuerySchema.optional().describe('Whether somebody has acknowledged the alert'),
      with_total: booleanQuerySchema.optional(),
    }),
    status: 200,
    response: listOf(alertSchema),
  }),
  summary: defineRoute({
    id: 'readAlertSummary',
    method: 'GET',
    path: '/api/v3/alerts/summary',
    summary: 'Count the alerts that are firing',
    ...read,
    query,
    status: 200,
    response: alertSummarySchema,
  }),
  get: defineRoute({
    id: 'getAlert',
    method: 'GET',
    path: '/api/v3/alerts/:alert_id',
    summary: 'Read an alert',
    ...read,
    params,
    query,
    status: 200,
    response: alertSchema,
  }),
  acknowledge: defineRoute({
    id: 'acknowledgeAlert',
    method: 'POST',
    path: '/api/v3/alerts/:alert_id/acknowledge',
    summary: 'Say that somebody takes care of an alert, so that no reminder is sent; false takes it back',
    ...write,
    audit: 'alert.acknowledge',
    params,
    query: writeQuery,
    body: z.strictObject({ acknowledged: z.boolean() }),
    status: 200,
    response: alertSchema,
  }),
  silence: defineRoute({
    id: 'silenceAlert',
    method: 'POST',
    path: '/api/v3/alerts/:alert_id/silence',
    summary: 'Send no message about an alert until a time; null ends the silence',
    ...write,
    audit: 'alert.silence',
    params,
    query: writeQuery,
    body: z.strictObject({ until: timeSchema.nullable() }),
    status: 200,
    response: alertSchema,
  }),
};

export const alertsTopics = [defineTopic('alert', 'members', {})] as const;

export const alertsAuditWords = defineAuditWords({
  actions: {
    'alert.acknowledge': 'acknowledge alert',
    'alert.silence': 'silence alert',
  },
});
