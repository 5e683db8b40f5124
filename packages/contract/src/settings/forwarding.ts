import * as z from 'zod';
import { defineSettings, secretText } from './define.ts';

export const pemSchema = z
  .string()
  .max(64 * 1024)
  .regex(/^-----BEGIN [A-Z ]+-----[\s\S]+-----END [A-Z ]+-----\s*$/, 'a PEM file')
  .nullable()
  .default(null);

/** A syslog server (RFC 5424) that also gets the audit log. */
export const SYSLOG_SETTINGS = defineSettings({
  key: 'syslog',
  title: 'Syslog forwarding',
  scope: 'installation',
  area: 'connections',
  refusedWhole: true,
  schema: z
    .strictObject({
      enabled: z.boolean().default(false),
      protocol: z.enum(['udp', 'tcp', 'tcp+tls']).default('tcp'),
      host: z.string().max(253).default(''),
      port: z.number().int().min(1).max(65535).default(514),
      facility: z
        .enum(['local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7'])
        .default('local0'),
      tag: z
        .string()
        .regex(/^[!-~]{1,48}$/, '1 to 48 printable ASCII characters')
        .default('flotilla'),
      ca_cert: pemSchema,
      client_cert: pemSchema,
      client_key: secretText(64 * 1024),
      connect_timeout_ms: z.number().int().min(100).max(60_000).default(5000),
      write_timeout_ms: z.number().int().min(100).max(60_000).default(10_000),
    })
    .refine(({ enabled, host }) => !enabled || host !== '', { path: ['host'], message: 'is required if enabled' }),
});

/** An address that also gets the audit log: JSON by POST, signed with the secret. */
export const WEBHOOK_SETTINGS = defineSettings({
  key: 'webhook',
  title: 'Webhook forwarding',
  scope: 'installation',
  area: 'connections',
  refusedWhole: true,
  schema: z
    .strictObject({
      enabled: z.boolean().default(false),
      url: z
        .url({ protocol: /^https?$/ })
        .max(2048)
        .nullable()
        .default(null),
      secret: secretText(1024),
      timeout_ms: z.number().int().min(100).max(60_000).default(10_000),
    })
    .refine(({ enabled, url }) => !enabled || url !== null, { path: ['url'], message: 'is required if enabled' }),
});

export const AUDIT_SETTINGS = defineSettings({
  key: 'audit',
  title: 'Audit log',
  scope: 'installation',
  area: 'operations',
  schema: z.strictObject({
    /** Counted from the time at which an entry was sealed; null: for ever. */
    retention_days: z.number().int().min(1).max(36_500).nullable().default(365),
  }),
});
