import { type ApiKeyOptions, apiKeySpec } from './api-key.ts';
import type { EngineSpec } from './engine-spec.ts';
import { type RateLimitOptions, rateLimitSpec } from './rate-limit.ts';

/** Normal form of every engine that this version runs. */
export interface EngineOptions {
  readonly api_key: ApiKeyOptions;
  readonly rate_limit: RateLimitOptions;
}

export type EngineName = keyof EngineOptions;

/**
 * The engines in the order in which they decide. Credentials come first: a missing key is answered 403 whether or not
 * its bucket is empty, and whoever has no key cannot drain the bucket of those who have.
 */
export const ENGINE_ORDER: readonly EngineName[] = ['api_key', 'rate_limit'];

export const ENGINE_SPECS: { readonly [N in EngineName]: EngineSpec<EngineOptions[N]> } = {
  api_key: apiKeySpec,
  rate_limit: rateLimitSpec,
};

/** Why a request was stopped, by the engine that stops it. Stable: people count by them, and filters are believed of no others. */
export const ENGINE_REASONS = {
  api_key: ['apikey.missing', 'apikey.unknown', 'apikey.scope'],
  rate_limit: ['ratelimit.exceeded'],
} as const satisfies { readonly [N in EngineName]: readonly string[] };

/** Any engine's, when it breaks. */
export const ENGINE_ERROR_REASON = 'engine.error';

export type EngineReason = (typeof ENGINE_REASONS)[EngineName][number] | typeof ENGINE_ERROR_REASON;

/** Engines of the policy language that this version does not run. A policy that asks for one is refused, not half obeyed. */
export const ENGINES_NOT_RUN: readonly string[] = ['graphql', 'jwt'];

export function isEngineName(name: string): name is EngineName {
  return Object.hasOwn(ENGINE_SPECS, name);
}
