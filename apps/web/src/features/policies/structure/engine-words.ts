const KEYS_NAMED_MAX = 5;

/** The options of an engine as people say them. What is not understood is left out: the text has it. */
export function describeEngine(name: string, block: unknown): readonly string[] {
  if (!isRecord(block)) return [];
  if (name === 'api_key') return describeApiKey(block);
  if (name === 'rate_limit') return describeRateLimit(block);
  return ['This version of the filter does not run it.'];
}

function describeApiKey(block: Readonly<Record<string, unknown>>): readonly string[] {
  const place = block.source === 'query' ? 'query parameter' : 'header';
  const keys = listOf(block.keys);
  const named = keys.slice(0, KEYS_NAMED_MAX).map((key) => {
    const scopes = Array.isArray(key.scopes) && key.scopes.length > 0 ? ` (${key.scopes.join(', ')})` : '';
    return `${textOf(key.subject) || 'unnamed'}${scopes}`;
  });
  const more = keys.length > KEYS_NAMED_MAX ? ` and ${keys.length - KEYS_NAMED_MAX} more` : '';
  return [
    `Needs a known key in the ${place} ${textOf(block.name) || 'X-Api-Key'}.`,
    `${keys.length} ${keys.length === 1 ? 'key' : 'keys'}${keys.length > 0 ? `: ${named.join('; ')}${more}` : ''}.`,
    ...listOf(block.require_scope_for_path).map(
      ({ path_prefix: prefix, scope }) => `Paths that begin with ${textOf(prefix)} need the scope ${textOf(scope)}.`,
    ),
  ];
}

function describeRateLimit(block: Readonly<Record<string, unknown>>): readonly string[] {
  const rate = Number(block.requests_per_second);
  const burst = Number(block.burst) || Math.max(1, Math.floor(rate)) || 1;
  const by =
    block.key === 'host'
      ? 'host'
      : block.key === 'header'
        ? `value of the header ${textOf(block.header)}`
        : 'client address';
  return [
    `${Number.isFinite(rate) ? rate.toLocaleString('en') : '?'} ${rate === 1 ? 'request' : 'requests'} per second for each ${by}, up to ${burst.toLocaleString('en')} at once.`,
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
