import { NO_BITS } from '@flotilla/event-store/chunk';
import { KeyedStates } from '../windows/keyed-states.ts';
import { SlidingSet } from '../windows/sliding-set.ts';
import { type Detector, KEYS_MAX } from './detector.ts';

export interface BolaOptions {
  readonly windowMs: number;
  readonly threshold: number;
  readonly minForbidden: number;
  readonly minForbiddenRatio: number;
}

/** A consumer asks for many objects of an operation, and many of them are not its own. */
export function createBola({ windowMs, threshold, minForbidden, minForbiddenRatio }: BolaOptions): Detector {
  const states = new KeyedStates<{ readonly objects: SlidingSet; readonly forbidden: SlidingSet }>({
    max: KEYS_MAX,
    idleMs: windowMs,
    create: () => ({ objects: new SlidingSet(), forbidden: new SlidingSet() }),
    write: ({ objects, forbidden }, to) => {
      objects.write(to);
      forbidden.write(to);
    },
    read: (from) => ({ objects: SlidingSet.read(from), forbidden: SlidingSet.read(from) }),
  });
  return {
    name: 'bola',
    isBaseline: false,
    states,
    observe({ consumer, object, operation, entry, timeMs, isBlocked }, flags) {
      if (consumer === '' || object === NO_BITS || isBlocked) return;
      const isForbidden = entry.status === 403 || entry.status === 404;
      // Nobody who is never refused has a state: most consumers are not.
      if (!isForbidden && states.size === 0) return;
      const key = `${consumer} ${operation.id}`;
      const state = isForbidden ? states.use(key, timeMs) : states.peek(key);
      if (state === undefined) return;
      const value = object.low;
      const objects = state.objects.add(value, timeMs, windowMs);
      const forbidden = isForbidden
        ? state.forbidden.add(value, timeMs, windowMs)
        : state.forbidden.size(timeMs, windowMs);
      if (objects >= threshold && forbidden >= minForbidden && forbidden >= minForbiddenRatio * objects) {
        flags.add('bola_suspect');
      }
    },
  };
}
