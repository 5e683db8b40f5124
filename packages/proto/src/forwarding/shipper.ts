import * as z from 'zod';
import { KEPT_SECRET, SHIPPER_DRIVERS, SHIPPER_LIMITS, SHIPPER_PATTERNS } from '../log-forwarding.ts';
import { forwardingTlsSchema, keptSecret } from './tls.ts';

const { inputsMax, pathsMax, hostsMax, fieldsMax, layoutsMax, secretMax } = SHIPPER_LIMITS;

const printable = (max: number) =>
  z.string().min(1).max(max).regex(SHIPPER_PATTERNS.printable, 'must not contain control characters');
const fieldSchema = z
  .string()
  .max(128)
  .regex(SHIPPER_PATTERNS.field, 'must be the name of a field, such as log.offset');

const inputSchema = z.strictObject({
  type: z.enum(['filestream', 'log']).default('filestream'),
  enabled: z.boolean().default(true),
  /** Becomes `event.dataset` of the lines. */
  id: z
    .string()
    .max(32)
    .regex(SHIPPER_PATTERNS.id, 'must be lower-case letters, digits, _ and -, not envoy, filter or access'),
  paths: z
    .array(
      z
        .string()
        .max(255)
        .regex(SHIPPER_PATTERNS.path, 'must be a path below /var/log without .. and without patterns other than *'),
    )
    .min(1)
    .max(pathsMax),
});

const elasticsearchSchema = z
  .strictObject({
    hosts: z
      .array(
        z
          .string()
          .max(512)
          .regex(SHIPPER_PATTERNS.url, 'must be an address such as https://search.example.com:9200, without a user'),
      )
      .min(1)
      .max(hostsMax),
    loadbalance: z.boolean().default(true),
    /** The lines of a day go to `<index>-<yyyy.MM.dd>`. */
    index: z
      .string()
      .max(100)
      .regex(SHIPPER_PATTERNS.index, 'must be lower-case letters, digits, dots, _ and -')
      .default('flotilla-logs'),
    api_key: keptSecret(
      z
        .string()
        .max(secretMax)
        .refine((text) => text === KEPT_SECRET || SHIPPER_PATTERNS.apiKey.test(text), { message: 'must be ID:KEY' }),
    ),
    basic_auth: z
      .strictObject({
        username: z.string().max(256).regex(SHIPPER_PATTERNS.user, 'must not contain colons and control characters'),
        password: keptSecret(printable(secretMax)),
      })
      .nullable()
      .default(null),
    skip_ssl_verify: z.boolean().default(false),
    tls: forwardingTlsSchema,
  })
  .refine(({ tls, hosts }) => tls === null || hosts.every((host) => host.startsWith('https:')), {
    path: ['tls'],
    message: 'needs hosts with https',
  })
  .refine(({ api_key: key, basic_auth: user }) => user === null || key === null || key === undefined, {
    path: ['api_key'],
    message: 'and basic_auth exclude each other',
  });

const logstashSchema = z.strictObject({
  hosts: z
    .array(z.string().max(260).regex(SHIPPER_PATTERNS.hostAndPort, 'must be HOST:PORT or [ADDRESS]:PORT'))
    .min(1)
    .max(hostsMax),
  loadbalance: z.boolean().default(true),
  tls: forwardingTlsSchema,
});

/** The logs that a host ships, the search engine that gets them, and the program that ships. */
export const shipperConfigSchema = z
  .strictObject({
    /** Null: the first installed program that can do what is configured. */
    driver: z.enum(SHIPPER_DRIVERS).nullable().default(null),
    /** The logs of the services of the host: Envoy, access logs, filter. */
    service_logs: z.boolean().default(true),
    inputs: z.array(inputSchema).max(inputsMax).default([]),
    timestamp_processor: z
      .strictObject({
        field: fieldSchema,
        layouts: z.array(printable(64)).min(1).max(layoutsMax),
        test: z.array(printable(128)).max(layoutsMax).default([]),
      })
      .nullable()
      .default(null),
    drop_fields_processor: z
      .strictObject({
        fields: z
          .array(fieldSchema.refine((name) => name !== '@timestamp', { message: 'cannot be dropped' }))
          .min(1)
          .max(fieldsMax),
      })
      .nullable()
      .default(null),
    filebeat_output: z
      .strictObject({ elasticsearch: elasticsearchSchema.optional(), logstash: logstashSchema.optional() })
      .refine(({ elasticsearch, logstash }) => (elasticsearch === undefined) !== (logstash === undefined), {
        message: 'needs either elasticsearch or logstash',
      }),
  })
  .refine(({ service_logs: all, inputs }) => all || inputs.some(({ enabled }) => enabled), {
    path: ['inputs'],
    message: 'needs an enabled input, or service_logs',
  })
  .refine(({ inputs }) => new Set(inputs.map(({ id }) => id)).size === inputs.length, {
    path: ['inputs'],
    message: 'need different ids',
  });

/** As it comes with a command. */
export type GivenShipperConfig = z.output<typeof shipperConfigSchema>;
export type ElasticsearchOutput = z.output<typeof elasticsearchSchema>;
