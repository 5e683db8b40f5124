export { createBuildTurn, TurnIsOver } from './build-turn.ts';
export { fillSources } from './documents/ads-sources.ts';
export * from './documents/collections.ts';
export { findFreeForm } from './documents/free-form.ts';
export * from './documents/host-access.ts';
export { isPublicAddress, restrictionOfAddress } from './documents/host-reach/addresses.ts';
export { collectionTakenBy } from './documents/name-table.ts';
export * from './documents/normal-form.ts';
export * from './documents/references.ts';
export { findReservedUse, isReservedName, RESERVED_PREFIX } from './documents/reserved.ts';
export * from './documents/slots.ts';
export { preventsDelivery } from './error-rules.ts';
export type { GuardedPolicies, ShieldPlacement } from './guard/connection-manager.ts';
export {
  answerBuild,
  type BuildAnswer,
  type BuildProblem,
  type BuildQuestion,
  type KnownDocuments,
  LargeBuild,
} from './large-build.ts';
export { CLIENT_ADDRESS } from './listener.ts';
export { Translator, type TranslatorOptions } from './translator.ts';
export type * from './types.ts';
