import type { JobEventView, JobView } from '@flotilla/contract';
import type { Tone } from '../../ui/index.ts';
import { shortenId } from '../../ui/shorten-id.ts';
import { toWord } from '../../ui/to-word.ts';
import { texts } from './texts.ts';

const { details: words } = texts.events;

export type JobEvent = JobEventView;
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

/** Whether the job no longer changes by itself. */
export function isOver(status: JobStatus): boolean {
  return status !== 'pending' && status !== 'waiting' && status !== 'running';
}

/** Formats the duration as `4 s`, `3 min 20 s`, `2 h 5 min`: from the start to the end or to now; undefined before the start. */
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

/** Adds an event. Keeps the order and skips duplicates, which a broken stream can cause. Drops the oldest of very many. */
export function addEvent(events: readonly JobEvent[], next: JobEvent): readonly JobEvent[] {
  const last = events.at(-1);
  if (last !== undefined && next.seq <= last.seq) return events;
  return [...events, next].slice(-KEPT_MAX);
}

/** Keeps only the last of consecutive progress events. */
export function dropPassedProgress(events: readonly JobEvent[]): readonly JobEvent[] {
  return events.filter(({ kind }, i) => kind !== 'progress' || events[i + 1]?.kind !== 'progress');
}

/** Describes an event in one line; empty if its kind says it all. `nameOf` maps a controller ID to its name. */
export function describeEvent({ kind, data }: JobEvent, nameOf: (controllerId: string) => string): string {
  if (typeof data !== 'object' || data === null) return '';
  const { attempt, by, cancel, children, controller, done, error, message, status, step, total } = data as EventData;
  switch (kind) {
    case 'claimed':
      return words.claimed(controller === undefined ? undefined : nameOf(controller), attempt);
    case 'step.begun':
    case 'step.repeated':
      return words.step(toWord(step ?? ''), attempt);
    case 'step.ended':
      return words.step(toWord(step ?? ''), undefined);
    case 'step.waits':
      return children === undefined ? toWord(step ?? '') : words.forChildren(children);
    case 'progress':
      return done === undefined || total === undefined ? '' : texts.progressOf({ done, total, failed: 0, percent: 0 });
    case 'retry':
      return message ?? '';
    case 'cancel.requested':
      return by === undefined ? '' : words.by(by);
    case 'child':
    case 'ended':
      return [status && texts.status[status][0], error?.message, cancel === 'too_late' && words.tooLate]
        .filter(Boolean)
        .join(': ');
    default:
      return describeData(data);
  }
}

/** Data of events; each kind has some of it. */
interface EventData {
  readonly attempt?: number;
  readonly by?: string;
  readonly cancel?: string;
  readonly children?: number;
  readonly controller?: string;
  readonly done?: number;
  readonly error?: { readonly message?: string };
  readonly message?: string;
  readonly status?: JobStatus;
  readonly step?: string;
  readonly total?: number;
}

/** Lists names, counts and strings that fit on one line. */
function describeData(data: object): string {
  return Object.entries(data)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${typeof value === 'string' ? shortenId(value) : value}`)
    .join(', ');
}
