import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { createFail } from '../errors/define.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, nameSchema, observed, timeSchema } from '../schemas.ts';
import { secret } from '../secret.ts';
import { EVENT_EXPORT_DECISIONS } from './event-export-words.ts';
import { riskFlagSchema } from './inventory.ts';
import { INVENTORY_PATH } from './inventory-routes.ts';

/** Targets of one project. */
export const EVENT_EXPORTS_MAX = 10;
export const EVENT_EXPORT_STATES = ['off', 'unused', 'working', 'failing'] as const;
/** Events of the default selection have at least this score. */
export const EVENT_EXPORT_RISK_DEFAULT = 50;
const FACILITIES = ['local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7'] as const;
const VALUES_MAX = 100;
const PEM_MAX = 64 * 1024;

const pem = z.string().max(PEM_MAX);
const certificateSchema = pem
  .regex(/^-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/, 'certificates in PEM')
  .nullable()
  .default(null);

const syslogFields = {
  kind: z.literal('syslog'),
  /** A name or an address. It must be public, or in a network that the owners of the installation allow. */
  host: z
    .string()
    .min(1)
    .max(253)
    .regex(/^[A-Za-z0-9_.:-]+$/, 'the name or the address of a host'),
  port: z.number().int().min(1).max(65535),
  protocol: z.enum(['tcp', 'tls']).default('tls'),
  facility: z.enum(FACILITIES).default('local0'),
  /** APP-NAME of each message. */
  app_name: z
    .string()
    .regex(/^[!-~]{1,48}$/, '1 to 48 printable ASCII characters')
    .default('flotilla'),
  /** The authorities that the certificate of the receiver is checked with. Null: those of the system. */
  ca_cert: certificateSchema,
  /** Presented to the receiver, together with `client_key`. */
  client_cert: certificateSchema,
};
const webhookFields = {
  kind: z.literal('webhook'),
  url: z
    .url({ protocol: /^https$/ })
    .max(2048)
    .refine(hasNoCredentials, 'has a user or a password; receivers check the signature instead'),
  /** json: one document with a list. ndjson: one document for each line. */
  format: z.enum(['json', 'ndjson']).default('json'),
  ca_cert: certificateSchema,
};

function hasNoCredentials(text: string): boolean {
  const url = URL.parse(text);
  return url === null || (url.username === '' && url.password === '');
}

/**
 * Where events go. A secret that an existing export keeps may be left out.
 * syslog   RFC 5424 over TCP or TLS, with octet counting
 * webhook  JSON by POST, signed with the secret (HMAC-SHA256)
 */
const targetSchema = z.discriminatedUnion('kind', [
  z.strictObject({ ...syslogFields, client_key: secret(pem.regex(/^-----BEGIN [A-Z ]*PRIVATE KEY-----/)).optional() }),
  z.strictObject({ ...webhookFields, secret: secret(z.string().min(16).max(256)).optional() }),
]);
export type EventExportTarget = z.output<typeof targetSchema>;

const shownTargetSchema = z.discriminatedUnion('kind', [z.strictObject(syslogFields), z.strictObject(webhookFields)]);
export type ShownEventExportTarget = z.output<typeof shownTargetSchema>;

const hostSchema = z.string().min(1).max(255);
const serviceIds = z.array(idSchema).max(VALUES_MAX);

/**
 * A request is sent if its decision is listed, or its risk is high enough, or it has one of the flags; and if it is of one of the services
 * and hosts, where some are listed. Findings of the filter follow the decisions, services and hosts.
 */
const selectionSchema = z.strictObject({
  decisions: z
    .array(z.enum(EVENT_EXPORT_DECISIONS))
    .max(EVENT_EXPORT_DECISIONS.length)
    .default(['blocked', 'detected']),
  /** Null: the risk selects nothing. */
  min_risk: z.number().int().min(1).max(255).nullable().default(EVENT_EXPORT_RISK_DEFAULT),
  flags: z.array(riskFlagSchema).max(64).default([]),
  /** Empty: all. */
  service_ids: serviceIds.default([]),
  /** Whole names; empty: all. */
  hosts: z.array(hostSchema).max(VALUES_MAX).default([]),
  /** Also what the filters reported: the policy, the engine and the reason. */
  findings: z.boolean().default(true),
});
export type EventExportSelection = z.output<typeof selectionSchema>;

const selecting = selectionSchema.refine(
  ({ decisions, min_risk, flags }) => decisions.length > 0 || min_risk !== null || flags.length > 0,
  { path: ['decisions'], message: 'selects nothing: name a decision, a risk or a flag' },
);

const values = { name: nameSchema, enabled: z.boolean(), target: targetSchema, selection: selecting };
const bodySchema = z.strictObject(values);
export type EventExportValues = z.output<typeof bodySchema>;

