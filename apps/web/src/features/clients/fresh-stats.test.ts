import { expect, it } from 'vitest';
import { ASKED_MAX, pickClientsToAsk, readSample, withSample } from './fresh-stats.ts';
import type { ClientRow } from './model.ts';

const row: ClientRow = {
  client_id: 'c1',
  name: 'edge',
  project: 'p',
  status: 'Live',
  connected: true,
  hostname: 'h',
  os: 'linux',
  arch: 'x',
  version: '1',
  provider: null,
  labels: {},
  service_ip_count: 0,
  cpu_percent: 10,
  memory_percent: 20,
  stats_at: '2026-01-01T00:00:10.000Z',
  last_seen: null,
};

const answer = (at: string) => ({ at, cpu: { load_avg_5: 1, cores: 4 }, memory: { usage_percent: 33 } });

it('only connected clients are queried, and at most ASKED_MAX of them', () => {
  const rows = Array.from({ length: ASKED_MAX + 5 }, (_, index) => ({ ...row, client_id: `c${index}` }));
  expect(pickClientsToAsk([{ ...row, connected: false }, ...rows])).toHaveLength(ASKED_MAX);
  expect(pickClientsToAsk([{ ...row, connected: false }])).toEqual([]);
});

it('an answer contains the load per core and the memory', () => {
  expect(readSample(answer('2026-01-01T00:00:20.000Z'))).toEqual({
    at: '2026-01-01T00:00:20.000Z',
    cpu_percent: 25,
    memory_percent: 33,
  });
});

it.each([[undefined], ['text'], [{ at: 'never', cpu: {}, memory: {} }], [answer('no time')]])(
  'an invalid answer is ignored: %j',
  (result) => {
    expect(readSample(result)).toBeUndefined();
  },
);

it('an answer is shown until the list has a newer sample', () => {
  const older = readSample(answer('2026-01-01T00:00:05.000Z'));
  const newer = readSample(answer('2026-01-01T00:00:20.000Z'));
  expect(withSample(row, older)).toBe(row);
  expect(withSample(row, newer)).toMatchObject({ cpu_percent: 25, stats_at: '2026-01-01T00:00:20.000Z' });
  expect(withSample({ ...row, stats_at: null, cpu_percent: null }, older)).toMatchObject({ cpu_percent: 25 });
});
