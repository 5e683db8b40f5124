import type { RiskFlag } from '@flotilla/inventory';
import { addressOf, type RequestFacts } from '../request-facts.ts';
import { hashText } from '../windows/hash-text.ts';
import { KeyedStates } from '../windows/keyed-states.ts';
import { SlidingCount } from '../windows/sliding-count.ts';
import { type Detector, KEYS_MAX } from './detector.ts';

export interface RateOptions {
  readonly windowMs: number;
  readonly threshold: number;
}

function createRate(
  { name, flag, keyOf }: { name: string; flag: RiskFlag; keyOf: (facts: RequestFacts) => string },
  { windowMs, threshold }: RateOptions,
): Detector {
  const states = new KeyedStates<SlidingCount>({
    max: KEYS_MAX,
    idleMs: windowMs,
    create: (timeMs) => new SlidingCount(timeMs),
    write: (count, to) => count.write(to),
    read: SlidingCount.read,
  });
  return {
    name,
    isBaseline: false,
    states,
    observe(facts, flags) {
      const key = keyOf(facts);
      if (key === '') return;
      const state = states.use(key, facts.timeMs);
      if (state !== undefined && state.add(facts.timeMs, windowMs) > threshold) flags.add(flag);
    },
  };
}

export function createConsumerRate(options: RateOptions): Detector {
  return createRate({ name: 'rate_anomaly', flag: 'rate_anomaly', keyOf: ({ consumer }) => consumer }, options);
}

export function createAddressRate(options: RateOptions): Detector {
  return createRate({ name: 'ip_rate', flag: 'ip_rate_anomaly', keyOf: ({ source }) => addressOf(source) }, options);
}

/**
 * One signed request that is accepted again and again: the same request id and target. Credentials that are meant to be used again are not looked at. It sees
 * only replays that keep their request id, because the value of a signature never leaves the host.
 */
export function createReplay({ windowMs, threshold }: RateOptions, salt: number): Detector {
  const states = new KeyedStates<SlidingCount>({
    max: KEYS_MAX,
    idleMs: windowMs,
    create: (timeMs) => new SlidingCount(timeMs),
    write: (count, to) => count.write(to),
    read: SlidingCount.read,
  });
  return {
    name: 'replay',
    isBaseline: false,
    states,
    observe({ entry, timeMs, listener }, flags) {
      if (entry.auth !== 'signature' || entry.requestId === '' || entry.status < 200 || entry.status > 299) return;
      const request = `${listener} ${entry.requestId} ${entry.method} ${entry.path}`;
      // Not the text itself: keys are stored, and paths have personal data.
      const key = `${hashText(request, salt)} ${hashText(request, ~salt)}`;
      const state = states.use(key, timeMs);
      if (state !== undefined && state.add(timeMs, windowMs) >= threshold) flags.add('replay_suspect');
    },
  };
}