export const eventExportSchema = z.object({
  id: idSchema,
  project: idSchema,
  name: z.string(),
  enabled: z.boolean(),
  target: shownTargetSchema,
  selection: selectionSchema,
  /** The secret, which is never returned. */
  private: z.array(z.object({ path: z.string(), set: z.literal(true), updated_at: timeSchema })),
  /** From the last delivery; unused: there was none. */
  state: observed(z.enum(EVENT_EXPORT_STATES)),
  delivered_at: observed(timeSchema.nullable()),
  failing_since: observed(timeSchema.nullable()),
  last_error: observed(z.string().nullable()),
  /** Events that were sent, and those that the selection left out. */
  sent_events: observed(z.number().int()),
  skipped_events: observed(z.number().int()),
  /** Events that arrived and were not looked at yet. */
  backlog_events: observed(z.number().int()),
  /** For how long the oldest of these has waited. */
  lag_s: observed(z.number()),
  /** Events that the retention deleted before they were sent: a gap. */
  lost_events: observed(z.number().int()),
  /** Arrival of the newest of them. */
  lost_at: observed(timeSchema.nullable()),
  created_at: timeSchema,
  updated_at: timeSchema,
  updated_by: z.string(),
  revision: z.number().int(),
});
export type EventExportView = z.output<typeof eventExportSchema>;

/** The outcome of a test message. `message` says what happened and never contains a secret. */
const trialSchema = z.object({ ok: z.boolean(), latency_ms: z.number().int(), message: z.string() });
export type EventExportTrial = z.output<typeof trialSchema>;

const params = z.strictObject({ export_id: idSchema.describe('Id of an event export') });
const query = z.strictObject({ project: idSchema });
const writeQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const shared = {
  tag: 'API inventory',
  family: 'inventory',
  project: 'query',
  access: { kind: 'roles', roles: ADMINS },
} as const;
const PATH = `${INVENTORY_PATH}/exports`;

export const eventExportRoutes = {
  list: defineRoute({
    id: 'listEventExports',
    method: 'GET',
    path: PATH,
    summary: 'List the receivers of request events, with what waits for each',
    ...shared,
    audit: null,
    query: z.strictObject(listQuery),
    status: 200,
    response: listOf(eventExportSchema),
  }),
  create: defineRoute({
    id: 'createEventExport',
    method: 'POST',
    path: PATH,
    summary: 'Send request events to a receiver, beginning with the next one that arrives',
    ...shared,
    audit: 'event_export.create',
    query: writeQuery,
    body: bodySchema.extend({
      enabled: values.enabled.default(true),
      selection: selecting.default(selectionSchema.parse({})),
    }),
    status: 201,
    response: eventExportSchema,
  }),
  get: defineRoute({
    id: 'getEventExport',
    method: 'GET',
    path: `${PATH}/:export_id`,
    summary: 'Read an event export',
    ...shared,
    audit: null,
    params,
    query,
    status: 200,
    response: eventExportSchema,
  }),
  replace: defineRoute({
    id: 'replaceEventExport',
    method: 'PUT',
    path: `${PATH}/:export_id`,
    summary: 'Replace an event export; a secret that is left out is kept',
    ...shared,
    audit: 'event_export.update',
    params,
    query: writeQuery,
    body: bodySchema,
    status: 200,
    response: eventExportSchema,
  }),
  patch: defineRoute({
    id: 'patchEventExport',
    method: 'PATCH',
    path: `${PATH}/:export_id`,
    summary: 'Change the name or the selection of an event export, or switch it on or off',
    ...shared,
    audit: 'event_export.update',
    params,
    query: writeQuery,
    body: bodySchema.pick({ name: true, enabled: true, selection: true }).partial(),
    status: 200,
    response: eventExportSchema,
  }),
  delete: defineRoute({
    id: 'deleteEventExport',
    method: 'DELETE',
    path: `${PATH}/:export_id`,
    summary: 'Delete an event export with its place in the stream of events',
    ...shared,
    audit: 'event_export.delete',
    params,
    query: writeQuery,
    status: 204,
  }),
  test: defineRoute({
    id: 'testEventExport',
    method: 'POST',
    path: `${PATH}/:export_id/test`,
    summary: 'Send one marked message; the answer is 200 even if the receiver does not accept it',
    ...shared,
    audit: 'event_export.test',
    rate: 'trial',
    params,
    query: writeQuery,
    status: 200,
    response: trialSchema,
  }),
};

export const EVENT_EXPORT_ERRORS = {
  'event_export.too_many': {
    status: 409,
    message: 'The project has {max} event exports, which is the limit. Delete one.',
  },
  'event_export.secret_needed': { status: 400, message: 'The event export needs {what}. Send it in {path}.' },
  'event_export.address': { status: 400, message: 'The event export cannot send to {host}: {reason}.' },
  'event_export.certificate': {
    status: 400,
    message: 'The certificates of the event export cannot be used ({reason}). Check {path}.',
  },
} as const;
export const failEventExport = createFail(EVENT_EXPORT_ERRORS);

export const eventExportsAuditWords = defineAuditWords({
  actions: { 'event_export.test': 'test event export' },
});
