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
const headerName = { string: { min_len: '1', max_len: '256' } };
const source = oneOf('policy.KeySource', 'header', 'query');

/** Whoever proves a credential may have it taken from the request, and its subject told to the upstream. */
const credentialExtras = [
  field('strip_credential', bool, words.credentialExtras.textTakesCredential, {
    default: 'false',
  }),
  field('subject_header', text, words.credentialExtras.textHeaderTells, { constraint: headerName }),
];

const limit = (name: string, hint: string) =>
  field(name, whole, hint, { constraint: between(0), default: words.limit.defaultWord });

export const ENGINE_MESSAGES: readonly BuiltMessage[] = [
  message(
    'policy.ApiKey',
    field('source', source, words.engineMessages.textWhereKey, { default: 'header' }),
    field('name', text, words.engineMessages.textNameHeader, { constraint: headerName, default: 'X-Api-Key' }),
    field('sources', of('policy.ApiKeySource'), words.engineMessages.textSeveralPlaces, {
      shape: 'list',
      constraint: { repeated: { min_items: '1', max_items: '8' } },
    }),
    field('keys', of('policy.ApiKeyEntry'), words.engineMessages.textKeysLet, {
      required: true,
      shape: 'list',
      constraint: { repeated: { min_items: '1' } },
    }),
    field('require_scope_for_path', of('policy.ScopeBinding'), words.engineMessages.textPathsNeed, list),
    ...credentialExtras,
  ),
  message(
    'policy.ApiKeySource',
    field('source', source, words.engineMessages.textWhereKey, { default: 'header' }),
    field('name', text, words.engineMessages.textNameHeader, { constraint: headerName, default: 'X-Api-Key' }),
  ),
  message(
    'policy.ApiKeyEntry',
    field('sha256', text, words.engineMessages.textShaKey),
    field('key', text, words.engineMessages.textKeyItself, { sensitive: true }),
    field('subject', text, words.engineMessages.textWhoPresents),
    field('scopes', text, words.engineMessages.textScopesKey, {
      shape: 'list',
      constraint: { repeated: { items: notEmpty } },
    }),
    field('not_before', text, words.engineMessages.textNotTaken),
    field('expires_at', text, words.engineMessages.textNotTakenFromTime),
  ),
  message(
    'policy.ScopeBinding',
    field('path_prefix', text, words.engineMessages.textBeginningPaths, {
      required: true,
      constraint: beginsWithSlash,
    }),
    field('scope', text, words.engineMessages.textScopeKey, { required: true, constraint: notEmpty }),
    field('whole_segments', bool, words.engineMessages.textGuardsAdmin, {
      default: 'false',
    }),
  ),
  message(
    'policy.Jwt',
    field('algorithms', oneOf('policy.JwtAlgorithm', ...jwtAlgorithms()), words.engineMessages.textSignaturesTaken, {
      required: true,
      shape: 'list',
      constraint: { repeated: { min_items: '1' } },
    }),
    field('issuer', text, words.engineMessages.textWhoMust, { constraint: notEmpty }),
    field('audience', text, words.engineMessages.textWhomToken, { constraint: notEmpty }),
    field('public_key_file', text, words.engineMessages.textFilePolicy, {
      constraint: notEmpty,
    }),
    field('jwks_file', text, words.engineMessages.textFilePolicyKeySet, {
      constraint: notEmpty,
    }),
    field('hmac_secret_file', text, words.engineMessages.textFilePolicySharedSecret, {
      constraint: notEmpty,
    }),
    field('leeway', text, words.engineMessages.textHowFar, { default: '0s' }),
    field('required_claims', text, words.engineMessages.textClaimsToken, {
      shape: 'list',
      constraint: { repeated: { max_items: '64', items: notEmpty } },
    }),
    field('header_name', text, words.engineMessages.textHeaderCarries, {
      constraint: headerName,
      default: 'Authorization',
    }),
    ...credentialExtras,
  ),
  message(
    'policy.RateLimit',
    field('requests_per_second', decimal, words.engineMessages.textSustainedRate, {
      ...required,
      constraint: { double: { gt: 0, lte: RATE_MAX } },
    }),
    field('burst', whole, words.engineMessages.textRequestsAt, {
      constraint: between(0, RATE_MAX),
      default: '0',
    }),
    field('key', oneOf('policy.LimiterKey', 'ip', 'host', 'header'), words.engineMessages.textCountedClient, {
      default: 'ip',
    }),
    field('header', text, words.engineMessages.textRequestHeader),
    field('share', oneOf('policy.LimitShare', 'proxy', 'fleet'), words.engineMessages.textWholeEach, {
      default: 'proxy',
    }),
  ),
  message(
    'policy.Graphql',
    limit('max_depth', words.engineMessages.textSelectionSets),
    limit('max_aliases', words.engineMessages.textAliasesCounted),
    limit('max_root_fields', words.engineMessages.textFieldsOperation),
    limit('max_total_fields', words.engineMessages.textAllFields),
    limit('max_operations', words.engineMessages.textOperationsDocument),
    field('block_introspection', bool, words.engineMessages.textBlocksQueries, { default: 'false' }),
    field('paths', text, words.engineMessages.textBeginningsPaths, {
      shape: 'list',
      constraint: { repeated: { items: beginsWithSlash } },
    }),
    field('content_types', text, words.engineMessages.textBodiesRead, {
      shape: 'list',
      constraint: { repeated: { items: notEmpty } },
    }),
    field('max_fragment_depth', whole, words.engineMessages.textFragmentsSpread, {
      constraint: between(0),
      default: '32',
    }),
    field('max_complexity', whole, words.engineMessages.textSelectionsOperation, {
      constraint: between(0),
      default: '100000',
    }),
  ),
];

function jwtAlgorithms(): string[] {
  const sizes = ['256', '384', '512'];
  return [...['HS', 'RS', 'PS', 'ES'].flatMap((family) => sizes.map((size) => `${family}${size}`)), 'EdDSA'];
}
