import type { EngineBlock } from './effective.ts';

/**
 * The order in which the engines of a policy decide; cheap before costly, and deterministic:
 *
 * 1. `rate_limit`, where its key does not depend on a credential: a flood meets 429 before it costs a hash.
 * 2. `api_key`.
 * 3. `jwt`, whose signature costs more than a hash.
 * 4. `rate_limit`, where its key is a header that carries a credential: only a credential that is good has a bucket.
 * 5. every other engine, in the order of the table of engines.
 */
export function orderEngines(blocks: readonly EngineBlock[]): EngineBlock[] {
  const carriers = new Set(blocks.flatMap(credentialHeaders));
  const rankOf = (block: EngineBlock): number => {
    if (block.engine === 'api_key') return 2;
    if (block.engine === 'jwt') return 3;
    if (block.engine !== 'rate_limit') return 5;
    return block.options.key === 'header' && carriers.has(block.options.header) ? 4 : 1;
  };
  return blocks
    .map((block, index) => ({ block, index, rank: rankOf(block) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ block }) => block);
}

/** The headers whose value proves who the client is, in lowercase. */
function credentialHeaders(block: EngineBlock): readonly string[] {
  if (block.engine === 'jwt') return [block.options.header];
  if (block.engine !== 'api_key') return [];
  return block.options.sources.filter(({ source }) => source === 'header').map(({ name }) => name);
}
