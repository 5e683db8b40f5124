import { texts } from './texts.tsx';

const text = texts.engineWords;
const KEYS_NAMED_MAX = 5;

/** Describes the options of an engine in sentences. Omits what it cannot parse: the text has it. */
export function describeEngine(name: string, block: unknown): readonly string[] {
  if (!isRecord(block)) return [];
  if (name === 'api_key') return describeApiKey(block);
  if (name === 'rate_limit') return describeRateLimit(block);
  if (name === 'jwt') return describeJwt(block);
  if (name === 'graphql') return describeGraphql(block);
  if (name === 'methods')
    return Array.isArray(block.allow) ? [text.describeMethods(block.allow.map(textOf).join(', '))] : [];
  return [text.describeEngine.unknown];
}

function describeApiKey(block: Readonly<Record<string, unknown>>): readonly string[] {
  const sources = listOf(block.sources);
  const places = (sources.length > 0 ? sources : [block]).map(describeSource).join(' or ');
  const keys = listOf(block.keys);
  const named = keys.slice(0, KEYS_NAMED_MAX).map((key) => {
    const rate = textOf(key.requests_per_second);
    const may = [
      ...(Array.isArray(key.scopes) ? key.scopes.map(textOf) : []),
      ...(Array.isArray(key.methods) ? [text.describeKey.methods(key.methods.map(textOf).join(' '))] : []),
      ...(rate === '' ? [] : [text.describeKey.rate(rate)]),
    ];
    return `${textOf(key.subject) || 'unnamed'}${may.length === 0 ? '' : ` (${may.join(', ')})`}`;
  });
  const more = keys.length > KEYS_NAMED_MAX ? text.describeApiKey.andMore(keys.length - KEYS_NAMED_MAX) : '';
  return [
    text.describeApiKey.needsKey(places),
    `${keys.length} ${keys.length === 1 ? 'key' : 'keys'}${keys.length > 0 ? `: ${named.join('; ')}${more}` : ''}.`,
    ...listOf(block.require_scope_for_path).map(({ path_prefix: prefix, scope, whole_segments: whole }) =>
      whole === true
        ? text.describeApiKey.scopeBelow(textOf(prefix), textOf(scope))
        : text.describeApiKey.scopeForPrefix(textOf(prefix), textOf(scope)),
    ),
    ...describeExtras(block, 'key'),
  ];
}

function describeSource({ source, name }: Readonly<Record<string, unknown>>): string {
  return `${source === 'query' ? text.describeSource.queryParameter : 'header'} ${textOf(name) || 'X-Api-Key'}`;
}

function describeExtras(block: Readonly<Record<string, unknown>>, what: string): readonly string[] {
  const header = textOf(block.subject_header);
  return [
    ...(block.strip_credential === true ? [text.describeExtras.credentialHidden(what)] : []),
    ...(header === '' ? [] : [text.describeExtras.subjectTold(header)]),
  ];
}

function describeJwt(block: Readonly<Record<string, unknown>>): readonly string[] {
  const [issuer, audience] = [textOf(block.issuer), textOf(block.audience)];
  const [maxAge, type] = [textOf(block.max_age), textOf(block.type)];
  const claims = Array.isArray(block.required_claims) ? block.required_claims.map(textOf) : [];
  const algorithms = Array.isArray(block.algorithms) ? block.algorithms.map(textOf).join(', ') : '';
  const file = textOf(block.public_key_file) || textOf(block.jwks_file) || textOf(block.hmac_secret_file);
  return [
    text.describeJwt.needsToken(
      textOf(block.header_name) || 'Authorization',
      algorithms || '?',
      file || text.describeJwt.noFile,
    ),
    ...(issuer === '' ? [] : [text.describeJwt.issuer(issuer)]),
    ...(audience === '' ? [] : [text.describeJwt.audience(audience)]),
    ...(claims.length === 0 ? [] : [text.describeJwt.claims(claims.join(', '))]),
    ...(maxAge === '' ? [] : [text.describeJwt.maxAge(maxAge)]),
    ...(type === '' ? [] : [text.describeJwt.type(type)]),
    ...listOf(block.require_claims_for_path).map(
      ({ path_prefix: prefix, claim, any_of: texts, whole_segments: whole }) => {
        const wanted = (Array.isArray(texts) ? texts.map(textOf) : []).join(' or ');
        const tell = whole === true ? text.describeJwt.claimBelow : text.describeJwt.claimForPrefix;
        return tell(textOf(prefix), textOf(claim), wanted);
      },
    ),
    ...describeExtras(block, 'token'),
  ];
}

const GRAPHQL_LIMITS = [
  ['max_depth', 'levels'],
  ['max_aliases', 'aliases'],
  ['max_root_fields', text.graphqlLimits.rootFields],
  ['max_total_fields', 'fields'],
  ['max_operations', 'operations'],
  ['max_directives', 'directives'],
  ['max_arguments', 'arguments'],
] as const;

function describeGraphql(block: Readonly<Record<string, unknown>>): readonly string[] {
  const limits = GRAPHQL_LIMITS.flatMap(([field, words]) => {
    const limit = Number(block[field]);
    return limit > 0 ? [`${limit.toLocaleString('en')} ${words}`] : [];
  });
  const paths = Array.isArray(block.paths) ? block.paths.map(textOf) : [];
  const cost = Number(block.max_cost);
  const trusted = textOf(block.trusted_documents_file);
  return [
    limits.length === 0 ? text.describeGraphql.anyShape : text.describeGraphql.atMost(limits.join(', ')),
    ...(trusted === '' ? [] : [text.describeGraphql.trustedAlone(trusted)]),
    ...(cost > 0 ? [text.describeGraphql.costsAtMost(cost.toLocaleString('en'))] : []),
    ...(block.block_introspection === true ? [text.describeGraphql.noIntrospection] : []),
    ...(block.block_incremental === true ? [text.describeGraphql.noIncremental] : []),
    ...(paths.length === 0 ? [] : [text.describeGraphql.onlyBelow(paths.join(', '))]),
    ...(block.any_method === true ? [text.describeGraphql.anyMethod] : []),
    ...(block.block_upgrades === true ? [text.describeGraphql.noUpgrades] : []),
    ...(block.block_upgrades === false ? [text.describeGraphql.upgradesMeant] : []),
  ];
}

function describeRateLimit(block: Readonly<Record<string, unknown>>): readonly string[] {
  const rate = Number(block.requests_per_second);
  const burst = Number(block.burst) || Math.max(1, Math.floor(rate)) || 1;
  const by =
    block.key === 'host'
      ? 'host'
      : block.key === 'header'
        ? text.describeRateLimit.headerValue(textOf(block.header))
        : text.describeRateLimit.clientAddress;
  return [
    text.describeRateLimit.rate(
      Number.isFinite(rate) ? rate.toLocaleString('en') : '?',
      rate === 1 ? 'request' : 'requests',
      by,
      burst.toLocaleString('en'),
    ),
    ...(block.share === 'fleet' ? [text.describeRateLimit.sharedByFleet] : []),
  ];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
