import { actorOf } from '../request-facts.ts';
import { hashText } from '../windows/hash-text.ts';
import { KeyedStates } from '../windows/keyed-states.ts';
import { SlidingSet } from '../windows/sliding-set.ts';
import { type Detector, KEYS_MAX } from './detector.ts';
import type { RateOptions } from './rates.ts';

/** Somebody asks for many paths that do not exist. Clients of one address are divided by what they call themselves. */
export function createPathScan({ windowMs, threshold }: RateOptions, salt: number): Detector {
  const states = new KeyedStates<SlidingSet>({
    max: KEYS_MAX,
    idleMs: windowMs,
    create: () => new SlidingSet(),
    write: (set, to) => set.write(to),
    read: SlidingSet.read,
  });
  return {
    name: 'path_scan',
    isBaseline: false,
    states,
    observe(facts, flags) {
      const { entry, timeMs, consumer } = facts;
      if (entry.status !== 404 && entry.status !== 405) return;
      const actor = actorOf(facts);
      if (actor === '') return;
      const key = consumer === '' ? `${actor} ${hashText(entry.userAgent, salt)}` : actor;
      const state = states.use(key, timeMs);
      if (state !== undefined && state.add(hashText(entry.path, salt), timeMs, windowMs) >= threshold) {
        flags.add('path_scan_suspect');
      }
    },
  };
}
