import * as z from 'zod';
import { SHIELD_SEVERITIES } from './shield-events.ts';

/** Bounds of a request that is tried. */
export const TRIAL_URL_MAX_CHARS = 64 * 1024;
export const TRIAL_HEADERS_MAX = 500;
export const TRIAL_HEADER_MAX_CHARS = 64 * 1024;
export const TRIAL_BODY_MAX_BYTES = 8 * 1024 * 1024;

/** A request that nobody sends: somebody wants to know what would become of it. */
export const trialRequestSchema = z.strictObject({
  method: z.string().min(1).max(64),
  /** Absolute (`https://api.example.com/v1?x=1`), or a path with its query; then `host` or a header names the host. */
  url: z.string().min(1).max(TRIAL_URL_MAX_CHARS),
  /** Wins over the host of `url` and over the headers. */
  host: z.string().max(1024).optional(),
  /** In the order of arrival; a name may come several times. */
  headers: z
    .array(z.tuple([z.string().min(1).max(1024), z.string().max(TRIAL_HEADER_MAX_CHARS)]))
    .max(TRIAL_HEADERS_MAX)
    .optional(),
  /** As sent, content codings still on. At most one of `body` (text, sent as UTF-8) and `body_base64` (bytes). */
  body: z.string().max(TRIAL_BODY_MAX_BYTES).optional(),
  body_base64: z
    .string()
    .max(Math.ceil(TRIAL_BODY_MAX_BYTES / 3) * 4)
    .optional(),
  /** The client's address, taken as it is. Without it the address follows from `peer` and `x-forwarded-for`. */
  source_ip: z.string().max(64).optional(),
  /** The address of the proxy's own peer. */
  peer: z.string().max(64).optional(),
  /** Trusted proxies in front of the proxy; of a service's policies the service's own number unless given. */
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
  /** Every reading of the path, the router's first. */
  readings: listed(z.string()),
  source_ip: z.string(),
  source_ip_from: z.enum(['given', 'x-forwarded-for', 'peer', 'unknown']),
});

const matchSchema = z.object({
  /** The domain that covers the host; null when none does, and then nothing guards the request. */
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
  /** Null: of a header or an API key only that it is there is told, as it may be a credential. */
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
  /** `body`: the headers are fine, and the verdict waits for a body which the trial does not have. */
  verdict: z.enum(['allow', 'block', 'error', 'body']),
  /** What it means under the policy's modes. `not_asked`: an earlier engine had answered the request already. */
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

/** What would become of a request, and why. Made by the filter's own code; a limiter is met fresh and nothing is taken. */
export const explanationSchema = z.object({
  verdict: z.enum(['allowed', 'blocked']),
  /** The block that answers the request; null when it is allowed. */
  decisive: findingSchema.nullable(),
  /** What the client gets instead of its answer; null when the request is allowed. */
  answer: answerSchema.nullable(),
  /** What an allowed request carries to the upstream that the client did not send, and what it loses. */
  grants: listed(grantSchema),
  /** One sentence for people. */
  summary: z.string(),
  /** Of the bundle that was tried. */
  digest: z.string(),
  request: requestSchema,
  match: matchSchema,
  /** Every engine of every policy that holds for the request, in the order in which they decide. */
  engines: listed(engineSchema),
  body: bodySchema,
});
export type Explanation = z.infer<typeof explanationSchema>;
