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
const tell = (readings: readonly fleet.ShieldCounters[]) =>
  readings.map(({ serviceId, epoch, counters }) => `${serviceId} ${epoch} ${counters[0]?.total ?? 0}`);

it('tells a reading that says more, and neither the same again nor one that comes late', () => {
  const readings = new ShieldReadings();
  expect(tell(readings.take([reading('e1', 3)], 0))).toEqual(['s1 e1 3']);
  expect(readings.take([reading('e1', 3)], 1)).toEqual([]);
  expect(readings.take([reading('e1', 2)], 2)).toEqual([]);
  expect(tell(readings.take([reading('e1', 5)], 3))).toEqual(['s1 e1 5']);
  expect(readings.take([reading('idle', 0, 's2')], 4)).toEqual([]);
});

it('keeps the last reading of a run that ended beside the run that followed it', () => {
  const readings = new ShieldReadings();
  readings.take([reading('e1', 7)], 0);
  expect(tell(readings.take([reading('e2', 1)], 1))).toEqual(['s1 e2 1']);
  expect(tell(readings.all())).toEqual(['s1 e1 7', 's1 e2 1']);
});

it('remembers sixteen runs of a filter and forgets a run that has counted nothing for a week', () => {
  const readings = new ShieldReadings();
  for (let n = 0; n < 20; n++) readings.take([reading(`e${n}`, 1)], 0);
  expect(readings.all().length).toBe(16);
  readings.take([reading('e19', 2)], 6 * DAY_MS);
  readings.take([], 7 * DAY_MS + 1);
  expect(tell(readings.all())).toEqual(['s1 e19 2']);
});
