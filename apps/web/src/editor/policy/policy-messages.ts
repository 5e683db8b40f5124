import type { MessageDescription } from '../../forms/schema-source.ts';
import { ENGINE_MESSAGES } from './engine-messages.ts';
import {
  type BuiltMessage,
  beginsWithSlash,
  between,
  bool,
  field,
  list,
  message,
  of,
  oneOf,
  required,
  text,
  whole,
} from './message-builder.ts';

/**
 * The SecurityPolicy document, described like an Envoy message, so that the editor needs one kind of schema only; the policy's own
 * form reads the same. `policy-messages.test.ts` holds it against the policy package: fields, types, required ones, values, bounds
 * and defaults.
 */
export const POLICY_TYPE = 'policy.SecurityPolicy';
export const DEFAULTS_TYPE = 'policy.Defaults';
export const DOMAIN_TYPE = 'policy.Domain';
export const ROUTE_TYPE = 'policy.Route';
export const ENGINES_TYPE = 'policy.Engines';
export const BLOCK_RESPONSE_TYPE = 'policy.BlockResponse';

const REQUEST_BODY_MAX_BYTES = 16 * 1024 ** 2;
const MODE_HINT = 'block enforces; detect records what would be blocked and lets it through';
const RESPONSE_HINT = 'What a blocked client gets; replaces as a whole what is written above';
const mode = oneOf('policy.Mode', 'block', 'detect');

const MESSAGES: readonly BuiltMessage[] = [
  message(
    POLICY_TYPE,
    field('apiVersion', oneOf('policy.ApiVersion', 'flotilla.dev/v1'), 'The version of the policy language', required),
    field('kind', oneOf('policy.Kind', 'SecurityPolicy'), 'What this document is', required),
    field('metadata', of('policy.Metadata'), 'The name of the policy', required),
    field('spec', of('policy.Spec'), 'Defaults, and what holds for each group of hosts', required),
  ),
  message(
    'policy.Metadata',
    field('name', text, 'Name of the policy', {
      required: true,
      constraint: { string: { min_len: '1', max_len: '253' } },
    }),
  ),
  message(
    'policy.Spec',
    field('defaults', of(DEFAULTS_TYPE), 'What holds where a domain or route says nothing else'),
    field('domains', of(DOMAIN_TYPE), 'Groups of hosts with their routes; a host stands in one of them only', {
      required: true,
      shape: 'list',
    }),
  ),
  message(
    DEFAULTS_TYPE,
    field('mode', mode, MODE_HINT, { default: 'block' }),
    field(
      'fail_mode',
      oneOf('policy.FailMode', 'fail_close', 'fail_open'),
      'What happens on an internal error of an engine; bad credentials always block',
      { default: 'fail_close' },
    ),
    field('inspect_request_body', bool, 'Lets engines read request bodies; needs max_request_body_bytes', {
      default: 'false',
    }),
    field('max_request_body_bytes', whole, 'Longest request body that is read, in bytes; a longer one is a finding', {
      constraint: between(1, REQUEST_BODY_MAX_BYTES),
    }),
    field('timeout', text, 'Time that engines may spend on one request, from 1ms to 900ms', { default: '50ms' }),
    field('block_response', of(BLOCK_RESPONSE_TYPE), RESPONSE_HINT),
  ),
  message(
    BLOCK_RESPONSE_TYPE,
    field(
      'format',
      oneOf('policy.BlockFormat', 'text', 'problem_json'),
      'A line of text, or a problem document (RFC 9457) with the id of the request',
      { default: 'text' },
    ),
    field('unauthorized_status', whole, 'Status for a missing or wrong key or token: 403, or 401 with a challenge', {
      constraint: between(401, 403),
      default: '403',
    }),
    field('realm', text, 'What the challenge of a 401 calls the place that asks for the credential', {
      constraint: { string: { min_len: '1', max_len: '128' } },
      default: 'restricted',
    }),
  ),
  message(
    DOMAIN_TYPE,
    field('hosts', text, 'Host names, addresses, "*.example.com" (subdomains only) or "*"', {
      required: true,
      shape: 'list',
      constraint: { repeated: { min_items: '1' } },
    }),
    field('policy', of('policy.Policy'), 'Mode and engines of the domain; its routes inherit them'),
    field('routes', of(ROUTE_TYPE), 'Requests by path prefix; the longest prefix wins', list),
  ),
  message(
    ROUTE_TYPE,
    field('match', of('policy.Match'), 'Which requests the route is for', required),
    field('policy', of('policy.Policy'), 'Mode and engines of the route', required),
  ),
  message(
    'policy.Match',
    field('path_prefix', text, 'Beginning of the path: "/admin" also selects "/administrator", "/admin/" does not', {
      required: true,
      constraint: beginsWithSlash,
    }),
  ),
  message(
    'policy.Policy',
    field('mode', mode, MODE_HINT),
    field('block_response', of(BLOCK_RESPONSE_TYPE), RESPONSE_HINT),
    field(
      'engines',
      of(ENGINES_TYPE),
      'What inspects the requests; an engine written here is independent of one written above',
    ),
  ),
  message(
    ENGINES_TYPE,
    field(
      'rate_limit',
      of('policy.RateLimit'),
      'Token bucket per client address, host or header; null switches an inherited one off',
    ),
    field(
      'api_key',
      of('policy.ApiKey'),
      'Lets in who presents a known key, and binds scopes to paths; null switches an inherited one off',
    ),
    field(
      'jwt',
      of('policy.Jwt'),
      'Lets in who presents a token with a good signature and the right claims; null switches an inherited one off',
    ),
    field(
      'graphql',
      of('policy.Graphql'),
      'Bounds shape and cost of GraphQL queries; needs bodies to be read. null switches an inherited one off',
    ),
  ),
  ...ENGINE_MESSAGES,
];

export const POLICY_MESSAGES: ReadonlyMap<string, MessageDescription> = new Map(
  MESSAGES.map(({ message: each }) => [each.type_name, each]),
);

/** All names of members, each behind those that stand before it where both may be written. */
export const MEMBER_ORDER: readonly string[] = MESSAGES.reduce<readonly string[]>(
  (order, { message: { fields } }) =>
    fields.reduceRight((known, { name }, index) => {
      if (known.includes(name)) return known;
      const next = fields.slice(index + 1).find((later) => known.includes(later.name));
      return next ? known.toSpliced(known.indexOf(next.name), 0, name) : known.concat(name);
    }, order),
  [],
);

/** What holds where a field is absent, as it would be written; undefined where nothing does. */
export function defaultOf(type: string, name: string): string | undefined {
  return DEFAULTS.get(type)?.get(name);
}

const DEFAULTS = new Map(MESSAGES.map(({ message: each, defaults }) => [each.type_name, defaults]));
