import { clamp } from './arithmetic.ts';
import { addTo, type Place } from './place.ts';

/** Requests of a place by what they do there: a method, or a segment below and a method. */
export type Profile = ReadonlyMap<string, number>;

const CHILDREN_LOOKED_AT = 24;
/** A smaller share of the places with a word below them: it may be a value that several have by chance. */
const SHARED_MIN = 0.25;
const ODDS_MAX = 8;
/** Popularity of unrelated operations differs as much as a distribution that this many requests determine. */
const UNRELATED_REQUESTS = 3;
/** Values of one parameter are not quite alike. */
const RELATED_REQUESTS = 300;

/** Says for each place how often which methods and segments follow. Words that few places have below them are taken together: they may be values. */
export function profilePlaces(places: readonly Place[]): Profile[] {
  const seen = new Map<string, number>();
  let inner = 0;
  for (const { words } of places) {
    if (words.size > 0) inner += 1;
    for (const word of firstOf(words.keys())) addTo(seen, word, 1);
  }
  const sharedMin = Math.max(2, inner * SHARED_MIN);
  return places.map((place) => {
    const profile = new Map<string, number>();
    for (const [method, count] of place.ends) addTo(profile, `=${method}`, count);
    for (const [word, child] of firstOf(place.words)) {
      const isShared = (seen.get(word) ?? 0) >= sharedMin;
      addProfile(profile, isShared ? `/${word}` : '/*', child);
    }
    for (const child of place.values.values()) addProfile(profile, '/*', child);
    return profile;
  });
}

function addProfile(profile: Map<string, number>, name: string, { ends, total }: Place): void {
  let below = total;
  for (const [method, count] of ends) {
    addTo(profile, `${name}=${method}`, count);
    below -= count;
  }
  if (below > 0) addTo(profile, `${name}/`, below);
}

function* firstOf<T>(items: Iterable<T>): Iterable<T> {
  let count = 0;
  for (const item of items) {
    if (count++ >= CHILDREN_LOOKED_AT) return;
    yield item;
  }
}

/** For each place, the log-odds against all places that have something in common with it. */
export function compareProfiles(profiles: readonly Profile[]): number[] {
  const groups = Map.groupBy(profiles, signatureOf);
  const sums = Array.from(groups.values(), (group) => sumProfiles(group));
  const pools = new Map<string, Profile>();
  for (const [at, signature] of [...groups.keys()].entries()) {
    const own = sums[at] ?? new Map();
    pools.set(signature, sumProfiles(sums.filter((sum) => [...own.keys()].some((key) => sum.has(key)))));
  }
  return profiles.map((profile) => {
    const pool = pools.get(signatureOf(profile));
    return pool === undefined ? 0 : compareProfile(profile, pool);
  });
}

/** Profiles with the same methods and segments have the same one. */
function signatureOf(profile: Profile): string {
  return [...profile.keys()].sort().join(' ');
}

function sumProfiles(profiles: Iterable<Profile>): Map<string, number> {
  const sum = new Map<string, number>();
  for (const profile of profiles) for (const [key, count] of profile) addTo(sum, key, count);
  return sum;
}

/**
 * The log-odds that the requests of one place are distributed by a law of their own, against the law of the others: negative for the values of one parameter,
 * where the share of each method and segment is the same; near zero if there is too little to compare. Both hypotheses are Dirichlet-multinomial.
 */
function compareProfile(own: Profile, all: Profile): number {
  let ownTotal = 0;
  for (const count of own.values()) ownTotal += count;
  let others = 0;
  const prior = new Map<string, number>();
  for (const key of all.keys()) {
    const count = (all.get(key) ?? 0) - (own.get(key) ?? 0);
    prior.set(key, count + 0.5);
    others += count + 0.5;
  }
  if (prior.size < 2 || others <= prior.size / 2) return 0;
  const odds =
    logLikelihood(own, ownTotal, { prior, scale: Math.min(1, UNRELATED_REQUESTS / others), total: others }) -
    logLikelihood(own, ownTotal, { prior, scale: Math.min(1, RELATED_REQUESTS / others), total: others });
  return clamp(odds, ODDS_MAX);
}

function logLikelihood(
  own: Profile,
  ownTotal: number,
  { prior, scale, total }: { prior: ReadonlyMap<string, number>; scale: number; total: number },
): number {
  let sum = logGamma(total * scale) - logGamma(total * scale + ownTotal);
  for (const [key, count] of own) {
    const weight = (prior.get(key) ?? 0) * scale;
    sum += logGamma(weight + count) - logGamma(weight);
  }
  return sum;
}

/** Stirling's series, after a shift to where it is exact to ten digits. */
function logGamma(of: number): number {
  let shift = 0;
  let value = of;
  while (value < 8) {
    shift += Math.log(value);
    value += 1;
  }
  return (
    (value - 0.5) * Math.log(value) - value + 0.918_938_533_204_673 + 1 / (12 * value) - 1 / (360 * value ** 3) - shift
  );
}
