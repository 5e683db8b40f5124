import { FORWARDING_PATTERNS, PEM_MAX, SYSLOG_PROTOCOLS } from '@flotilla/proto/commands';
import * as z from 'zod';
import { secret } from '../secret.ts';

const hostSchema = z.string().max(253).regex(FORWARDING_PATTERNS.host, 'must be a host name or an IP address');
const pemTextSchema = z.string().max(PEM_MAX).regex(FORWARDING_PATTERNS.pem, 'must be PEM blocks and nothing else');

/** A secret that an update keeps if it is left out or `***`, and deletes if it is null. */
const keptSecret = (schema: z.ZodString) => secret(schema).nullable().optional();

const KEY_OR_KEPT = new RegExp(`^\\*\\*\\*$|${FORWARDING_PATTERNS.pem.source}`);

const tlsSchema = z
  .strictObject({
    /** Null: the authorities of the host. */
    ca_cert: pemTextSchema.nullable().default(null),
    client_cert: pemTextSchema.nullable().default(null),
    client_key: keptSecret(z.string().max(PEM_MAX).regex(KEY_OR_KEPT, 'must be PEM blocks, or *** to keep the key')),
    /** The name in the certificate of the server, if it is not the target. */
    server_name: hostSchema.nullable().default(null),
  })
  .nullable()
  .default(null);

export const syslogConfigSchema = z.strictObject({
  rsyslog_output: z
    .strictObject({
      target: hostSchema,
      port: z.number().int().min(1).max(65_535),
      protocol: z.enum(SYSLOG_PROTOCOLS),
      tls: tlsSchema,
    })
    .refine(({ protocol, tls }) => tls === null || protocol === 'tcp', {
      path: ['tls'],
      message: 'needs protocol tcp',
    }),
});
