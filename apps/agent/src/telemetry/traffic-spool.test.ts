import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { describe, expect, it } from 'vitest';
import { SPOOL_LIMITS, TrafficSpool } from './traffic-spool.ts';

const interval = (nameBytes = 0) =>
  create(fleet.TrafficIntervalSchema, { durationMs: 10_000, series: [{ name: 'n'.repeat(nameBytes) }] });
const stored = (seq: bigint, epoch = 'e', serviceId = 's') =>
  create(fleet.TrafficStoredSchema, { serviceId, epoch, seq });
const seqs = (reports: readonly fleet.TrafficReport[]) =>
  reports.map(({ intervals }) => intervals.map(({ seq }) => Number(seq)));

describe('the spool', () => {
  it('sends intervals until the controller has stored them, and each only once per stream', () => {
    const spool = new TrafficSpool('e');
    spool.add('s', interval(), 0);
    spool.add('s', interval(), 10_000);
    expect(seqs(spool.due(10_000, 5))).toEqual([[1, 2]]);
    spool.add('s', interval(), 20_000);
    expect(spool.due(20_000, 5)).toEqual([]);
    spool.resend();
    expect(seqs(spool.due(20_000, 5))).toEqual([[1, 2, 3]]);
    expect(spool.stored(stored(2n, 'another start'))).toBe(false);
    expect(spool.stored(stored(2n))).toBe(true);
    expect(seqs(spool.due(20_000, 5))).toEqual([[3]]);
    spool.stored(stored(3n));
    expect(spool.due(99_000, 5)).toEqual([]);
    expect(spool.bytes).toBe(0);
  });

  it('repeats a message that is not answered', () => {
    const spool = new TrafficSpool('e');
    spool.add('s', interval(), 0);
    spool.due(0, 5);
    expect(seqs(spool.due(30_000, 5))).toEqual([[1]]);
  });

  it('keeps an hour of intervals while the controller is away', () => {
    const spool = new TrafficSpool('e');
    for (let i = 0; i < 1_000; i += 1) spool.add('s', interval(), i * 10_000);
    const [all] = seqs(spool.due(999 * 10_000, 5));
    expect(all?.length).toBe(361);
    expect(all?.at(-1)).toBe(1_000);
  });

  it('drops the oldest intervals of any service when there is no room', () => {
    const spool = new TrafficSpool('e', { ...SPOOL_LIMITS, bytes: 3_500 });
    spool.add('old', interval(1_000), 0);
    for (let i = 1; i < 4; i += 1) spool.add('new', interval(1_000), i);
    const reports = spool.due(5, 5);
    expect(reports.map(({ serviceId }) => serviceId)).toEqual(['new']);
    expect(seqs(reports)).toEqual([[1, 2, 3]]);
    expect(spool.bytes).toBeLessThanOrEqual(3_500);
  });

  it('divides a long absence into messages of bounded size', () => {
    const spool = new TrafficSpool('e');
    for (let i = 0; i < 10; i += 1) spool.add('s', interval(200_000), i);
    const sizes: number[] = [];
    for (let reports = spool.due(10, 5); reports.length > 0; reports = spool.due(10, 5)) {
      const intervals = reports[0]?.intervals ?? [];
      sizes.push(intervals.length);
      spool.stored(stored(intervals.at(-1)?.seq ?? 0n));
    }
    expect(sizes).toEqual([2, 2, 2, 2, 2]);
  });

  it('sends a bounded part after a long absence, and every service has its turn', () => {
    const spool = new TrafficSpool('e');
    for (let n = 0; n < 30; n += 1) spool.add(`s${n}`, interval(500_000), n);
    const first = spool.due(30, 5);
    expect(first.length).toBeLessThan(10);
    const seen = new Set(first.map(({ serviceId }) => serviceId));
    for (let reports = first; reports.length > 0; ) {
      for (const { serviceId } of reports) spool.add(serviceId, interval(), 31);
      reports = reports.flatMap(({ serviceId }) => {
        spool.stored(stored(1n, 'e', serviceId));
        return spool.due(31, 5).filter((one) => !seen.has(one.serviceId));
      });
      for (const { serviceId } of reports) seen.add(serviceId);
    }
    expect(seen.size).toBe(30);
  });

  it('continues the sequence of a service that comes back', () => {
    const spool = new TrafficSpool('e');
    spool.add('s', interval(), 0);
    spool.forget('s');
    spool.add('s', interval(), 1);
    expect(seqs(spool.due(1, 5))).toEqual([[2]]);
  });
});
