import * as z from 'zod';
import { SHIELD_SEVERITIES } from './shield-events.ts';

export const TRIAL_URL_MAX_CHARS = 64 * 1024;
export const TRIAL_HEADERS_MAX = 500;
export const TRIAL_HEADER_MAX_CHARS = 64 * 1024;
export const TRIAL_BODY_MAX_BYTES = 8 * 1024 * 1024;

/** A hypothetical request: the trial explains its outcome and sends nothing. */
export const trialRequestSchema = z.strictObject({
  method: z.string().min(1).max(64),
  /** Absolute (`https://api.example.com/v1?x=1`), or a path with its query; then `host` or a header names the host. */
  url: z.string().min(1).max(TRIAL_URL_MAX_CHARS),
  /** Overrides the host of `url` and the headers. */
  host: z.string().max(1024).optional(),
  /** In the order of arrival; names may repeat. */
  headers: z
    .array(z.tuple([z.string().min(1).max(1024), z.string().max(TRIAL_HEADER_MAX_CHARS)]))
    .max(TRIAL_HEADERS_MAX)
    .optional(),
  /** As sent, with content codings. At most one of `body` (text, sent as UTF-8) and `body_base64` (bytes). */
  body: z.string().max(TRIAL_BODY_MAX_BYTES).optional(),
  body_base64: z
    .string()
    .max(Math.ceil(TRIAL_BODY_MAX_BYTES / 3) * 4)
    .optional(),
  /** The client's address, used as it is. Without it the address follows from `peer` and `x-forwarded-for`. */
  source_ip: z.string().max(64).optional(),
  /** The address of the proxy's own peer. */
  peer: z.string().max(64).optional(),
  /** Number of trusted proxies in front of this one; for policies of a service the service's number by default. */
  trusted_hops: z.number().int().min(0).max(64).optional(),
});
export type TrialRequest = z.infer<typeof trialRequestSchema>;

const listed = <T extends z.ZodType>(item: T) => z.array(item).readonly();
const header = z.tuple([z.string(), z.string()]).readonly();
const status = z.number().int();
const severity = z.enum(SHIELD_SEVERITIES);

const answerSchema = z.object({ status, headers: listed(header), body: z.string() });

const findingSchema = z.object({
  policy: z.string(),
  /** The route's prefix; null for the domain's own policy. */
  route: z.string().nullable(),
  engine: z.string(),
  reason: z.string(),
  severity,
  status,
  detail: z.string().nullable(),
  subject: z.string().nullable(),
});

const grantSchema = z.object({
  subject: z.string().nullable(),
  remove_headers: listed(z.string()),
  set_headers: listed(header),
  remove_query_parameter: z.string().nullable(),
});

const requestSchema = z.object({
  method: z.string(),
  /** In its canonical form. */
  host: z.string(),
  path: z.string(),
  has_query: z.boolean(),
  /** Every interpretation of the path, the router's first. */
  readings: listed(z.string()),
  source_ip: z.string(),
  source_ip_from: z.enum(['given', 'x-forwarded-for', 'peer', 'unknown']),
});

const matchSchema = z.object({
  /** The domain that covers the host; null if none does, and then no policy applies to the request. */
  domain: z.object({ policy: z.string(), entry: z.string(), kind: z.enum(['exact', 'suffix', 'any']) }).nullable(),
  other_domains: listed(
    z.object({ entry: z.string(), policy: z.string(), why: z.enum(['less_specific', 'bare_suffix', 'other_host']) }),
  ),
  readings: listed(z.object({ path: z.string(), is_router: z.boolean(), route: z.string().nullable() })),
  other_routes: listed(
    z.object({ path_prefix: z.string(), why: z.enum(['shorter', 'trailing_slash', 'not_a_prefix']) }),
  ),
});

const limiterSchema = z.object({
  key: z.enum(['ip', 'host', 'header', 'api_key']),
  header: z.string().nullable(),
  /** Null for a header or an API key, because the value may be a credential. */
  value: z.string().nullable(),
  /** False: counted in the bucket that all requests without a key share. */
  has_key: z.boolean(),
  requests_per_second: z.number(),
  burst: z.number(),
  shared_by: z.number().int(),
});

const engineSchema = z.object({
  policy: z.string(),
  route: z.string().nullable(),
  /** An engine's name, or `body`. */
  engine: z.string(),
  phase: z.enum(['headers', 'body']),
  mode: z.enum(['block', 'detect']),
  fail_mode: z.enum(['fail_close', 'fail_open']),
  /** `body`: the headers are fine, but the verdict needs a body, which the trial does not have. */
  verdict: z.enum(['allow', 'block', 'error', 'body']),
  /** The effect under the policy's modes. `not_asked`: an earlier engine has answered the request already. */
  effect: z.enum(['none', 'blocked', 'detected', 'error', 'not_asked']),
  reason: z.string().nullable(),
  severity: severity.nullable(),
  status: status.nullable(),
  detail: z.string().nullable(),
  subject: z.string().nullable(),
  limiter: limiterSchema.nullable(),
  /** Milliseconds, in this one trial with cold caches. */
  took_ms: z.number(),
});

const bodySchema = z.object({
  sent_bytes: z.number().int().nullable(),
  decoded_bytes: z.number().int().nullable(),
  wanted_by: listed(z.string()),
  max_bytes: z.number().int(),
  state: z.enum(['none', 'not_wanted', 'blocked_before', 'read', 'too_large', 'undecodable']),
});

/** The outcome of a request with its reasons. It comes from the filter's own code; limiters start full and lose no tokens. */
export const explanationSchema = z.object({
  verdict: z.enum(['allowed', 'blocked']),
  /** The block that answers the request; null if it is allowed. */
  decisive: findingSchema.nullable(),
  /** The answer that the client gets from the filter; null if the request is allowed. */
  answer: answerSchema.nullable(),
  /** Headers that the filter adds to an allowed request on its way upstream, and headers that it removes. */
  grants: listed(grantSchema),
  /** One sentence for people. */
  summary: z.string(),
  /** Digest of the bundle that was tried. */
  digest: z.string(),
  request: requestSchema,
  match: matchSchema,
  /** Every engine of every policy that applies to the request, in the order in which they decide. */
  engines: listed(engineSchema),
  body: bodySchema,
});
export type Explanation = z.infer<typeof explanationSchema>;
