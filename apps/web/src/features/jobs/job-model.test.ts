import { expect, it } from 'vitest';
import {
  addEvent,
  describeEvent,
  dropPassedProgress,
  formatLasted,
  isOver,
  type JobEvent,
  STATUSES,
} from './job-model.ts';

const NOW = Date.parse('2026-01-01T12:00:00.000Z');
const event = (seq: number): JobEvent => ({ seq, at: '2026-01-01T12:00:00.000Z', kind: 'progress', data: {} });

it('the duration of a job ends now while it runs', () => {
  const job = (started_at: string | null, ended_at: string | null = null) =>
    formatLasted({ started_at, ended_at }, NOW);
  expect(job(null)).toBeUndefined();
  expect(job('2026-01-01T11:59:56.000Z')).toBe('4 s');
  expect(job('2026-01-01T11:56:40.000Z')).toBe('3 min 20 s');
  expect(job('2026-01-01T09:00:00.000Z', '2026-01-01T11:05:00.000Z')).toBe('2 h 5 min');
  // The clock of this machine may be behind the controller's.
  expect(job('2026-01-01T12:00:05.000Z')).toBe('0 s');
});

it('each event is kept once and in order, even if a reconnected stream repeats events', () => {
  const events = [event(1), event(2)].reduce<readonly JobEvent[]>(addEvent, []);
  expect(addEvent(events, event(2))).toBe(events);
  expect(addEvent(events, event(1))).toBe(events);
  expect(addEvent(events, event(3)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

it('only the newest of very many events are kept', () => {
  const events = Array.from({ length: 1200 }, (_, i) => event(i + 1)).reduce<readonly JobEvent[]>(addEvent, []);
  expect(events).toHaveLength(500);
  expect(events.at(-1)?.seq).toBe(1200);
});

it('only the last progress before each other event is shown', () => {
  const kinds: JobEvent['kind'][] = [
    'claimed',
    'progress',
    'progress',
    'step.ended',
    'progress',
    'progress',
    'progress',
  ];
  const events = kinds.map((kind, i) => ({ ...event(i + 1), kind }));
  expect(dropPassedProgress(events).map(({ seq }) => seq)).toEqual([1, 3, 4, 7]);
});

it.each<[JobEvent['kind'], unknown, string]>([
  ['claimed', { attempt: 1, controller: 'c1', fence: 7 }, 'the host of c1'],
  ['claimed', { attempt: 2, controller: 'c1', fence: 8 }, 'the host of c1, attempt 2'],
  ['step.begun', { step: 'restore_point', index: 0, attempt: 1 }, 'Restore point'],
  ['step.repeated', { step: 'write', index: 0, attempt: 3 }, 'Write, attempt 3'],
  ['step.waits', { children: 1 }, 'for 1 child job'],
  ['step.waits', { step: 'copy' }, 'Copy'],
  ['progress', { done: 1200, total: 3000 }, '1,200 of 3,000'],
  ['retry', { code: 'job.requeued', message: 'A person has put the job back.' }, 'A person has put the job back.'],
  ['cancel.requested', { by: 'ann' }, 'by ann'],
  ['child', { id: 'x', status: 'failed' }, 'Failed'],
  ['child', { ended: 12 }, ''],
  ['ended', { status: 'dead', error: { code: 'x', message: 'no disk' } }, 'Dead: no disk'],
  ['ended', { status: 'done', cancel: 'too_late' }, 'Done: cancelled too late'],
  ['note', { copied: 3, backup: '0199aaaa-bbbb-7ccc-8ddd-eeee12345678', more: {} }, 'copied 3, backup …12345678'],
  ['note', null, ''],
  ['note', 'text', ''],
])('%s with %j is described in words', (kind, data, said) => {
  expect(describeEvent({ ...event(1), kind, data }, (id) => `the host of ${id}`)).toBe(said);
});

it('every job except pending, waiting and running ones is over', () => {
  expect(STATUSES.filter((status) => !isOver(status))).toEqual(['pending', 'waiting', 'running']);
});
