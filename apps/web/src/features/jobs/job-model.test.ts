import { expect, it } from 'vitest';
import {
  addEvent,
  describeData,
  dropPassedProgress,
  formatLasted,
  isOver,
  type JobEvent,
  STATUSES,
} from './job-model.ts';

const NOW = Date.parse('2026-01-01T12:00:00.000Z');
const event = (seq: number): JobEvent => ({ seq, at: '2026-01-01T12:00:00.000Z', kind: 'progress', data: {} });

it('tells how long a job has lasted, up to now while it runs', () => {
  const job = (started_at: string | null, ended_at: string | null = null) =>
    formatLasted({ started_at, ended_at }, NOW);
  expect(job(null)).toBeUndefined();
  expect(job('2026-01-01T11:59:56.000Z')).toBe('4 s');
  expect(job('2026-01-01T11:56:40.000Z')).toBe('3 min 20 s');
  expect(job('2026-01-01T09:00:00.000Z', '2026-01-01T11:05:00.000Z')).toBe('2 h 5 min');
  // The clock of this machine may be behind the controller's.
  expect(job('2026-01-01T12:00:05.000Z')).toBe('0 s');
});

it('keeps each event once and in order, whatever comes again after a broken line', () => {
  const events = [event(1), event(2)].reduce<readonly JobEvent[]>(addEvent, []);
  expect(addEvent(events, event(2))).toBe(events);
  expect(addEvent(events, event(1))).toBe(events);
  expect(addEvent(events, event(3)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

it('keeps the newest of very many events', () => {
  const events = Array.from({ length: 1200 }, (_, i) => event(i + 1)).reduce<readonly JobEvent[]>(addEvent, []);
  expect(events).toHaveLength(500);
  expect(events.at(-1)?.seq).toBe(1200);
});

it('shows of progress only where it has come to, before each other event', () => {
  const kinds = ['claimed', 'progress', 'progress', 'step.ended', 'progress', 'progress', 'progress'];
  const events = kinds.map((kind, i) => ({ ...event(i + 1), kind }));
  expect(dropPassedProgress(events).map(({ seq }) => seq)).toEqual([1, 3, 4, 7]);
});

it('says in one line what an event carries', () => {
  expect(describeData({ step: 'copy', done: 3, more: { deep: true } })).toBe('step copy, done 3');
  expect(describeData(null)).toBe('');
  expect(describeData('text')).toBe('');
});

it('knows which states are the end', () => {
  expect(STATUSES.filter((status) => !isOver(status))).toEqual(['pending', 'waiting', 'running']);
});
