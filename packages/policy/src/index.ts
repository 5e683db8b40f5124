export { type BlockResponse, challengeSchemeOf } from './block-response.ts';
export { digestBundle, referencedFiles, scanFileNames, secretFiles } from './bundle.ts';
export { findDataPathFault, isPolicyFile } from './bundle-path.ts';
export { parseDurationMs } from './duration.ts';
export { EDGES_FILE, writeEdges } from './edges.ts';
export {
  deriveDomains,
  type EffectiveDomain,
  type EffectivePolicy,
  type EffectiveRoute,
} from './effective.ts';
export type { EngineBlock } from './engine-block.ts';
export type { ApiKeyOptions, ApiKeySource, ScopeBinding } from './engines/api-key.ts';
export { digestApiKey } from './engines/api-key-digest.ts';
export type { ApiKeyEntry, KeyLimit } from './engines/api-key-entry.ts';
export { type ClaimBinding, isScopeClaim } from './engines/claim-binding.ts';
export type { DataFiles } from './engines/engine-spec.ts';
export type { GraphqlOptions } from './engines/graphql.ts';
export type { FieldCost } from './engines/graphql-field-costs.ts';
export { DocumentList, TRUSTED_DOCUMENTS_MAX_BYTES } from './engines/graphql-trusted-documents.ts';
export { isHeaderText } from './engines/header-text.ts';
export {
  BODY_REASONS,
  ENGINE_ERROR_REASON,
  ENGINE_NAMES,
  ENGINE_REASONS,
  ENGINE_TIMEOUT_REASON,
  type EngineName,
  type EngineOptions,
  type EngineReason,
  isEngineName,
  readsBodies,
} from './engines/index.ts';
export type { JwtOptions } from './engines/jwt.ts';
export { JWT_ALGORITHMS, type JwtAlgorithm } from './engines/jwt-keys/algorithms.ts';
export type { JwtKey } from './engines/jwt-keys/key-file.ts';
export type { MethodsOptions } from './engines/methods.ts';
export type { RateLimitOptions } from './engines/rate-limit.ts';
export { readTokenType } from './engines/token-type.ts';
export * from './envoy-filter.ts';
export { type FilterDemands, findFilterFaults } from './envoy-filter-faults.ts';
export { foldHeaderName } from './header-names.ts';
export {
  canonicalHost,
  canonicalIpv6,
  formatHostPattern,
  type HostPattern,
  parseHostPattern,
  readHosts,
} from './host.ts';
export {
  type CheckedPolicies,
  checkPolicyFiles,
  type LoadedPolicies,
  loadPolicyFiles,
  parsePolicyDocument,
} from './load.ts';
export { findAuthority, normalizePath, type PathAndQuery, type PathReadings, readPath, splitTarget } from './path.ts';
export { decodeOnce } from './path-escapes.ts';
export { placeComplaint } from './place-complaint.ts';
export { listPlaceholders, PLACEHOLDER_MARK } from './placeholders.ts';
export { DomainIndex, DomainPlace, type DomainSource, PolicyIndex, type PolicyQuery } from './policy-index.ts';
export type { PathBytes } from './prefix-table.ts';
export { formatProblem, type LoadProblem } from './problem.ts';
export { replaceRawKeys } from './raw-keys.ts';
export {
  findTemplateFault,
  isTemplateName,
  segmentsOf,
  type TemplateSegment,
  toTemplateName,
} from './route-template.ts';
export {
  type FailMode,
  POLICY_API_VERSION,
  POLICY_KIND,
  type PolicyDocument,
  type PolicyMode,
  policyDocumentSchema,
} from './schema.ts';
export { SHIELD_MINUTE_COUNTERS_KEPT, SHIELD_MINUTES_KEPT } from './shield-minutes.ts';
export { parseStrictJson } from './strict-json.ts';
export { findPolicyWarnings, type PolicyWarning } from './warnings/find-policy-warnings.ts';
export { policyJsonSchema, wholePolicySchema } from './whole-schema.ts';
export { POLICY_FILE_MAX_BYTES, type PolicyFile } from './yaml-source.ts';
