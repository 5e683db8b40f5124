import type { EngineBlock } from './effective.ts';

/**
 * The order in which the engines of a policy decide; cheap before costly, and deterministic:
 *
 * 1. `rate_limit`, where its key does not depend on a credential: a flood meets 429 before it costs a hash.
 * 2. `api_key`.
 * 3. `rate_limit`, where its key is the header that carries a credential: only a credential that is good has a bucket.
 * 4. every other engine, in the order of the table of engines.
 */
export function orderEngines(blocks: readonly EngineBlock[]): EngineBlock[] {
  const carriers = new Set(blocks.map(credentialHeader));
  const rankOf = (block: EngineBlock): number => {
    if (block.engine === 'api_key') return 2;
    if (block.engine !== 'rate_limit') return 4;
    return block.options.key === 'header' && carriers.has(block.options.header) ? 3 : 1;
  };
  return blocks
    .map((block, index) => ({ block, index, rank: rankOf(block) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ block }) => block);
}

/** The header whose value proves who the client is, in lowercase. */
function credentialHeader(block: EngineBlock): string | undefined {
  return block.engine === 'api_key' && block.options.source === 'header' ? block.options.name : undefined;
}
