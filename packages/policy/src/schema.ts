import * as z from 'zod';
import { blockResponseSchema } from './block-response.ts';
import { durationField } from './duration.ts';

export const POLICY_API_VERSION = 'flotilla.dev/v1';
export const POLICY_KIND = 'SecurityPolicy';

/** Upper bound of `max_request_body_bytes`, 16 MiB: a body comes to the filter in one message. */
export const REQUEST_BODY_MAX_BYTES = 16 * 1024 ** 2;

const mode = z.enum(['block', 'detect']);
const failMode = z.enum(['fail_close', 'fail_open']);

function describeBlock<Engines extends z.ZodType>(engines: Engines) {
  return z.strictObject({
    mode: mode.optional(),
    block_response: blockResponseSchema.optional(),
    engines: engines.optional(),
  });
}

/** The SecurityPolicy document with these engines in its blocks, without rules between fields. */
export function describeDocument<Engines extends z.ZodType>(engines: Engines) {
  const policy = describeBlock(engines);
  const route = z.strictObject({
    match: z.strictObject({ path_prefix: z.string().startsWith('/') }),
    policy,
  });
  const domain = z.strictObject({
    hosts: z.array(z.string()).min(1),
    policy: policy.optional(),
    routes: z.array(route).optional(),
  });
  return z.strictObject({
    apiVersion: z.literal(POLICY_API_VERSION),
    kind: z.literal(POLICY_KIND),
    metadata: z.strictObject({ name: z.string().min(1).max(253) }),
    spec: z.strictObject({
      defaults: z
        .strictObject({
          mode: mode.optional(),
          fail_mode: failMode.optional(),
          inspect_request_body: z.boolean().optional(),
          max_request_body_bytes: z.int().min(1).max(REQUEST_BODY_MAX_BYTES).optional(),
          timeout: durationField.optional(),
          block_response: blockResponseSchema.optional(),
        })
        .optional(),
      domains: z.array(domain),
    }),
  });
}

/** Engine blocks stay open here: each engine brings its own schema (folder `engines/`). */
const anyEngines = z.record(z.string(), z.unknown());

/** The document, without what lies inside engine blocks. */
export const policyDocumentSchema = describeDocument(anyEngines);

export type PolicyDocument = z.infer<typeof policyDocumentSchema>;
export type PolicyBlock = z.infer<ReturnType<typeof describeBlock<typeof anyEngines>>>;
export type PolicyMode = z.infer<typeof mode>;
export type FailMode = z.infer<typeof failMode>;
