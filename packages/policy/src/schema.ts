import * as z from 'zod';
import { blockResponseSchema } from './block-response.ts';
import { durationField } from './duration.ts';

export const POLICY_API_VERSION = 'flotilla.dev/v1';
export const POLICY_KIND = 'SecurityPolicy';

/** Upper limit for `max_request_body_bytes`, 16 MiB: the filter gets a body in one message. */
export const REQUEST_BODY_MAX_BYTES = 16 * 1024 ** 2;

const mode = z
  .enum(['block', 'detect'])
  .meta({ title: 'Mode', description: 'block enforces; detect only records what would be blocked' });
const failMode = z.enum(['fail_close', 'fail_open']).meta({ title: 'FailMode' });

const defaults = z
  .strictObject({
    mode: mode.optional().meta({ default: 'block' }),
    fail_mode: failMode.optional().meta({
      description: 'What happens if an engine fails internally; invalid credentials always block',
      default: 'fail_close',
    }),
    inspect_request_body: z.boolean().optional().meta({
      description: 'Lets engines read request bodies; requires max_request_body_bytes',
      default: false,
    }),
    max_request_body_bytes: z
      .int()
      .min(1)
      .max(REQUEST_BODY_MAX_BYTES)
      .optional()
      .describe('Maximum request body to read, in bytes; a longer one is blocked or detected'),
    timeout: durationField
      .optional()
      .meta({ description: 'Time limit for all engines on one request, from 1ms to 900ms', default: '50ms' }),
    unguarded_listeners: z
      .array(z.string().min(1).max(253))
      .max(100)
      .optional()
      .describe('Listeners that may forward connections without the filter (TCP and UDP proxies)'),
    block_response: blockResponseSchema.optional(),
  })
  .meta({ title: 'Defaults' });

function describeBlock<Engines extends z.ZodType>(engines: Engines) {
  return z
    .strictObject({
      mode: mode.optional(),
      block_response: blockResponseSchema.optional(),
      engines: engines
        .optional()
        .describe('Engines that check the requests; an engine set here is independent of an inherited one'),
    })
    .meta({ title: 'Policy' });
}

/** The SecurityPolicy document with these engines, without rules between fields. */
export function describeDocument<Engines extends z.ZodType>(engines: Engines) {
  const policy = describeBlock(engines);
  const match = z.strictObject({
    path_prefix: z
      .string()
      .startsWith('/')
      .optional()
      .describe(
        'Path prefix: "/admin" also matches "/administrator", "/admin/" does not. Set either this or path_template',
      ),
    path_template: z
      .string()
      .startsWith('/')
      .max(2048)
      .optional()
      .describe(
        'Whole path with placeholders, each for one segment: "/orders/{id}" matches "/orders/7" and "/orders/7/", not "/orders/7/items". Wins over every prefix',
      ),
  });
  const route = z
    .strictObject({
      match: match.meta({ title: 'Match', description: 'Requests that the route applies to' }),
      policy: policy.describe('Mode and engines of the route'),
    })
    .meta({ title: 'Route' });
  const domain = z
    .strictObject({
      hosts: z.array(z.string()).min(1).describe('Host names, addresses, "*.example.com" (subdomains only) or "*"'),
      policy: policy.optional().describe('Mode and engines of the domain; its routes inherit them'),
      routes: z
        .array(route)
        .optional()
        .describe('Requests by path; a template wins over a prefix, and the longest prefix wins'),
    })
    .meta({ title: 'Domain' });
  const spec = z.strictObject({
    defaults: defaults.optional().describe('Values that apply unless a domain or route overrides them'),
    domains: z.array(domain).describe('Groups of hosts with their routes; a host belongs to only one group'),
  });
  return z
    .strictObject({
      apiVersion: z
        .literal(POLICY_API_VERSION)
        .meta({ title: 'ApiVersion', description: 'The version of the policy language' }),
      kind: z.literal(POLICY_KIND).meta({ title: 'Kind', description: 'Kind of this document' }),
      metadata: z
        .strictObject({ name: z.string().min(1).max(253).describe('Name of the policy') })
        .meta({ title: 'Metadata', description: 'The name of the policy' }),
      spec: spec.meta({ title: 'Spec', description: 'Defaults and the settings for each group of hosts' }),
    })
    .meta({ title: 'SecurityPolicy' });
}

/** Engine blocks are open here: each engine has its own schema (folder `engines/`). */
const anyEngines = z.record(z.string(), z.unknown());

/** The document, without the content of engine blocks. */
export const policyDocumentSchema = describeDocument(anyEngines);

export type PolicyDocument = z.infer<typeof policyDocumentSchema>;
export type PolicyBlock = z.infer<ReturnType<typeof describeBlock<typeof anyEngines>>>;
export type PolicyMode = z.infer<typeof mode>;
export type FailMode = z.infer<typeof failMode>;
