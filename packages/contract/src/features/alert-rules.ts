import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { createFail } from '../errors/define.ts';
import { ADMINS, READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, nameSchema, observed, repeatable, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';
import {
  ALERT_QUANTILES,
  ALERT_SERVICE_STATES,
  ALERT_SEVERITIES,
  ALERT_WINDOW_MAX_S,
  type AlertTrafficKind,
  WEEKDAYS,
} from './alert-words.ts';
import { CONFIG_ERROR_SEVERITIES } from './config-errors.ts';
import { FINDING_ALERT_STATES, FINDING_SEVERITIES } from './finding-words.ts';

export const ALERT_RULES_MAX = 100;
export const ALERT_CHANNELS_MAX = 20;

const DAY_S = 86_400;

/** Whole minutes, which end at the last full minute of which all reports have arrived. */
const windowSchema = z.number().int().min(60).max(ALERT_WINDOW_MAX_S).multipleOf(60);
/** With fewer requests in the window, the condition does not hold. */
const minRequestsSchema = z.number().int().min(1).max(1_000_000_000);

/**
 * The condition that a rule watches. Each object that meets the condition is one alert.
 * service_health         the service is in one of these states
 * client_offline         no controller holds a connection to the agent of the client
 * certificate_expiry     a certificate in a document, or the CA of the clients, expires within so many days
 * configuration_refused  the service has active configuration errors of these severities
 * job_failed             the last job of its type and object failed, less than a day ago; no types: every type
 * backup_missing         the project has no backup that is younger than so many hours
 * error_share            more than so many percent of the responses of the service in the window are 5xx
 * latency                a quantile of the latencies of the service in the window is above so many milliseconds
 * request_rate           the service has more, or fewer, requests per second in the window
 * finding                a finding of the traffic is at least so severe and in one of these states; each is one alert, the worst 1,000 of them
 *
 * Traffic that no node reported is unknown: it neither fires nor resolves an alert.
 */
export const alertConditionSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('service_health'),
    states: z.array(z.enum(ALERT_SERVICE_STATES)).min(1).max(ALERT_SERVICE_STATES.length),
  }),
  z.strictObject({ kind: z.literal('client_offline') }),
  z.strictObject({ kind: z.literal('certificate_expiry'), days: z.number().int().min(1).max(365) }),
  z.strictObject({
    kind: z.literal('configuration_refused'),
    severities: z.array(z.enum(CONFIG_ERROR_SEVERITIES)).min(1).max(CONFIG_ERROR_SEVERITIES.length),
  }),
  z.strictObject({ kind: z.literal('job_failed'), types: z.array(z.string().min(1).max(128)).max(50) }),
  z.strictObject({
    kind: z.literal('backup_missing'),
    hours: z
      .number()
      .int()
      .min(1)
      .max(365 * 24),
  }),
  z.strictObject({
    kind: z.literal('error_share'),
    above_percent: z.number().min(0).lt(100),
    window_s: windowSchema,
    min_requests: minRequestsSchema,
  }),
  z.strictObject({
    kind: z.literal('latency'),
    quantile: z.enum(ALERT_QUANTILES),
    above_ms: z.number().min(0).max(3_600_000),
    window_s: windowSchema,
    min_requests: minRequestsSchema,
  }),
  z.strictObject({
    kind: z.literal('request_rate'),
    is: z.enum(['above', 'below']),
    per_s: z.number().min(0).max(1_000_000_000),
    window_s: windowSchema,
  }),
  z.strictObject({
    kind: z.literal('finding'),
    min_severity: z.enum(FINDING_SEVERITIES),
    states: z.array(z.enum(FINDING_ALERT_STATES)).min(1).max(FINDING_ALERT_STATES.length),
  }),
]);
export type AlertCondition = z.infer<typeof alertConditionSchema>;
export type AlertConditionKind = AlertCondition['kind'];
export type AlertTrafficCondition = Extract<AlertCondition, { kind: AlertTrafficKind }>;

const clockSchema = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as 22:00');

/**
 * Messages wait until the quiet hours are over. Times are on the wall clock of the time zone. If `to` is not after `from`, the
 * quiet hours end on the next day; `weekdays` are the days on which they begin.
 */
export const quietHoursSchema = z.strictObject({
  time_zone: z.string().min(1).max(64).refine(isTimeZone, 'an IANA name such as Europe/Berlin'),
  weekdays: z.array(z.enum(WEEKDAYS)).min(1).max(7),
  from: clockSchema,
  to: clockSchema,
});
export type QuietHours = z.infer<typeof quietHoursSchema>;

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Restricts a rule to some objects; an empty selector selects all. `names` may contain `*`. `labels` are those of a document, or
 * the metadata of a client; all of them have to match.
 */
export const alertSelectorSchema = z.strictObject({
  names: z.array(z.string().min(1).max(384)).max(50),
  labels: z
    .record(z.string().min(1).max(128), z.string().max(256))
    .refine((labels) => Object.keys(labels).length <= 20, 'at most 20 labels'),
});

