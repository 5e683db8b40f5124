export { HostAppliance } from './host-appliance.ts';
export { toBundleResult } from './to-bundle-result.ts';
export type { Appliance, BundleProblem } from './types.ts';
