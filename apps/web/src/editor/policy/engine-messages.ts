import {
  type BuiltMessage,
  beginsWithSlash,
  between,
  bool,
  decimal,
  field,
  list,
  message,
  notEmpty,
  of,
  oneOf,
  required,
  text,
  whole,
} from './message-builder.ts';

const RATE_MAX = 1_000_000_000;
const headerName = { string: { min_len: '1', max_len: '256' } };
const source = oneOf('policy.KeySource', 'header', 'query');

/** Whoever proves a credential may have it taken from the request, and its subject told to the upstream. */
const credentialExtras = [
  field('strip_credential', bool, 'Takes the credential from the request before the upstream sees it', {
    default: 'false',
  }),
  field(
    'subject_header',
    text,
    'Header that tells the upstream the subject; what clients send under this name is removed, in mode detect too',
    { constraint: headerName },
  ),
];

const limit = (name: string, hint: string) => field(name, whole, hint, { constraint: between(0), default: '0, off' });

export const ENGINE_MESSAGES: readonly BuiltMessage[] = [
  message(
    'policy.ApiKey',
    field('source', source, 'Where the key is read; keys in queries leak into logs', { default: 'header' }),
    field('name', text, 'Name of the header or query parameter', { constraint: headerName, default: 'X-Api-Key' }),
    field('sources', of('policy.ApiKeySource'), 'Several places in which a key may stand, instead of source and name', {
      shape: 'list',
      constraint: { repeated: { min_items: '1', max_items: '8' } },
    }),
    field('keys', of('policy.ApiKeyEntry'), 'The keys that are let in', {
      required: true,
      shape: 'list',
      constraint: { repeated: { min_items: '1' } },
    }),
    field('require_scope_for_path', of('policy.ScopeBinding'), 'Paths that need a scope', list),
    ...credentialExtras,
  ),
  message(
    'policy.ApiKeySource',
    field('source', source, 'Where the key is read; keys in queries leak into logs', { default: 'header' }),
    field('name', text, 'Name of the header or query parameter', { constraint: headerName, default: 'X-Api-Key' }),
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
    field('not_before', text, 'Not taken before this time, such as 2027-01-31T00:00:00Z'),
    field('expires_at', text, 'Not taken from this time on, such as 2027-12-31T00:00:00Z'),
  ),
  message(
    'policy.ScopeBinding',
    field('path_prefix', text, 'Beginning of the paths to guard: "/admin" also guards "/administrator"', {
      required: true,
      constraint: beginsWithSlash,
    }),
    field('scope', text, 'Scope that a key must carry there', { required: true, constraint: notEmpty }),
    field('whole_segments', bool, 'Guards "/admin" and what is below it, but not "/administrator"', {
      default: 'false',
    }),
  ),
  message(
    'policy.Jwt',
    field('algorithms', oneOf('policy.JwtAlgorithm', ...jwtAlgorithms()), 'Signatures that are taken', {
      required: true,
      shape: 'list',
      constraint: { repeated: { min_items: '1' } },
    }),
    field('issuer', text, 'Who must have issued the token; absent: anybody', { constraint: notEmpty }),
    field('audience', text, 'Whom the token must be for; absent: anybody', { constraint: notEmpty }),
    field('public_key_file', text, 'File of the policy with the public key or certificate (PEM)', {
      constraint: notEmpty,
    }),
    field('jwks_file', text, 'File of the policy with a key set (JWKS), chosen from by the kid of the token', {
      constraint: notEmpty,
    }),
    field('hmac_secret_file', text, 'File of the policy with the shared secret, for the HS algorithms', {
      constraint: notEmpty,
    }),
    field('leeway', text, 'How far clocks may differ, such as 30s; at most 5m', { default: '0s' }),
    field('required_claims', text, 'Claims that a token must have, not empty', {
      shape: 'list',
      constraint: { repeated: { max_items: '64', items: notEmpty } },
    }),
    field('header_name', text, 'Header that carries the token, with or without "Bearer "', {
      constraint: headerName,
      default: 'Authorization',
    }),
    ...credentialExtras,
  ),
  message(
    'policy.RateLimit',
    field('requests_per_second', decimal, 'Sustained rate per key', {
      ...required,
      constraint: { double: { gt: 0, lte: RATE_MAX } },
    }),
    field('burst', whole, 'Requests at once; 0 derives it from the rate', {
      constraint: between(0, RATE_MAX),
      default: '0',
    }),
    field(
      'key',
      oneOf('policy.LimiterKey', 'ip', 'host', 'header'),
      'What is counted: the client address, the host, or the value of a header',
      { default: 'ip' },
    ),
    field('header', text, 'Request header whose value is counted; needed when key is header'),
    field(
      'share',
      oneOf('policy.LimitShare', 'proxy', 'fleet'),
      'Whole for each proxy, or divided evenly over all proxies that hold the policy',
      { default: 'proxy' },
    ),
  ),
  message(
    'policy.Graphql',
    limit('max_depth', 'Selection sets within each other'),
    limit('max_aliases', 'Aliases, counted through fragments'),
    limit('max_root_fields', 'Fields of the operation itself, counted through fragments'),
    limit('max_total_fields', 'All fields, counted through fragments'),
    limit('max_operations', 'Operations of a document, and documents of a batch'),
    field('block_introspection', bool, 'Blocks queries on __schema and __type', { default: 'false' }),
    field('paths', text, 'Beginnings of the paths that are looked at; none: every path', {
      shape: 'list',
      constraint: { repeated: { items: beginsWithSlash } },
    }),
    field('content_types', text, 'Bodies that are read as GraphQL. Default: application/json and application/graphql', {
      shape: 'list',
      constraint: { repeated: { items: notEmpty } },
    }),
    field('max_fragment_depth', whole, 'Fragments spread within each other; always on', {
      constraint: between(0),
      default: '32',
    }),
    field('max_complexity', whole, 'Selections that an operation visits, fragments expanded; always on', {
      constraint: between(0),
      default: '100000',
    }),
  ),
];

function jwtAlgorithms(): string[] {
  const sizes = ['256', '384', '512'];
  return [...['HS', 'RS', 'PS', 'ES'].flatMap((family) => sizes.map((size) => `${family}${size}`)), 'EdDSA'];
}
