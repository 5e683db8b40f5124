import type { MessageDescription } from '../../forms/schema-source.ts';
import { texts } from '../../texts/index.ts';
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

const words = texts.editor.policy.policyMessages;

/**
 * Describes the SecurityPolicy document like an Envoy message, so that the editor and the policy form need only one
 * kind of schema. `policy-messages.test.ts` compares it with the policy package: fields, types, required fields,
 * values, bounds and defaults.
 */
export const POLICY_TYPE = 'policy.SecurityPolicy';
export const DEFAULTS_TYPE = 'policy.Defaults';
export const DOMAIN_TYPE = 'policy.Domain';
export const ROUTE_TYPE = 'policy.Route';
export const ENGINES_TYPE = 'policy.Engines';
export const BLOCK_RESPONSE_TYPE = 'policy.BlockResponse';

const REQUEST_BODY_MAX_BYTES = 16 * 1024 ** 2;
const MODE_HINT = words.modeHint.mode;
const RESPONSE_HINT = words.responseHint.response;
const mode = oneOf('policy.Mode', 'block', 'detect');

const MESSAGES: readonly BuiltMessage[] = [
  message(
    POLICY_TYPE,
    field('apiVersion', oneOf('policy.ApiVersion', 'flotilla.dev/v1'), words.fields.apiVersion, required),
    field('kind', oneOf('policy.Kind', 'SecurityPolicy'), words.fields.kind, required),
    field('metadata', of('policy.Metadata'), words.fields.metadata, required),
    field('spec', of('policy.Spec'), words.fields.spec, required),
  ),
  message(
    'policy.Metadata',
    field('name', text, words.fields.name, {
      required: true,
      constraint: { string: { min_len: '1', max_len: '253' } },
    }),
  ),
  message(
    'policy.Spec',
    field('defaults', of(DEFAULTS_TYPE), words.fields.defaults),
    field('domains', of(DOMAIN_TYPE), words.fields.domains, {
      required: true,
      shape: 'list',
    }),
  ),
  message(
    DEFAULTS_TYPE,
    field('mode', mode, MODE_HINT, { default: 'block' }),
    field('fail_mode', oneOf('policy.FailMode', 'fail_close', 'fail_open'), words.fields.failMode, {
      default: 'fail_close',
    }),
    field('inspect_request_body', bool, words.fields.inspectRequestBody, {
      default: 'false',
    }),
    field('max_request_body_bytes', whole, words.fields.maxRequestBodyBytes, {
      constraint: between(1, REQUEST_BODY_MAX_BYTES),
    }),
    field('timeout', text, words.fields.timeout, { default: '50ms' }),
    field('unguarded_listeners', text, words.fields.unguardedListeners, {
      shape: 'list',
      constraint: { repeated: { items: { string: { min_len: '1', max_len: '253' } } } },
    }),
    field('block_response', of(BLOCK_RESPONSE_TYPE), RESPONSE_HINT),
  ),
  message(
    BLOCK_RESPONSE_TYPE,
    field('format', oneOf('policy.BlockFormat', 'text', 'problem_json'), words.fields.format, {
      default: 'text',
    }),
    field('unauthorized_status', whole, words.fields.unauthorizedStatus, {
      constraint: between(401, 403),
      default: '403',
    }),
    field('realm', text, words.fields.realm, {
      constraint: { string: { min_len: '1', max_len: '128' } },
      default: 'restricted',
    }),
  ),
  message(
    DOMAIN_TYPE,
    field('hosts', text, words.fields.hosts, {
      required: true,
      shape: 'list',
      constraint: { repeated: { min_items: '1' } },
    }),
    field('policy', of('policy.Policy'), words.fields.domainPolicy),
    field('routes', of(ROUTE_TYPE), words.fields.routes, list),
  ),
  message(
    ROUTE_TYPE,
    field('match', of('policy.Match'), words.fields.match, required),
    field('policy', of('policy.Policy'), words.fields.routePolicy, required),
  ),
  message(
    'policy.Match',
    field('path_prefix', text, words.fields.pathPrefix, {
      required: true,
      constraint: beginsWithSlash,
    }),
  ),
  message(
    'policy.Policy',
    field('mode', mode, MODE_HINT),
    field('block_response', of(BLOCK_RESPONSE_TYPE), RESPONSE_HINT),
    field('engines', of(ENGINES_TYPE), words.fields.engines),
  ),
  message(
    ENGINES_TYPE,
    field('rate_limit', of('policy.RateLimit'), words.fields.rateLimit),
    field('api_key', of('policy.ApiKey'), words.fields.apiKey),
    field('jwt', of('policy.Jwt'), words.fields.jwt),
    field('graphql', of('policy.Graphql'), words.fields.graphql),
  ),
  ...ENGINE_MESSAGES,
];

export const POLICY_MESSAGES: ReadonlyMap<string, MessageDescription> = new Map(
  MESSAGES.map(({ message: each }) => [each.type_name, each]),
);

/** All member names, each after those that precede it in a message with both. */
export const MEMBER_ORDER: readonly string[] = MESSAGES.reduce<readonly string[]>(
  (order, { message: { fields } }) =>
    fields.reduceRight((known, { name }, index) => {
      if (known.includes(name)) return known;
      const next = fields.slice(index + 1).find((later) => known.includes(later.name));
      return next ? known.toSpliced(known.indexOf(next.name), 0, name) : known.concat(name);
    }, order),
  [],
);

/** Default of a field, as it would be written; undefined without one. */
export function defaultOf(type: string, name: string): string | undefined {
  return DEFAULTS.get(type)?.get(name);
}

const DEFAULTS = new Map(MESSAGES.map(({ message: each, defaults }) => [each.type_name, defaults]));
