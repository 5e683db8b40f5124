import type { TrafficChange, TrafficChanges } from '@flotilla/contract';
import type { Condition, Group, Resolution } from '@flotilla/event-store';
import { toSums } from './answers.ts';
import { COLUMN_OF, OPERATION_COLUMNS } from './dimensions.ts';
import type { Names } from './names-store.ts';
import { labelOf, type Question } from './question.ts';
import { secondsOf } from './seconds.ts';
import type { Window } from './window.ts';

/** The largest values of each range that are compared. */
const COMPARED_MAX = 500;
const NO_NAMES: Names = new Map();

type Compared = 'operation' | 'consumer' | 'country';

interface Pair {
  readonly now: Question;
  readonly base: Question;
  readonly nowMs: number;
  readonly top: number;
}

interface Values {
  readonly groups: ReadonlyMap<string, Group>;
  readonly hasMore: boolean;
  readonly window: Window;
}

/** The values whose requests per second differ most between two ranges. */
export async function readChanges(
  { now, base, nowMs, top }: Pair,
  by: Compared,
  resolution: Resolution,
): Promise<TrafficChanges> {
  const [after, before] = await Promise.all([readValues(now, by, resolution), readValues(base, by, resolution)]);
  // A value that is large in one range only may be small in the other one, not absent.
  const [late, early] = await Promise.all([
    findMissing(now, { by, resolution, own: after, other: before }),
    findMissing(base, { by, resolution, own: before, other: after }),
  ]);
  const [nowS, baseS] = [secondsOf(after.window, nowMs), secondsOf(before.window, nowMs)];
  const changes = [...new Set([...late.keys(), ...early.keys()])].map((value) =>
    toChange({ by, value, now: late.get(value), base: early.get(value), nowS, baseS }),
  );
  const count = (change: TrafficChange['change']) => changes.filter((one) => one.change === change).length;
  return {
    new_count: count('new'),
    gone_count: count('gone'),
    items: changes
      .filter(({ difference_per_s: difference }) => difference !== 0)
      .sort((a, b) => Math.abs(b.difference_per_s) - Math.abs(a.difference_per_s) || (a.value < b.value ? -1 : 1))
      .slice(0, top),
    truncated: after.hasMore || before.hasMore,
  };
}

function columnsOf(by: Compared) {
  return by === 'operation' ? OPERATION_COLUMNS : [COLUMN_OF[by]];
}

/** Requests without a consumer are left out. */
function without(by: Compared): readonly Condition[] {
  return by === 'consumer' ? [{ column: 'consumer', in: [''], not: true }] : [];
}

async function readValues(question: Question, by: Compared, resolution: Resolution): Promise<Values> {
  const { data, hasMore, window } = await question.groups({
    by: columnsOf(by),
    limit: COMPARED_MAX,
    resolution,
    also: without(by),
  });
  return { groups: toMap(data), hasMore, window };
}

/** Adds the values of the other range that are too small here to be among the largest. */
async function findMissing(
  question: Question,
  { by, resolution, own, other }: { by: Compared; resolution: Resolution; own: Values; other: Values },
): Promise<ReadonlyMap<string, Group>> {
  const missing = [...other.groups.keys()].filter((value) => !own.groups.has(value));
  if (!own.hasMore || missing.length === 0) return own.groups;
  const also = [...without(by), { column: COLUMN_OF[by], in: missing } as Condition];
  const { data } = await question.groups({ by: columnsOf(by), limit: 2 * COMPARED_MAX, resolution, also });
  return new Map([...own.groups, ...toMap(data)]);
}

/** An operation has one group, unless hashes collide: the largest one counts. */
function toMap(groups: readonly Group[]): ReadonlyMap<string, Group> {
  return new Map(groups.toReversed().map((group) => [group.values[0] ?? '', group]));
}

interface Entry {
  readonly by: Compared;
  readonly value: string;
  readonly now: Group | undefined;
  readonly base: Group | undefined;
  readonly nowS: number;
  readonly baseS: number;
}

function toChange({ by, value, now, base, nowS, baseS }: Entry): TrafficChange {
  return {
    value,
    label: labelOf(by, (now ?? base)?.values ?? [value], NO_NAMES),
    change: base === undefined ? 'new' : now === undefined ? 'gone' : 'changed',
    now: now === undefined ? null : toSums(now),
    base: base === undefined ? null : toSums(base),
    difference_per_s: (now?.requests ?? 0) / nowS - (base?.requests ?? 0) / baseS,
  };
}
