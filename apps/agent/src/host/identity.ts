import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The unprivileged user of one service; there is no entry in /etc/passwd for it. */
export interface ServiceIdentity {
  readonly uid: number;
  readonly gid: number;
}

/** Above every range that distributions, containers and systemd hand out (see systemd's UIDS-GIDS). */
const RESERVED = { first: 1_900_000_000, size: 100_000_000 };
/** In a user namespace that maps no such high numbers (a rootless container). */
const NARROW = { first: 30_000, size: 20_000 };

/** True for a number that this or another agent gives to services. */
export function isServiceUid(uid: number): boolean {
  return uid >= RESERVED.first && uid < RESERVED.first + RESERVED.size;
}

/**
 * The user of a service: the same after every restart, because it is derived from where the agent keeps its data and
 * from the service. `taken` keeps two services of one agent apart in the improbable case that they meet.
 * Undefined where the agent is not root: then everything runs as the agent's own user.
 */
export function deriveServiceIdentity(
  dataDir: string,
  serviceKey: string,
  taken: ReadonlySet<number> = new Set(),
): ServiceIdentity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return pickIdentity(`${dataDir}\0${serviceKey}`, taken, readMappedIds());
}

export function pickIdentity(
  seed: string,
  taken: ReadonlySet<number>,
  mapped: ReadonlyArray<readonly [number, number]>,
) {
  const isMapped = (id: number) => mapped.some(([first, count]) => id >= first && id < first + count);
  const range = isMapped(RESERVED.first) && isMapped(RESERVED.first + RESERVED.size - 1) ? RESERVED : NARROW;
  const start = createHash('sha256').update(seed).digest().readUInt32BE(0) % range.size;
  for (let step = 0; step < range.size; step += 1) {
    const id = range.first + ((start + step) % range.size);
    if (!taken.has(id) && isMapped(id)) return { uid: id, gid: id };
  }
  return undefined;
}

/** Id ranges of this user namespace (user_namespaces(7)): [first, count]. */
function readMappedIds(): Array<readonly [number, number]> {
  const whole: Array<readonly [number, number]> = [[0, 4_294_967_295]];
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
