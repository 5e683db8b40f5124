import { HA_OFF } from './ha/index.ts';

/** High-availability pairs, which are off until they are implemented and configured. */
export function composeEdge() {
  return { featuresOff: [HA_OFF] };
}
