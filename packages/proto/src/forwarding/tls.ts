import * as z from 'zod';
import { FORWARDING_PATTERNS, KEPT_SECRET, PEM_MAX } from '../log-forwarding.ts';

export const forwardingHostSchema = z
  .string()
  .max(253)
  .regex(FORWARDING_PATTERNS.host, 'must be a host name or an IP address');

const pemSchema = z.string().max(PEM_MAX).regex(FORWARDING_PATTERNS.pem, 'must be PEM blocks and nothing else');
const keySchema = z
  .string()
  .max(PEM_MAX)
  .refine((text) => text === KEPT_SECRET || FORWARDING_PATTERNS.pem.test(text), {
    message: 'must be PEM blocks, or *** to keep the key',
  });

/** A secret that an update keeps if it is left out or `***`, and deletes if it is null. */
export function keptSecret(schema: z.ZodString) {
  return schema.meta({ secret: true }).nullable().optional();
}

/** Null: without TLS, or with the authorities of the host. */
export const forwardingTlsSchema = z
  .strictObject({
    /** Null: the authorities of the host. */
    ca_cert: pemSchema.nullable().default(null),
    client_cert: pemSchema.nullable().default(null),
    client_key: keptSecret(keySchema),
    /** The name in the certificate of the server, if it is not the target. */
    server_name: forwardingHostSchema.nullable().default(null),
  })
  .nullable()
  .default(null);
