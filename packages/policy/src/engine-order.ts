import type { EngineBlock } from './engine-block.ts';

/**
 * The decision order of a policy's engines: cheap before expensive, and deterministic.
 *
 * 1. `rate_limit`, if its key does not depend on a credential: a flood gets 429 before it costs a hash.
 * 2. `methods`, which only looks at the request itself.
 * 3. `api_key`.
 * 4. `jwt`, whose signature costs more than a hash.
 * 5. `rate_limit`, if its key is a header with a credential: only valid credentials get a bucket.
 * 6. All other engines, in the order of the table of engines.
 */
export function orderEngines(blocks: readonly EngineBlock[]): EngineBlock[] {
  const carriers = new Set(blocks.flatMap(credentialHeaders));
  const rankOf = (block: EngineBlock): number => {
    if (block.engine === 'methods') return 2;
    if (block.engine === 'api_key') return 3;
    if (block.engine === 'jwt') return 4;
    if (block.engine !== 'rate_limit') return 6;
    return block.options.key === 'header' && carriers.has(block.options.header) ? 5 : 1;
  };
  return blocks
    .map((block, index) => ({ block, index, rank: rankOf(block) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ block }) => block);
}

/** The lowercase headers whose value proves the client's identity. */
function credentialHeaders(block: EngineBlock): readonly string[] {
  if (block.engine === 'jwt') return [block.options.header];
  if (block.engine !== 'api_key') return [];
  return block.options.sources.filter(({ source }) => source === 'header').map(({ name }) => name);
}
