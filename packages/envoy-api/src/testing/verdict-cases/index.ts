import { bootstrapCases } from './bootstrap.ts';
import type { VerdictCase } from './case.ts';
import { clusterCases, secretCases } from './clusters.ts';
import { httpFilterCases } from './http-filters.ts';
import { httpManagerCases } from './http-manager.ts';
import { listenerCases, typedStructCases } from './listeners.ts';
import { routeCases } from './routes.ts';

export { buildCase, createBase, type VerdictCase } from './case.ts';

/** Bootstraps about which the check and Envoy have to agree. The order is that of the recorded verdicts. */
export const VERDICT_CASES: readonly VerdictCase[] = [
  ...bootstrapCases,
  ...listenerCases,
  ...typedStructCases,
  ...httpManagerCases,
  ...routeCases,
  ...clusterCases,
  ...secretCases,
  ...httpFilterCases,
];
