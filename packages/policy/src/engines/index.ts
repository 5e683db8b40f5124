import { type ApiKeyOptions, apiKeySpec } from './api-key.ts';
import type { EngineSpec } from './engine-spec.ts';
import { type GraphqlOptions, graphqlSpec } from './graphql.ts';
import { type JwtOptions, jwtSpec } from './jwt.ts';
import { type MethodsOptions, methodsSpec } from './methods.ts';
import { type RateLimitOptions, rateLimitSpec } from './rate-limit.ts';

/** Normal form of every engine's block. */
export interface EngineOptions {
  readonly api_key: ApiKeyOptions;
  readonly jwt: JwtOptions;
  readonly rate_limit: RateLimitOptions;
  readonly graphql: GraphqlOptions;
  readonly methods: MethodsOptions;
}

export type EngineName = keyof EngineOptions;

/** All engines. `orderEngines` derives the decision order from a policy's blocks. */
export const ENGINE_NAMES: readonly EngineName[] = ['rate_limit', 'methods', 'api_key', 'jwt', 'graphql'];

export const ENGINE_SPECS: { readonly [N in EngineName]: EngineSpec<EngineOptions[N]> } = {
  api_key: apiKeySpec,
  jwt: jwtSpec,
  rate_limit: rateLimitSpec,
  graphql: graphqlSpec,
  methods: methodsSpec,
};

/** True for a valid block that inspects bodies. */
export function readsBodies(engine: EngineName, block: Readonly<Record<string, unknown>>): boolean {
  const { needsBody, usesBody } = ENGINE_SPECS[engine];
  return needsBody === true || usesBody?.(block) === true;
}

/** The reasons for a block, by engine. Stable: people count them, and other reasons from filters are rejected. */
export const ENGINE_REASONS = {
  api_key: ['apikey.missing', 'apikey.unknown', 'apikey.expired', 'apikey.method', 'apikey.scope', 'apikey.rate'],
  jwt: ['jwt.missing', 'jwt.invalid', 'jwt.age', 'jwt.type', 'jwt.missing_claim', 'jwt.scope'],
  rate_limit: ['ratelimit.exceeded'],
  methods: ['method.not_allowed'],
  graphql: [
    'graphql.batch',
    'graphql.parse_error',
    'graphql.operations',
    'graphql.complexity',
    'graphql.fragment_depth',
    'graphql.root_fields',
    'graphql.depth',
    'graphql.aliases',
    'graphql.total_fields',
    'graphql.introspection',
    'graphql.upgrade',
    'graphql.directives',
    'graphql.arguments',
    'graphql.incremental',
    'graphql.cost',
    'graphql.untrusted_document',
  ],
} as const satisfies { readonly [N in EngineName]: readonly string[] };

/** Reason for any engine that fails. */
export const ENGINE_ERROR_REASON = 'engine.error';

/** Reason for an engine that uses up the request's time budget. */
export const ENGINE_TIMEOUT_REASON = 'engine.timeout';

/** Reasons for a block by the body itself, before an engine saw it. Their findings name the engine `body`. */
export const BODY_REASONS = ['body.too_large', 'body.undecodable'] as const;

export type EngineReason =
  | (typeof ENGINE_REASONS)[EngineName][number]
  | (typeof BODY_REASONS)[number]
  | typeof ENGINE_ERROR_REASON
  | typeof ENGINE_TIMEOUT_REASON;

export function isEngineName(name: string): name is EngineName {
  return Object.hasOwn(ENGINE_SPECS, name);
}
