import { KeyedStates } from '../windows/keyed-states.ts';
import { DamagedStateError, type StateReader, type StateWriter } from '../windows/plain-state.ts';
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
const CONTINENTS = 7;

/** One identity is used on several continents within the window. */
export function createGeoSpread(options: GeoSpreadOptions): Detector {
  const { windowMs, threshold, minSwitches, escalateHosting, skipMtls } = options;
  const states = new KeyedStates<Journey>({
    max: KEYS_MAX,
    idleMs: windowMs,
    create: () => ({ continent: '', wasHosting: false, seen: new Map(), switches: [] }),
    write: writeJourney,
    read: readJourney,
  });
  return {
    name: 'geo_spread',
    isBaseline: false,
    states,
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

function writeJourney({ continent, wasHosting, seen, switches }: Journey, to: StateWriter): void {
  to.text(continent);
  to.number(wasHosting ? 1 : 0);
  to.number(seen.size);
  for (const [name, atMs] of seen) {
    to.text(name);
    to.time(atMs);
  }
  to.number(switches.length);
  for (const atMs of switches) to.time(atMs);
}

function readJourney(from: StateReader): Journey {
  const [continent, wasHosting] = [from.text(), from.number() === 1];
  const seen = new Map<string, number>();
  const continents = from.length();
  if (continents > CONTINENTS) throw new DamagedStateError('there are too many continents');
  for (let index = 0; index < continents; index += 1) seen.set(from.text(), from.time());
  const count = from.length();
  if (count > SWITCHES_MAX) throw new DamagedStateError('there are too many changes');
  return { continent, wasHosting, seen, switches: Array.from({ length: count }, () => from.time()) };
}