const values = {
  name: nameSchema,
  enabled: z.boolean(),
  condition: alertConditionSchema,
  /** How long the condition has to hold, counted from its beginning. */
  for_s: z.number().int().min(0).max(DAY_S),
  severity: z.enum(ALERT_SEVERITIES),
  /** The channels that get the messages; none: the alert is only shown. */
  channels: z
    .array(idSchema)
    .max(ALERT_CHANNELS_MAX)
    .refine((ids) => new Set(ids).size === ids.length, 'names a channel twice'),
  quiet_hours: quietHoursSchema.nullable(),
  /** Interval of reminders while an alert is neither acknowledged nor silenced; null: none. */
  repeat_s: z
    .number()
    .int()
    .min(300)
    .max(7 * DAY_S)
    .nullable(),
  selector: alertSelectorSchema,
};
const bodySchema = z.strictObject(values);
const newSchema = bodySchema.extend({
  enabled: values.enabled.default(true),
  for_s: values.for_s.default(60),
  severity: values.severity.default('warning'),
  channels: values.channels.default([]),
  quiet_hours: values.quiet_hours.default(null),
  repeat_s: values.repeat_s.default(null),
  selector: alertSelectorSchema.default({ names: [], labels: {} }),
});
export type AlertRuleValues = z.infer<typeof bodySchema>;

export const alertRuleSchema = z.object({
  id: idSchema,
  project: idSchema,
  ...values,
  /** Until then the rule sends nothing. */
  silenced_until: timeSchema.nullable(),
  silenced_by: z.string().nullable(),
  /** Alerts of the rule that are firing now. */
  firing: observed(z.number().int()),
  created_at: timeSchema,
  updated_at: timeSchema,
  updated_by: z.string(),
  revision: z.number().int(),
});
export type AlertRuleView = z.infer<typeof alertRuleSchema>;

const params = z.strictObject({ rule_id: idSchema.describe('Id of an alert rule') });
const query = z.strictObject({ project: idSchema });
const writeQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const shared = { tag: 'Alerts', project: 'query' } as const;
const read = { ...shared, family: 'settings', access: { kind: 'roles', roles: READERS }, audit: null } as const;
const write = { ...shared, family: 'settings', access: { kind: 'roles', roles: ADMINS } } as const;

export const alertRuleRoutes = {
  list: defineRoute({
    id: 'listAlertRules',
    method: 'GET',
    path: '/api/v3/alert-rules',
    summary: 'List the alert rules of the project',
    ...read,
    query: z.strictObject({
      ...listQuery,
      severity: repeatable(z.enum(ALERT_SEVERITIES)).optional(),
      channel_id: repeatable(idSchema).optional().describe('Only rules that use one of these channels'),
    }),
    status: 200,
    response: listOf(alertRuleSchema),
  }),
  create: defineRoute({
    id: 'createAlertRule',
    method: 'POST',
    path: '/api/v3/alert-rules',
    summary: 'Create an alert rule',
    ...write,
    audit: 'alert_rule.create',
    query: writeQuery,
    body: newSchema,
    status: 201,
    response: alertRuleSchema,
  }),
  get: defineRoute({
    id: 'getAlertRule',
    method: 'GET',
    path: '/api/v3/alert-rules/:rule_id',
    summary: 'Read an alert rule',
    ...read,
    params,
    query,
    status: 200,
    response: alertRuleSchema,
  }),
  replace: defineRoute({
    id: 'replaceAlertRule',
    method: 'PUT',
    path: '/api/v3/alert-rules/:rule_id',
    summary: 'Replace an alert rule; alerts that it does not watch any more end',
    ...write,
    audit: 'alert_rule.update',
    params,
    query: writeQuery,
    body: bodySchema,
    status: 200,
    response: alertRuleSchema,
  }),
  patch: defineRoute({
    id: 'patchAlertRule',
    method: 'PATCH',
    path: '/api/v3/alert-rules/:rule_id',
    summary: 'Change an alert rule, but not its condition and selector',
    ...write,
    audit: 'alert_rule.update',
    params,
    query: writeQuery,
    body: bodySchema
      .pick({ name: true, enabled: true, for_s: true, severity: true, channels: true, repeat_s: true })
      .partial(),
    status: 200,
    response: alertRuleSchema,
  }),
  delete: defineRoute({
    id: 'deleteAlertRule',
    method: 'DELETE',
    path: '/api/v3/alert-rules/:rule_id',
    summary: 'Delete an alert rule; its alerts end, and no message is sent about that',
    ...write,
    audit: 'alert_rule.delete',
    params,
    query: writeQuery,
    status: 204,
  }),
  silence: defineRoute({
    id: 'silenceAlertRule',
    method: 'POST',
    path: '/api/v3/alert-rules/:rule_id/silence',
    summary: 'Send no message of a rule until a time; null ends the silence',
    ...write,
    audit: 'alert_rule.silence',
    params,
    query: writeQuery,
    body: z.strictObject({ until: timeSchema.nullable() }),
    status: 200,
    response: alertRuleSchema,
  }),
};

export const ALERT_RULE_ERRORS = {
  'alert_rule.too_many': { status: 409, message: 'The project has {max} alert rules, which is the limit. Delete one.' },
  'alert_rule.unknown_channel': {
    status: 400,
    message: 'The project has no alert channel {id}. Choose one of its channels.',
  },
  'alert.silence_range': {
    status: 400,
    message: 'A silence ends in the future and within {days} days. Choose another end.',
  },
} as const;
export const failAlertRule = createFail(ALERT_RULE_ERRORS);

export const alertRulesTopics = [defineTopic('alert_rule', 'members', { rule_id: idSchema.optional() })] as const;

export const alertRulesAuditWords = defineAuditWords({
  actions: {
    'alert_rule.silence': 'silence alert rule',
  },
});
