export { type Answer, type AnswerFacts, classifyAnswer } from './answer.ts';
export { categorizePath, type EndpointCategory } from './categories.ts';
export { isIbanValid, isLuhnValid } from './checksums.ts';
export { type Activity, type AuthPosture, activeSinceMs, deriveActivity, recordActivity } from './facts/activity.ts';
export {
  CATEGORY_BITS,
  EVENT_MARKS,
  type EventMark,
  fromCategoryBits,
  fromFlagBits,
  fromMarkBits,
  fromPiiBits,
  PII_BITS,
  type SensitiveKind,
  toCategoryBits,
  toFlagBits,
  toMarkBits,
  toPiiBits,
} from './facts/event-bits.ts';
export { mergeDelta } from './facts/merge.ts';
export { mergeStates } from './facts/merge-states.ts';
export {
  LATENCY_CLASS_BOUNDS_MS,
  type LastSeen,
  type ObservedScheme,
  OPERATION_SET_LIMITS,
  type OperationDelta,
  type OperationKey,
  type UrlScheme,
} from './facts/operation-delta.ts';
export { toOperationId } from './facts/operation-id.ts';
export {
  createOperationState,
  OPERATION_SETS,
  type OperationSet,
  type OperationState,
  rebaselinePatch,
  resetPatch,
} from './facts/operation-state.ts';
export {
  bandOf,
  type FlagTexts,
  RISK_BANDS,
  RISK_FLAG_NAMES,
  RISK_FLAGS,
  type RiskAxis,
  type RiskBand,
  type RiskClass,
  type RiskFlag,
  type RiskFlagFacts,
  type RiskRemedy,
  type RiskScores,
  type RiskSeverity,
  SEVERITY_POINTS,
  scoreFlags,
} from './facts/risk-flags.ts';
export { RISK_TEXTS } from './facts/risk-texts.ts';
export { INVALID_HOST, normalizeHost } from './host.ts';
export { HostTree } from './host-tree.ts';
export {
  Identifier,
  type Identity,
  type Knowledge,
  OTHER_PATH,
  type ReadRequest,
  type Request,
  type Source,
  TRAVERSAL_PATH,
} from './identity.ts';
export { Learner, type LearnerLimits, OTHER_HOST } from './learner.ts';
export { LinearPattern } from './linear-pattern.ts';
export { type Method, normalizeMethod } from './method.ts';
export { type NormalPath, normalizePath } from './path.ts';
export { toTemplate } from './path-template.ts';
export { compileSearch } from './patterns.ts';
export { findPii, type PiiCategory, type PiiContext } from './pii.ts';
export type { Placeholder, ValueKind } from './placeholders.ts';
export { type NamedOperation, Renamer, type Renaming } from './renamer.ts';
export type { Rpc } from './rpc.ts';
export { type CompiledRules, OperatorRules, type Rule, type RuleProblem } from './rules.ts';
export { countRoutes, type Resolve, readRouteTable } from './served/read-table.ts';
export { RouteNames } from './served/route-names.ts';
export { NO_ROUTES, type RouteTable, type ServedRoutes, toPlace } from './served/served-route.ts';
export { type LearnedTemplate, listTemplates } from './shape.ts';
export { type LearnerState, readState as readLearnerState } from './state.ts';
export { type KnownTemplate, TEMPLATES_MAX, TemplateIndex } from './template-index.ts';
