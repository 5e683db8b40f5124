import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The unprivileged user of one service, without an entry in /etc/passwd. */
export interface ServiceIdentity {
  readonly uid: number;
  readonly gid: number;
}

/** This range is above all ranges of distributions, containers and systemd (see systemd's UIDS-GIDS). */
const RESERVED = { first: 1_900_000_000, size: 100_000_000 };
/** Range for a user namespace that does not map such high numbers, as in a rootless container. */
const NARROW = { first: 30_000, size: 20_000 };

/** Id ranges of a user namespace: [first, count]. */
export type IdMap = ReadonlyArray<readonly [number, number]>;

/** Returns true for a user id that agents assign to services if the namespace maps the whole reserved range. */
export function isReservedUid(uid: number): boolean {
  return isIn(RESERVED, uid);
}

/** Returns true for a user id that agents in a narrow user namespace assign to services. */
export function isNarrowUid(uid: number): boolean {
  return isIn(NARROW, uid);
}

export function isWide(mapped: IdMap): boolean {
  return isMapped(mapped, RESERVED.first) && isMapped(mapped, RESERVED.first + RESERVED.size - 1);
}

/**
 * Picks a user for a service that is not in `taken`. It is derived from `seed`, so that two agents on a host rarely collide.
 * Returns undefined if the namespace maps no id of the range. Throws if all mapped ids are taken.
 */
export function pickIdentity(seed: string, taken: ReadonlySet<number>, mapped: IdMap): ServiceIdentity | undefined {
  const range = isWide(mapped) ? RESERVED : NARROW;
  let hasAny = false;
  const start = createHash('sha256').update(seed).digest().readUInt32BE(0) % range.size;
  for (let step = 0; step < range.size; step += 1) {
    const id = range.first + ((start + step) % range.size);
    if (!isMapped(mapped, id)) continue;
    if (!taken.has(id)) return { uid: id, gid: id };
    hasAny = true;
  }
  if (hasAny)
    throw new Error(
      `every user id from ${range.first} to ${range.first + range.size - 1} is assigned to a service of this host or in use`,
    );
  return undefined;
}

function isMapped(mapped: IdMap, id: number): boolean {
  return mapped.some(([first, count]) => id >= first && id < first + count);
}

function isIn(range: typeof RESERVED, uid: number): boolean {
  return uid >= range.first && uid < range.first + range.size;
}

/** Reads the id ranges of this user namespace (user_namespaces(7)). */
export function readMappedIds(): IdMap {
  const whole: IdMap = [[0, 4_294_967_295]];
  try {
    const lines = readFileSync('/proc/self/uid_map', 'utf8').trim().split('\n');
    return lines.map((line) => {
      const [inside = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
      return [inside, count] as const;
    });
  } catch {
    return whole;
  }
}
