import { describe, expect, it } from 'vitest';
import { compareProfiles, profilePlaces } from './likeness.ts';
import type { Method } from './method.ts';
import { createPlace, type Place } from './place.ts';

function placeOf(ends: Readonly<Record<string, number>>, below: Readonly<Record<string, number>> = {}): Place {
  const place = createPlace();
  for (const [method, count] of Object.entries(ends)) place.ends.set(method as Method, count);
  for (const [word, count] of Object.entries(below)) {
    const child = createPlace();
    child.total = count;
    child.ends.set('GET', count);
    place.words.set(word, child);
  }
  place.total = [...Object.values(ends), ...Object.values(below)].reduce((sum, count) => sum + count, 0);
  return place;
}

const compare = (...places: readonly Place[]): number[] => compareProfiles(profilePlaces(places));

describe('the comparison of places', () => {
  it('says that places with the same shares of methods are alike, however popular each one is', () => {
    const odds = compare(
      placeOf({ GET: 300, DELETE: 100 }),
      placeOf({ GET: 31, DELETE: 9 }),
      placeOf({ GET: 88, DELETE: 32 }),
    );
    expect(odds.every((one) => one < -0.5)).toBe(true);
  });

  it('says that a place with other shares of the same methods is not like the rest', () => {
    const [own = 0, ...alike] = compare(
      placeOf({ GET: 2, DELETE: 28 }),
      ...[300, 310, 290, 60].map((count) => placeOf({ GET: count, DELETE: count / 10 })),
    );
    expect(own).toBeGreaterThan(3);
    expect(Math.max(...alike)).toBeLessThan(0);
  });

  it('looks at the words below that most of the places have', () => {
    const odds = compare(
      placeOf({}, { emails: 200, avatar: 50 }),
      placeOf({}, { emails: 120, avatar: 31 }),
      placeOf({}, { emails: 240, avatar: 60 }),
      placeOf({}, { emails: 2, avatar: 30 }),
    );
    expect(odds[0]).toBeLessThan(0);
    expect(odds[3]).toBeGreaterThan(3);
  });

  it('says nothing of places that can do one thing only, or have nothing in common', () => {
    expect(compare(placeOf({ GET: 300 }), placeOf({ GET: 5 }))).toEqual([0, 0]);
    expect(compare(placeOf({ GET: 300, PUT: 4 }), placeOf({ POST: 5 }))[1]).toBe(0);
  });
});
