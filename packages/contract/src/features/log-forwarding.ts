import { SYSLOG_PROTOCOLS } from '@flotilla/proto/commands';
import { forwardingHostSchema, forwardingTlsSchema } from '@flotilla/proto/forwarding';
import * as z from 'zod';

export { shipperConfigSchema } from '@flotilla/proto/forwarding';

export const syslogConfigSchema = z.strictObject({
  rsyslog_output: z
    .strictObject({
      target: forwardingHostSchema,
      port: z.number().int().min(1).max(65_535),
      protocol: z.enum(SYSLOG_PROTOCOLS),
      tls: forwardingTlsSchema,
    })
    .refine(({ protocol, tls }) => tls === null || protocol === 'tcp', {
      path: ['tls'],
      message: 'needs protocol tcp',
    }),
});
