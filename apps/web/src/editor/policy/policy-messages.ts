import type { FieldDescription, MessageDescription, ValueDescription } from '../../forms/schema-source.ts';

/**
 * The SecurityPolicy document, described like an Envoy message, so that the editor needs one kind of schema only. `policy-messages.test.ts`
 * holds it against the policy package: fields, types, required ones, values and bounds.
 */
export const POLICY_TYPE = 'policy.SecurityPolicy';
export const DOMAIN_TYPE = 'policy.Domain';
export const ROUTE_TYPE = 'policy.Route';
export const ENGINES_TYPE = 'policy.Engines';

const RATE_MAX = 1_000_000_000;
const REQUEST_BODY_MAX_BYTES = 1024 ** 3;

type Options = Partial<Pick<FieldDescription, 'required' | 'constraint' | 'disallowed' | 'sensitive' | 'shape'>>;
type Draft = Omit<FieldDescription, 'number'>;

function field(name: string, value: ValueDescription, hint: string, options: Options = {}): Draft {
  const { required = false, disallowed = false, sensitive = false, shape = 'singular', constraint } = options;
  return {
    name,
    value,
    hint,
    shape,
    required,
    disallowed,
    sensitive,
    deprecated: disallowed,
    common: true,
    ...(constraint && { constraint }),
  };
}

function message(typeName: string, ...drafts: Draft[]): MessageDescription {
  const fields = drafts.map((draft, index) => ({ ...draft, number: index + 1 }));
  return { type_name: typeName, docs_url: '', deprecated: false, sorted: true, fields, oneofs: [] };
}

const text: ValueDescription = { kind: 'scalar', type: 'string' };
const bool: ValueDescription = { kind: 'scalar', type: 'bool' };
const whole: ValueDescription = { kind: 'scalar', type: 'int64' };
const decimal: ValueDescription = { kind: 'scalar', type: 'double' };
const of = (type: string): ValueDescription => ({ kind: 'message', type });
const oneOf = (type: string, ...names: string[]): ValueDescription => ({
  kind: 'enum',
  type,
  values: names.map((name, number) => ({ name, number, deprecated: false, disallowed: false })),
});

const required = { required: true };
const notEmpty = { string: { min_len: '1' } };
const beginsWithSlash = { required: true, constraint: { string: { prefix: '/' } } };
const mode = oneOf('policy.Mode', 'block', 'detect');
const NOT_RUN = 'This version of the filter does not run the engine: the policy would protect less than it says';

const MESSAGES: readonly MessageDescription[] = [
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
    field('defaults', of('policy.Defaults'), 'What holds where a domain or route says nothing else'),
    field('domains', of(DOMAIN_TYPE), 'Groups of hosts with their routes; a host stands in one of them only', {
      required: true,
      shape: 'list',
    }),
  ),
  message(
    'policy.Defaults',
    field('mode', mode, 'block enforces; detect records what would be blocked and lets it through'),
    field(
      'fail_mode',
      oneOf('policy.FailMode', 'fail_close', 'fail_open'),
      'What happens on an internal error of an engine; bad credentials always block',
    ),
    field('inspect_request_body', bool, 'Lets engines read request bodies; needs max_request_body_bytes'),
    field('max_request_body_bytes', whole, 'Longest request body that is read, in bytes', {
      constraint: { int64: { gte: '1', lte: String(REQUEST_BODY_MAX_BYTES) } },
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
    field('routes', of(ROUTE_TYPE), 'Requests by path prefix; the longest prefix wins', { shape: 'list' }),
  ),
  message(
    ROUTE_TYPE,
    field('match', of('policy.Match'), 'Which requests the route is for', required),
    field('policy', of('policy.Policy'), 'Mode and engines of the route', required),
  ),
  message(
    'policy.Match',
    field(
      'path_prefix',
      text,
      'Beginning of the path: "/admin" also selects "/administrator", "/admin/" does not',
      beginsWithSlash,
    ),
  ),
  message(
    'policy.Policy',
    field('mode', mode, 'block enforces; detect records what would be blocked and lets it through'),
    field(
      'engines',
      of(ENGINES_TYPE),
      'What inspects the requests; an engine written here is independent of one written above',
    ),
  ),
  message(
    ENGINES_TYPE,
    field(
      'api_key',
      of('policy.ApiKey'),
      'Lets in who presents a known key, and binds scopes to paths; null switches an inherited one off',
    ),
    field(
      'rate_limit',
      of('policy.RateLimit'),
      'Token bucket per client address, host or header; null switches an inherited one off',
    ),
    field('graphql', of('policy.Engine'), NOT_RUN, { disallowed: true }),
    field('jwt', of('policy.Engine'), NOT_RUN, { disallowed: true }),
  ),
  message(
    'policy.ApiKey',
    field(
      'source',
      oneOf('policy.KeySource', 'header', 'query'),
      'Where the key is read; keys in queries leak into logs. Default: header',
    ),
    field('name', text, 'Name of the header or query parameter. Default: X-Api-Key', {
      constraint: { string: { min_len: '1', max_len: '256' } },
    }),
    field('keys', of('policy.ApiKeyEntry'), 'The keys that are let in', {
      required: true,
      shape: 'list',
      constraint: { repeated: { min_items: '1' } },
    }),
    field('require_scope_for_path', of('policy.ScopeBinding'), 'Paths that need a scope', { shape: 'list' }),
  ),
  message(
    'policy.ApiKeyEntry',
    field('sha256', text, 'SHA-256 of the key: 64 hexadecimal digits. Either this or key'),
    field('key', text, 'The key itself; replaced by its SHA-256 when the policy is stored', { sensitive: true }),
    field('subject', text, 'Who presents the key; attributed on success'),
    field('scopes', text, 'Scopes that the key carries', {
      shape: 'list',
      constraint: { repeated: { items: notEmpty } },
    }),
  ),
  message(
    'policy.ScopeBinding',
    field(
      'path_prefix',
      text,
      'Beginning of the paths to guard: "/admin" also guards "/administrator"',
      beginsWithSlash,
    ),
    field('scope', text, 'Scope that a key must carry there', { required: true, constraint: notEmpty }),
  ),
  message(
    'policy.RateLimit',
    field('requests_per_second', decimal, 'Sustained rate per key', {
      required: true,
      constraint: { double: { gt: 0, lte: RATE_MAX } },
    }),
    field('burst', whole, 'Requests at once; 0 derives it from the rate', {
      constraint: { int64: { gte: '0', lte: String(RATE_MAX) } },
    }),
    field(
      'key',
      oneOf('policy.LimiterKey', 'ip', 'host', 'header'),
      'What is counted: the client address, the host, or the value of a header. Default: ip',
    ),
    field('header', text, 'Request header whose value is counted; needed when key is header'),
  ),
];

export const POLICY_MESSAGES: ReadonlyMap<string, MessageDescription> = new Map(
  MESSAGES.map((each) => [each.type_name, each]),
);
