import type { Clock } from '@flotilla/kit';
import type { EngineBlock } from '@flotilla/policy';
import { createApiKeyEngine } from './api-key/api-key-engine.ts';
import { API_KEY_REASONS } from './api-key/verdicts.ts';
import type { BlockReason, CompiledEngine } from './engine.ts';
import { createGraphqlEngine, GRAPHQL_REASONS } from './graphql/graphql-engine.ts';
import { createJwtEngine, JWT_REASONS } from './jwt/jwt-engine.ts';
import { createMethodsEngine, METHODS_REASONS } from './methods/methods-engine.ts';
import { shareOfFleet } from './rate-limit/fleet-share.ts';
import { createRateLimitEngine, type LimiterPlace, RATE_LIMIT_REASONS } from './rate-limit/rate-limit-engine.ts';
import { threadClock } from './rate-limit/thread-clock.ts';

/** Creates the engine of a block, with empty state. Limiter state is kept in `place` if threads share it. */
export function compileEngine(block: EngineBlock, clock: Clock = threadClock, place?: LimiterPlace): CompiledEngine {
  switch (block.engine) {
    case 'api_key':
      return createApiKeyEngine(block.options, clock, place);
    case 'jwt':
      return createJwtEngine(block.options, clock);
    case 'rate_limit':
      return createRateLimitEngine(shareOfFleet(block.options, block.edges), clock, place);
    case 'graphql':
      return createGraphqlEngine(block.options);
    case 'methods':
      return createMethodsEngine(block.options);
  }
}

export function hasLimiter({ engine, options }: EngineBlock): boolean {
  return engine === 'rate_limit' || (engine === 'api_key' && options.keys.some(({ limit }) => limit !== null));
}

/** All reasons for which an engine of this version can block. */
export const ENGINE_REASONS: { readonly [N in EngineBlock['engine']]: readonly BlockReason[] } = {
  api_key: API_KEY_REASONS,
  jwt: JWT_REASONS,
  rate_limit: RATE_LIMIT_REASONS,
  graphql: GRAPHQL_REASONS,
  methods: METHODS_REASONS,
};
