import { texts } from '../../texts/index.ts';
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

const words = texts.editor.policy.engineMessages;

const RATE_MAX = 1_000_000_000;
const FIELD_COST_MAX = 1_000_000;
const headerName = { string: { min_len: '1', max_len: '256' } };
const source = oneOf('policy.KeySource', 'header', 'query');

/** Fields of engines that verify credentials: strip the credential, pass the subject to the upstream. */
const credentialExtras = [
  field('strip_credential', bool, words.credentialExtras.stripCredential, {
    default: 'false',
  }),
  field('subject_header', text, words.credentialExtras.subjectHeader, { constraint: headerName }),
];

const limit = (name: string, hint: string) =>
  field(name, whole, hint, { constraint: between(0), default: words.limit.defaultWord });

export const ENGINE_MESSAGES: readonly BuiltMessage[] = [
  message(
    'policy.ApiKey',
    field('source', source, words.fields.keySource, { default: 'header' }),
    field('name', text, words.fields.keyName, { constraint: headerName, default: 'X-Api-Key' }),
    field('sources', of('policy.ApiKeySource'), words.fields.keySources, {
      shape: 'list',
      constraint: { repeated: { min_items: '1', max_items: '8' } },
    }),
    field('keys', of('policy.ApiKeyEntry'), words.fields.keys, {
      required: true,
      shape: 'list',
      constraint: { repeated: { min_items: '1' } },
    }),
    field('require_scope_for_path', of('policy.ScopeBinding'), words.fields.scopeForPath, list),
    ...credentialExtras,
  ),
  message(
    'policy.ApiKeySource',
    field('source', source, words.fields.keySource, { default: 'header' }),
    field('name', text, words.fields.keyName, { constraint: headerName, default: 'X-Api-Key' }),
  ),
  message(
    'policy.ApiKeyEntry',
    field('sha256', text, words.fields.sha256),
    field('subject', text, words.fields.subject),
    field('scopes', text, words.fields.scopes, {
      shape: 'list',
      constraint: { repeated: { items: notEmpty } },
    }),
    field('not_before', text, words.fields.notBefore),
    field('expires_at', text, words.fields.expiresAt),
    field('methods', text, words.fields.methods, {
      shape: 'list',
      constraint: { repeated: { min_items: '1', max_items: '32', items: { string: { max_len: '64' } } } },
    }),
    field('requests_per_second', decimal, words.fields.keyRate, {
      constraint: { double: { gt: 0, lte: RATE_MAX } },
    }),
    field('burst', whole, words.fields.keyBurst, { constraint: between(0, RATE_MAX), default: '0' }),
    // Last, because equal names have the same order in every message, and a limiter's key follows its burst.
    field('key', text, words.fields.key, { sensitive: true }),
  ),
  message(
    'policy.ScopeBinding',
    field('path_prefix', text, words.fields.pathPrefix, {
      required: true,
      constraint: beginsWithSlash,
    }),
    field('scope', text, words.fields.scope, { required: true, constraint: notEmpty }),
    field('whole_segments', bool, words.fields.wholeSegments, {
      default: 'false',
    }),
  ),
  message(
    'policy.Jwt',
    field('algorithms', oneOf('policy.JwtAlgorithm', ...jwtAlgorithms()), words.fields.algorithms, {
      required: true,
      shape: 'list',
      constraint: { repeated: { min_items: '1' } },
    }),
    field('issuer', text, words.fields.issuer, { constraint: notEmpty }),
    field('audience', text, words.fields.audience, { constraint: notEmpty }),
    field('public_key_file', text, words.fields.publicKeyFile, {
      constraint: notEmpty,
    }),
    field('jwks_file', text, words.fields.jwksFile, {
      constraint: notEmpty,
    }),
    field('hmac_secret_file', text, words.fields.hmacSecretFile, {
      constraint: notEmpty,
    }),
    field('leeway', text, words.fields.leeway, { default: '0s' }),
    field('required_claims', text, words.fields.requiredClaims, {
      shape: 'list',
      constraint: { repeated: { max_items: '64', items: notEmpty } },
    }),
    field('max_age', text, words.fields.maxAge),
    field('type', text, words.fields.tokenType, { constraint: { string: { min_len: '1', max_len: '256' } } }),
    field('require_claims_for_path', of('policy.ClaimBinding'), words.fields.claimsForPath, {
      shape: 'list',
      constraint: { repeated: { max_items: '128' } },
    }),
    field('header_name', text, words.fields.headerName, {
      constraint: headerName,
      default: 'Authorization',
    }),
    ...credentialExtras,
  ),
  message(
    'policy.ClaimBinding',
    field('path_prefix', text, words.fields.pathPrefix, {
      required: true,
      constraint: beginsWithSlash,
    }),
    field('claim', text, words.fields.claim, {
      required: true,
      constraint: { string: { min_len: '1', max_len: '256' } },
    }),
    field('any_of', text, words.fields.anyOf, {
      required: true,
      shape: 'list',
      constraint: {
        repeated: { min_items: '1', max_items: '64', items: { string: { min_len: '1', max_len: '256' } } },
      },
    }),
    field('whole_segments', bool, words.fields.wholeSegments, {
      default: 'false',
    }),
  ),
  message(
    'policy.RateLimit',
    field('requests_per_second', decimal, words.fields.requestsPerSecond, {
      ...required,
      constraint: { double: { gt: 0, lte: RATE_MAX } },
    }),
    field('burst', whole, words.fields.burst, {
      constraint: between(0, RATE_MAX),
      default: '0',
    }),
    field('key', oneOf('policy.LimiterKey', 'ip', 'host', 'header'), words.fields.limiterKey, {
      default: 'ip',
    }),
    field('header', text, words.fields.limiterHeader),
    field('share', oneOf('policy.LimitShare', 'proxy', 'fleet'), words.fields.share, {
      default: 'proxy',
    }),
  ),
  message(
    'policy.Graphql',
    limit('max_depth', words.fields.maxDepth),
    limit('max_aliases', words.fields.maxAliases),
    limit('max_root_fields', words.fields.maxRootFields),
    limit('max_total_fields', words.fields.maxTotalFields),
    limit('max_operations', words.fields.maxOperations),
    field('block_introspection', bool, words.fields.blockIntrospection, { default: 'false' }),
    field('paths', text, words.fields.paths, {
      shape: 'list',
      constraint: { repeated: { items: beginsWithSlash } },
    }),
    field('any_method', bool, words.fields.anyMethod, { default: 'false' }),
    field('block_upgrades', bool, words.fields.blockUpgrades),
    field('content_types', text, words.fields.contentTypes, {
      shape: 'list',
      constraint: { repeated: { items: notEmpty } },
    }),
    field('max_fragment_depth', whole, words.fields.maxFragmentDepth, {
      constraint: between(0),
      default: '32',
    }),
    field('max_complexity', whole, words.fields.maxComplexity, {
      constraint: between(0),
      default: '100000',
    }),
    limit('max_directives', words.fields.maxDirectives),
    limit('max_arguments', words.fields.maxArguments),
    field('block_incremental', bool, words.fields.blockIncremental, { default: 'false' }),
    limit('max_cost', words.fields.maxCost),
    field('field_costs', whole, words.fields.fieldCosts, {
      shape: 'map',
      key_type: 'string',
      constraint: { map: { values: between(0, FIELD_COST_MAX) } },
    }),
    field('trusted_documents_file', text, words.fields.trustedDocumentsFile, { constraint: notEmpty }),
  ),
];

function jwtAlgorithms(): string[] {
  const sizes = ['256', '384', '512'];
  return [...['HS', 'RS', 'PS', 'ES'].flatMap((family) => sizes.map((size) => `${family}${size}`)), 'EdDSA'];
}
