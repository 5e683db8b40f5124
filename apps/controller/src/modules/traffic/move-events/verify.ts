import type { EventStore, ProjectId } from '@flotilla/event-store';

const DAY_MS = 86_400_000;
/** The longest window in which single events are counted. */
const WINDOW_DAYS = 7;

type Counted = Pick<EventStore, 'series' | 'health'>;

/** A day of a project whose numbers differ. */
export interface Difference {
  readonly project: string;
  readonly day: string;
  readonly source: DayCount;
  readonly target: DayCount;
}

interface DayCount {
  readonly events: number;
  readonly requests: number;
}

/** Counts the events of every project and day in both stores. */
export async function findDifferences(
  { from, to }: { readonly from: Counted; readonly to: Counted },
  projects: readonly ProjectId[],
): Promise<readonly Difference[]> {
  const window = await findWindow(from, to);
  if (window === undefined) return [];
  const differences: Difference[] = [];
  for (const project of projects) {
    for (let at = window.from; at < window.to; at += WINDOW_DAYS * DAY_MS) {
      const range = { from: at, to: Math.min(window.to, at + WINDOW_DAYS * DAY_MS) };
      const [source, target] = await Promise.all([countDays(from, project, range), countDays(to, project, range)]);
      for (const [timeMs, count] of source) {
        const other = target.get(timeMs) ?? { events: 0, requests: 0 };
        if (other.events === count.events && other.requests === count.requests) continue;
        differences.push({ project, day: new Date(timeMs).toISOString().slice(0, 10), source: count, target: other });
      }
    }
  }
  return differences;
}

/** Whole days with every event of both stores. */
async function findWindow(...stores: readonly Counted[]): Promise<{ from: number; to: number } | undefined> {
  const healths = await Promise.all(stores.map((store) => store.health()));
  const oldest = Math.min(...healths.map(({ oldestMs }) => oldestMs ?? Number.POSITIVE_INFINITY));
  const newest = Math.max(...healths.map(({ newestMs }) => newestMs ?? 0));
  if (!Number.isFinite(oldest)) return undefined;
  return { from: oldest - (oldest % DAY_MS), to: newest - (newest % DAY_MS) + DAY_MS };
}

async function countDays(
  store: Counted,
  project: ProjectId,
  range: { readonly from: number; readonly to: number },
): Promise<ReadonlyMap<number, DayCount>> {
  const { data } = await store.series(project, { ...range, step: '1d', resolution: 'raw' });
  return new Map(data.map(({ timeMs, events, requests }) => [timeMs, { events, requests }]));
}
