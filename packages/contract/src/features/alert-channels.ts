import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { createFail } from '../errors/define.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, nameSchema, observed, repeatable, timeSchema } from '../schemas.ts';
import { secret } from '../secret.ts';
import { defineTopic } from '../topics.ts';

const RECIPIENTS_MAX = 20;

/** An address without credentials: those would be shown with it. */
const urlSchema = z
  .url({ protocol: /^https?$/ })
  .max(2048)
  .refine(hasNoCredentials, 'has a user or a password; use a secret instead');

function hasNoCredentials(text: string): boolean {
  const url = URL.parse(text);
  return url === null || (url.username === '' && url.password === '');
}

const emailSchema = z.strictObject({
  kind: z.literal('email'),
  recipients: z.array(z.email().max(254)).min(1).max(RECIPIENTS_MAX),
});
const webhookFields = { kind: z.literal('webhook'), url: urlSchema };

/**
 * Where messages go. A secret that an existing channel keeps may be left out.
 * email    sent through the mail server in the settings of the installation
 * webhook  JSON by POST, signed with the secret (HMAC-SHA256)
 * slack    a text by POST, as Slack, Mattermost and others accept it; the address itself is the secret
 */
const targetSchema = z.discriminatedUnion('kind', [
  emailSchema,
  z.strictObject({ ...webhookFields, secret: secret(z.string().min(16).max(256)).optional() }),
  z.strictObject({
    kind: z.literal('slack'),
    url: secret(
      z
        .string()
        .max(2048)
        .regex(/^https?:\/\/[^\s@]+$/, 'an address that begins with https:// and has no user'),
    ).optional(),
  }),
]);
export type AlertTarget = z.infer<typeof targetSchema>;

const shownTargetSchema = z.discriminatedUnion('kind', [
  emailSchema,
  z.strictObject(webhookFields),
  z.strictObject({ kind: z.literal('slack') }),
]);
export type ShownAlertTarget = z.infer<typeof shownTargetSchema>;

const values = { name: nameSchema, enabled: z.boolean(), target: targetSchema };
const bodySchema = z.strictObject(values);
export type AlertChannelValues = z.infer<typeof bodySchema>;

export const ALERT_CHANNEL_STATES = ['unused', 'working', 'failing'] as const;

export const alertChannelSchema = z.object({
  id: idSchema,
  project: idSchema,
  name: z.string(),
  enabled: z.boolean(),
  target: shownTargetSchema,
  /** The secret, which is never returned. */
  private: z.array(z.object({ path: z.string(), set: z.literal(true), updated_at: timeSchema })),
  /** From the last delivery; unused: there was none. */
  state: observed(z.enum(ALERT_CHANNEL_STATES)),
  delivered_at: observed(timeSchema.nullable()),
  failing_since: observed(timeSchema.nullable()),
  last_error: observed(z.string().nullable()),
  created_at: timeSchema,
  updated_at: timeSchema,
  updated_by: z.string(),
  revision: z.number().int(),
});
export type AlertChannelView = z.infer<typeof alertChannelSchema>;

/** The outcome of a test message. `message` says what happened and never contains a secret. */
const trialSchema = z.object({ ok: z.boolean(), latency_ms: z.number().int(), message: z.string() });
export type AlertTrial = z.infer<typeof trialSchema>;

export const ALERT_DELIVERY_STATUSES = ['waiting', 'sending', 'delivered', 'failed'] as const;

/** One message to one channel. */
export const alertDeliverySchema = z.object({
  id: idSchema,
  channel: z.object({ id: idSchema, name: z.string() }),
  kind: z.enum(['alerts', 'test']),
  title: z.string(),
  /** Alerts that the message covers. */
  firing: z.number().int(),
  resolved: z.number().int(),
  status: z.enum(ALERT_DELIVERY_STATUSES),
  attempts: z.number().int(),
  /** Why the last attempt failed. */
  error: z.string().nullable(),
  created_at: timeSchema,
  delivered_at: timeSchema.nullable(),
});
export type AlertDeliveryView = z.infer<typeof alertDeliverySchema>;

const params = z.strictObject({ channel_id: idSchema.describe('Id of an alert channel') });
const query = z.strictObject({ project: idSchema });
const writeQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const shared = {
  tag: 'Alerts',
  family: 'settings',
  project: 'query',
  access: { kind: 'roles', roles: ADMINS },
} as const;

