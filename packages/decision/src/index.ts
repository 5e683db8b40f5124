export { statedLength } from './body/foreseen-failure.ts';
export { ReceivedBody } from './body/received-body.ts';
export { Decision, type DecisionListener, type Finding } from './decision.ts';
export {
  createFindingEvent,
  FINDING_TEXT_MAX_CHARS,
  type FindingCircumstances,
  toPlainText,
  type UncountedFinding,
} from './events/create-finding-event.ts';
export type { FindingEvent, FindingPage } from './events/finding-event.ts';
export { type BlockTelling, describeBlock, isTellableRequestId } from './explain/block-answer.ts';
export { type ExplainOptions, explainRequest } from './explain/explain-request.ts';
export type * from './explain/explanation.ts';
export { parseTrialRequest } from './explain/parse-trial-request.ts';
export {
  isTrialTarget,
  TRIAL_BODY_MAX_BYTES,
  TRIAL_HEADERS_MAX,
  TRIAL_HEADERS_MAX_CHARS,
  TRIAL_URL_MAX_CHARS,
  type TrialRequest,
} from './explain/trial-request.ts';
export { bodyOfTrial, TrialView } from './explain/trial-view.ts';
export { type BundleHead, headOf, packPolicies, unpackPolicies } from './packed-policies.ts';
export {
  CounterBook,
  type FindingVerdict,
  type PolicyCounter,
  type PolicyCounts,
  type PolicyCountsSource,
  ThreadCounts,
} from './policy-counters.ts';
export { ACCESS_LOG_FIELDS } from './replay/formats/json-line.ts';
export { HAR_MAX_CHARS, LOG_LINE_MAX_CHARS, type LogFormat, LogReader, readLogText } from './replay/read-log.ts';
export type * from './replay/recorded-request.ts';
export { Replay, type ReplayOptions, replayRequests } from './replay/replay.ts';
export type * from './replay/report.ts';
export type { BuildOptions, PolicyRuntime } from './runtime.ts';
export { buildRuntime, type LimiterIds, RuntimeBuilder } from './runtime-builder.ts';
export type { RuntimePolicy } from './runtime-policy.ts';
