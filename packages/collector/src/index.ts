export type { DropReason } from './admission.ts';
export { type HashedKind, KeyedHash } from './keyed-hash.ts';
export { packLearner, restoreLearned, unpackLearner, unpackState } from './learner-state.ts';
export { type Collected, Pipeline, type PipelineKnowledge } from './pipeline.ts';
export { GeoDatabase } from './source/geo-database.ts';
export { NetworkSet, NetworkSetBuilder } from './source/network-set.ts';
export { type AgentKind, classifyAgent } from './user-agent.ts';
