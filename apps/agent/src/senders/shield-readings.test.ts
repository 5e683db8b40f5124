import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { expect, it } from 'vitest';
import { ShieldReadings } from './shield-readings.ts';

const DAY_MS = 86_400_000;

function reading(epoch: string, allowed: number, serviceId = 's1'): fleet.ShieldCounters {
  const verdict = fleet.ShieldVerdict.ALLOWED;
  const counters = allowed > 0 ? [{ policy: 'p', engine: '', reason: '', verdict, total: BigInt(allowed) }] : [];
  return create(fleet.ShieldCountersSchema, { serviceId, epoch, counters });
}
const format = (readings: readonly fleet.ShieldCounters[]) =>
  readings.map(({ serviceId, epoch, counters }) => `${serviceId} ${epoch} ${counters[0]?.total ?? 0}`);

it('a reading is sent if it has new counts, and not if it is equal or late', () => {
  const readings = new ShieldReadings();
  expect(format(readings.add([reading('e1', 3)], 0))).toEqual(['s1 e1 3']);
  expect(readings.add([reading('e1', 3)], 1)).toEqual([]);
  expect(readings.add([reading('e1', 2)], 2)).toEqual([]);
  expect(format(readings.add([reading('e1', 5)], 3))).toEqual(['s1 e1 5']);
  expect(readings.add([reading('idle', 0, 's2')], 4)).toEqual([]);
});

it('the last reading of an ended run is kept beside the following run', () => {
  const readings = new ShieldReadings();
  readings.add([reading('e1', 7)], 0);
  expect(format(readings.add([reading('e2', 1)], 1))).toEqual(['s1 e2 1']);
  expect(format(readings.all())).toEqual(['s1 e1 7', 's1 e2 1']);
});

it('sixteen runs of a filter are kept, and a run without new counts is forgotten after a week', () => {
  const readings = new ShieldReadings();
  for (let n = 0; n < 20; n++) readings.add([reading(`e${n}`, 1)], 0);
  expect(readings.all().length).toBe(16);
  readings.add([reading('e19', 2)], 6 * DAY_MS);
  readings.add([], 7 * DAY_MS + 1);
  expect(format(readings.all())).toEqual(['s1 e19 2']);
});

const minute = (seq: number, open = false, counters = 1) => ({
  seq: BigInt(seq),
  minuteMs: BigInt(seq * 60_000),
  open,
  counters: Array.from({ length: counters }, () => ({ policy: 'p', verdict: fleet.ShieldVerdict.ALLOWED, total: 1n })),
});
function stamped(allowed: number, minutes: readonly ReturnType<typeof minute>[], epoch = 'e1'): fleet.ShieldCounters {
  const { counters } = reading(epoch, allowed);
  return create(fleet.ShieldCountersSchema, { serviceId: 's1', epoch, counters, minutes: [...minutes] });
}
const seqs = (message: fleet.ShieldCounters | undefined) =>
  message?.minutes.map(({ seq, open }) => `${seq}${open ? ' open' : ''}`);
const stored = (seq: number) =>
  create(fleet.ShieldMinutesStoredSchema, { serviceId: 's1', epoch: 'e1', seq: BigInt(seq) });

it('screen bug 7: minutes are sent until the controller has stored them, and the open minute with its newest counts', () => {
  const readings = new ShieldReadings();
  expect(readings.add([stamped(1, [minute(1, true)])], 0).map(seqs)).toEqual([['1 open']]);
  expect(readings.add([stamped(2, [minute(1), minute(2, true)])], 0).map(seqs)).toEqual([['1', '2 open']]);
  // The filter was asked for the minutes after minute 1.
  expect(readings.add([stamped(3, [minute(2), minute(3, true)])], 0).map(seqs)).toEqual([['1', '2', '3 open']]);
  expect(readings.stored(stored(1))).toBeUndefined();
  expect(readings.all().map(seqs)).toEqual([['2', '3 open']]);
});

it('screen bug 7: a minute without counts is sent once it is over', () => {
  const readings = new ShieldReadings();
  readings.add([stamped(1, [minute(1, true)])], 0);
  expect(readings.add([stamped(1, [minute(1, true)])], 0)).toEqual([]);
  expect(readings.add([stamped(1, [minute(1), minute(2, true, 0)])], 0).map(seqs)).toEqual([['1', '2 open']]);
});

it('screen bug 7: an agent keeps an hour of minutes while the controller is away', () => {
  const readings = new ShieldReadings();
  for (let n = 1; n <= 100; n += 1) readings.add([stamped(n, [minute(n), minute(n + 1, true)])], 0);
  const [message] = readings.all();
  expect(message?.minutes).toHaveLength(61);
  expect(message?.minutes[0]?.seq).toBe(41n);
  expect(message?.counters[0]?.total).toBe(100n);
});

it('screen bug 7: minutes that do not fit into one message follow, oldest first, when the previous part is stored', () => {
  const readings = new ShieldReadings();
  const large = [1, 2, 3].map((seq) => minute(seq, false, 4_000));
  const [first] = readings.add([stamped(5, [...large, minute(4, true)])], 0);
  expect(seqs(first)).toEqual(['1', '2']);
  // With totals, the controller would count minute 3 as lost.
  expect(first?.counters).toEqual([]);
  const rest = readings.stored(stored(2));
  expect(seqs(rest)).toEqual(['3', '4 open']);
  expect(rest?.counters).toHaveLength(1);
});

it('screen bug 7: the counters of all minutes of a run are bounded', () => {
  const readings = new ShieldReadings();
  const large = [1, 2, 3, 4, 5, 6].map((seq) => minute(seq, false, 4_000));
  const [first] = readings.add([stamped(7, large)], 0);
  expect(first?.minutes[0]?.seq).toBe(2n);
});
