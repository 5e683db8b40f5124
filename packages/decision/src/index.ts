export { ReceivedBody } from './body/received-body.ts';
export { Decision, type DecisionListener, type Finding } from './decision.ts';
export { CounterBook, type FindingVerdict, type PolicyCounter, type PolicyCounts } from './policy-counters.ts';
export { type BuildOptions, buildRuntime, type PolicyRuntime, type RuntimePolicy } from './runtime.ts';
