import type { CallOutput, JobView, jobRoutes } from '@flotilla/contract';
import type { Tone } from '../../ui/index.ts';

export type JobEvent = CallOutput<typeof jobRoutes.events>;
export type JobStatus = JobView['status'];

interface Look {
  readonly tone: Tone;
  readonly shape: 'full' | 'half' | 'ring' | 'arc' | 'triangle' | 'square';
}

export const LOOKS: Readonly<Record<JobStatus, Look>> = {
  pending: { tone: 'busy', shape: 'ring' },
  waiting: { tone: 'busy', shape: 'ring' },
  running: { tone: 'busy', shape: 'arc' },
  done: { tone: 'good', shape: 'full' },
  done_with_errors: { tone: 'warn', shape: 'half' },
  failed: { tone: 'bad', shape: 'triangle' },
  cancelled: { tone: 'quiet', shape: 'square' },
  dead: { tone: 'bad', shape: 'triangle' },
  no_work: { tone: 'quiet', shape: 'ring' },
};

export const STATUSES = Object.keys(LOOKS) as readonly JobStatus[];

/** Nothing more happens to it by itself. */
export function isOver(status: JobStatus): boolean {
  return status !== 'pending' && status !== 'waiting' && status !== 'running';
}

/** `4 s`, `3 min 20 s`, `2 h 5 min`: from its begin to its end or to now; undefined while it has not begun. */
export function formatLasted(job: Pick<JobView, 'started_at' | 'ended_at'>, nowMs: number): string | undefined {
  if (job.started_at === null) return undefined;
  const end = job.ended_at === null ? nowMs : Date.parse(job.ended_at);
  const seconds = Math.max(0, Math.round((end - Date.parse(job.started_at)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const KEPT_MAX = 500;

/** Events in their order, each once: after a broken line some come twice. The oldest go where there are very many. */
export function addEvent(events: readonly JobEvent[], next: JobEvent): readonly JobEvent[] {
  const last = events.at(-1);
  if (last !== undefined && next.seq <= last.seq) return events;
  return [...events, next].slice(-KEPT_MAX);
}

/** Of progress that follows upon progress only where it has come to. */
export function dropPassedProgress(events: readonly JobEvent[]): readonly JobEvent[] {
  return events.filter(({ kind }, i) => kind !== 'progress' || events[i + 1]?.kind !== 'progress');
}

/** The name, count or text that an event carries, as far as it is one line. */
export function describeData(data: unknown): string {
  if (typeof data !== 'object' || data === null) return '';
  return Object.entries(data)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${String(value)}`)
    .join(', ');
}
