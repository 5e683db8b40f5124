export { AlikeNames } from './alike-names.ts';
export { createApiKeyEngine } from './api-key/api-key-engine.ts';
export { findKeyLimit } from './api-key/key-limit-of-request.ts';
export { removeQueryParameter } from './api-key/query-values.ts';
export { API_KEY_REASONS } from './api-key/verdicts.ts';
export { type Budget, BudgetExceeded, UNLIMITED } from './budget.ts';
export { compileEngine, ENGINE_REASONS, hasLimiter } from './compile.ts';
export { withholdHeaders } from './credential-grant.ts';
export {
  ALLOW,
  type AllowVerdict,
  type BlockReason,
  type BlockVerdict,
  BODY_VERDICTS,
  type BodyPhase,
  type CompiledEngine,
  type Grant,
  type RequestView,
  type Severity,
  type Verdict,
} from './engine.ts';
export { holdsBareQuery } from './graphql/coded-queries.ts';
export { createGraphqlEngine, GRAPHQL_REASONS } from './graphql/graphql-engine.ts';
export { createJwtEngine, JWT_REASONS } from './jwt/jwt-engine.ts';
export { holdsBareOverride } from './method-overrides/coded-overrides.ts';
export { shareOfFleet } from './rate-limit/fleet-share.ts';
export {
  type BucketState,
  LIMITER_KEYS_PER_SHARD,
  LIMITER_SHARDS,
  Limiter,
  type LimiterOptions,
} from './rate-limit/limiter.ts';
export { createArenaBuffer, LimiterArena } from './rate-limit/limiter-arena.ts';
export {
  createRateLimitEngine,
  type LimiterPlace,
  RATE_LIMIT_REASONS,
  type RateLimitEngine,
} from './rate-limit/rate-limit-engine.ts';
export { threadClock } from './rate-limit/thread-clock.ts';
export { deriveSourceIp, parseAddress, type SourceAddressFacts } from './source-ip.ts';
