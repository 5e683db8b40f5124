export { digestBundle, isPolicyFile, referencedFiles } from './bundle.ts';
export { parseDurationMs } from './duration.ts';
export {
  deriveDomains,
  type EffectiveDomain,
  type EffectivePolicy,
  type EffectiveRoute,
  type EngineBlock,
} from './effective.ts';
export { type ApiKeyEntry, type ApiKeyOptions, digestApiKey, type ScopeBinding } from './engines/api-key.ts';
export type { DataFiles } from './engines/engine-spec.ts';
export {
  BODY_REASONS,
  ENGINE_ERROR_REASON,
  ENGINE_NAMES,
  ENGINE_REASONS,
  ENGINE_TIMEOUT_REASON,
  ENGINES_NOT_RUN,
  type EngineName,
  type EngineOptions,
  type EngineReason,
  isEngineName,
} from './engines/index.ts';
export type { RateLimitOptions } from './engines/rate-limit.ts';
export * from './envoy-filter.ts';
export { canonicalHost, canonicalIpv6, formatHostPattern, type HostPattern, parseHostPattern } from './host.ts';
export { type LoadedPolicies, loadPolicyFiles, parsePolicyDocument } from './load.ts';
export { normalizePath, type PathAndQuery, readPath, splitTarget } from './path.ts';
export { DomainIndex, PolicyIndex } from './policy-index.ts';
export { formatProblem, type LoadProblem } from './problem.ts';
export { replaceRawKeys } from './raw-keys.ts';
export {
  type FailMode,
  POLICY_API_VERSION,
  POLICY_KIND,
  type PolicyDocument,
  type PolicyMode,
  policyDocumentSchema,
} from './schema.ts';
export { POLICY_FILE_MAX_BYTES, type PolicyFile } from './yaml-source.ts';
