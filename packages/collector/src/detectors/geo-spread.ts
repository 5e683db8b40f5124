import { KeyedStates } from '../windows/keyed-states.ts';
import { type Detector, KEYS_MAX } from './detector.ts';

export interface GeoSpreadOptions {
  readonly windowMs: number;
  /** Continents. */
  readonly threshold: number;
  readonly minSwitches: number;
  readonly escalateHosting: boolean;
  readonly skipMtls: boolean;
}

interface Journey {
  continent: string;
  wasHosting: boolean;
  /** When each continent was seen last; there are seven. */
  readonly seen: Map<string, number>;
  /** Times of changes, at most 32. */
  switches: number[];
}

const SWITCHES_MAX = 32;

/** One identity is used on several continents within the window. */
export function createGeoSpread(options: GeoSpreadOptions): Detector {
  const { windowMs, threshold, minSwitches, escalateHosting, skipMtls } = options;
  const states = new KeyedStates<Journey>({
    max: KEYS_MAX,
    idleMs: windowMs,
    create: () => ({ continent: '', wasHosting: false, seen: new Map(), switches: [] }),
  });
  return {
    name: 'geo_spread',
    get states() {
      return states;
    },
    observe({ consumer, source, entry, timeMs }, flags) {
      const { continent, isHosting, isEgress } = source;
      if (consumer === '' || continent === '' || isEgress || (skipMtls && entry.auth === 'mtls')) return;
      const journey = states.use(consumer, timeMs);
      if (journey === undefined) return;
      const changed =
        journey.continent !== '' && journey.continent !== continent && isRecent(journey, timeMs, windowMs);
      const escalates = changed && escalateHosting && isHosting && !journey.wasHosting;
      journey.switches = journey.switches.filter((at) => timeMs - at < windowMs).slice(-SWITCHES_MAX + 1);
      if (changed) journey.switches.push(timeMs);
      journey.seen.set(continent, Math.max(timeMs, journey.seen.get(continent) ?? 0));
      for (const [name, at] of journey.seen) if (timeMs - at >= windowMs) journey.seen.delete(name);
      journey.continent = continent;
      journey.wasHosting = isHosting;
      const isTravel = journey.seen.size >= threshold && journey.switches.length >= Math.max(1, minSwitches);
      if (escalates || isTravel) flags.add('impossible_travel');
      else if (changed) flags.add('geo_change');
    },
  };
}

function isRecent({ seen, continent }: Journey, timeMs: number, windowMs: number): boolean {
  return timeMs - (seen.get(continent) ?? 0) < windowMs;
}
