import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { expect, it } from 'vitest';
import { parseRange } from '../../../platform/http/time-range.ts';
import { mergeSamples, toMinuteSample } from './sample.ts';

const statsOf = (fields: MessageInitShape<typeof fleet.HostStatsSchema>) => create(fleet.HostStatsSchema, fields);

it('a sample describes the load of a host: per core, by the fullest disk, summed over its programs', () => {
  const sample = toMinuteSample(
    statsOf({
      cpuPercent: 30,
      cores: 4,
      load1: 2,
      load5: 1,
      memoryTotalBytes: 1000n,
      memoryUsedBytes: 250n,
      disks: [
        { mount: '/', totalBytes: 100n, usedBytes: 20n },
        { mount: '/data', totalBytes: 10n, usedBytes: 9n },
      ],
      processes: [
        { kind: 'envoy', cpuPercent: 5, rssBytes: 100n },
        { kind: 'envoy', cpuPercent: 7, rssBytes: 50n },
        { kind: 'shield', cpuPercent: 1, rssBytes: 30n },
      ],
    }),
    undefined,
  );
  expect(sample).toMatchObject({
    cpu_percent: 30,
    load1_per_core: 0.5,
    load5_percent: 25,
    memory_percent: 25,
    disk_used_percent: 90,
    disk_mount: '/data',
    envoy_cpu_percent: 12,
    envoy_rss_bytes: 150,
    shield_rss_bytes: 30,
    rx_bytes_per_s: null,
  });
});

it.each([
  ['ten seconds later', { atMs: 20_000n, networkRxBytes: 3000n }, 200],
  ['after a restart of the host', { atMs: 20_000n, networkRxBytes: 10n }, null],
  ['at the same moment', { atMs: 10_000n, networkRxBytes: 3000n }, null],
  ['long after', { atMs: 10_000_000n, networkRxBytes: 3000n }, null],
])('two samples give the rate of the network: %s', (_, fields, rate) => {
  expect(toMinuteSample(statsOf(fields), { atMs: 10_000, rx: 1000, tx: 0 }).rx_bytes_per_s).toBe(rate);
});

it('numbers of a hostile agent are limited to what the database accepts', () => {
  const bad = { cpuPercent: Number.NaN, load1: Number.POSITIVE_INFINITY, cores: 1, memoryTotalBytes: 2n ** 64n - 1n };
  const sample = toMinuteSample(
    statsOf({ ...bad, disks: [{ mount: 'a\u0000\ud800', totalBytes: 1n, usedBytes: 99n }] }),
    undefined,
  );
  expect(sample).toMatchObject({ cpu_percent: 0, load1_per_core: 0, disk_used_percent: 100, disk_mount: 'a\ufffd' });
  expect(sample.memory_total_bytes).toBeLessThan(2 ** 64);
});

it('averages are weighted by the number of samples, and optional values only by those that have them', () => {
  const [one, other] = [10, 40].map((cpuPercent) => toMinuteSample(statsOf({ cpuPercent, cores: 1 }), undefined));
  if (!one || !other) throw new Error('two samples');
  const merged = mergeSamples({ ...one, samples: 2 }, { ...other, rx_bytes_per_s: 7 });
  expect(merged).toMatchObject({ samples: 3, cpu_percent: 20, rx_bytes_per_s: 7, tx_bytes_per_s: null });
});

it('the step fits the span, and is coarser than requested if there would be too many points', () => {
  const now = new Date('2026-03-01T12:34:56.000Z');
  expect(parseRange({}, now)).toEqual({ from: new Date('2026-03-01T11:34:00Z'), to: now, stepS: 60 });
  const week = { from: '2026-02-22T12:34:56.000Z' };
  expect(parseRange(week, now).stepS).toBe(3600);
  expect(parseRange({ ...week, step_s: 60 }, now).stepS).toBe(600);
  expect(parseRange({ ...week, step_s: 7260 }, now).stepS).toBe(7260);
  expect(() => parseRange({ from: now.toISOString(), to: now.toISOString() }, now)).toThrow('must be later than from');
  expect(() => parseRange({ from: '2020-01-01T00:00:00.000Z' }, now)).toThrow('more than a year');
});