export const alertChannelRoutes = {
  list: defineRoute({
    id: 'listAlertChannels',
    method: 'GET',
    path: '/api/v3/alert-channels',
    summary: 'List the alert channels of the project',
    ...shared,
    audit: null,
    query: z.strictObject(listQuery),
    status: 200,
    response: listOf(alertChannelSchema),
  }),
  create: defineRoute({
    id: 'createAlertChannel',
    method: 'POST',
    path: '/api/v3/alert-channels',
    summary: 'Create an alert channel',
    ...shared,
    audit: 'alert_channel.create',
    query: writeQuery,
    body: bodySchema.extend({ enabled: values.enabled.default(true) }),
    status: 201,
    response: alertChannelSchema,
  }),
  get: defineRoute({
    id: 'getAlertChannel',
    method: 'GET',
    path: '/api/v3/alert-channels/:channel_id',
    summary: 'Read an alert channel',
    ...shared,
    audit: null,
    params,
    query,
    status: 200,
    response: alertChannelSchema,
  }),
  replace: defineRoute({
    id: 'replaceAlertChannel',
    method: 'PUT',
    path: '/api/v3/alert-channels/:channel_id',
    summary: 'Replace an alert channel; a secret that is left out is kept',
    ...shared,
    audit: 'alert_channel.update',
    params,
    query: writeQuery,
    body: bodySchema,
    status: 200,
    response: alertChannelSchema,
  }),
  patch: defineRoute({
    id: 'patchAlertChannel',
    method: 'PATCH',
    path: '/api/v3/alert-channels/:channel_id',
    summary: 'Change the name of an alert channel, or switch it on or off',
    ...shared,
    audit: 'alert_channel.update',
    params,
    query: writeQuery,
    body: bodySchema.pick({ name: true, enabled: true }).partial(),
    status: 200,
    response: alertChannelSchema,
  }),
  delete: defineRoute({
    id: 'deleteAlertChannel',
    method: 'DELETE',
    path: '/api/v3/alert-channels/:channel_id',
    summary: 'Delete an alert channel that no rule uses, with its history of messages',
    ...shared,
    audit: 'alert_channel.delete',
    params,
    query: writeQuery,
    status: 204,
  }),
  test: defineRoute({
    id: 'testAlertChannel',
    method: 'POST',
    path: '/api/v3/alert-channels/:channel_id/test',
    summary: 'Send a test message; the answer is 200 even if the receiver does not accept it',
    ...shared,
    audit: 'alert_channel.test',
    rate: 'trial',
    params,
    query: writeQuery,
    status: 200,
    response: trialSchema,
  }),
  deliveries: defineRoute({
    id: 'listAlertDeliveries',
    method: 'GET',
    path: '/api/v3/alert-deliveries',
    summary: 'List the messages of the last 30 days, newest first',
    ...shared,
    audit: null,
    query: z.strictObject({
      ...listQuery,
      channel_id: repeatable(idSchema).optional().describe('Only messages to these channels'),
      status: repeatable(z.enum(ALERT_DELIVERY_STATUSES)).optional(),
    }),
    status: 200,
    response: listOf(alertDeliverySchema),
  }),
};

export const ALERT_CHANNEL_ERRORS = {
  'alert_channel.too_many': {
    status: 409,
    message: 'The project has {max} alert channels, which is the limit. Delete one.',
  },
  'alert_channel.in_use': {
    status: 409,
    message: 'The alert channel {name} is in use by the rules {rules}. Remove it from them first.',
  },
  'alert_channel.secret_needed': { status: 400, message: 'The alert channel needs {what}. Send it in {path}.' },
  'alert_channel.address': { status: 400, message: 'The alert channel cannot send to {host}: {reason}.' },
} as const;
export const failAlertChannel = createFail(ALERT_CHANNEL_ERRORS);

export const alertChannelsTopics = [
  /** A channel, or the messages to it. */
  defineTopic('alert_channel', 'admins', { channel_id: idSchema.optional() }),
] as const;

export const alertChannelsAuditWords = defineAuditWords({
  actions: {
    'alert_channel.test': 'test alert channel',
  },
});
