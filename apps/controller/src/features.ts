import * as manifests from './manifests.ts';
import { type Feature, orderFeatures } from './platform/features/index.ts';

/** Every feature of the controller, in an order in which their rows can be restored. */
export const FEATURES: readonly Feature[] = orderFeatures(Object.values(manifests));
