import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { expect, it } from 'vitest';
import { SampleHistory } from './sample-history.ts';

function sampleAt(atMs: number): fleet.HostStats {
  const processes = [create(fleet.ProcessStatsSchema, { serviceId: 's', kind: 'envoy', pid: 7 })];
  return create(fleet.HostStatsSchema, { atMs: BigInt(atMs), cores: 2, processes });
}

const timesOf = (samples: readonly fleet.HostStats[]) => samples.map(({ atMs }) => Number(atMs));

it('the history returns the newest samples, the oldest of them first', () => {
  const history = new SampleHistory();
  for (const at of [1, 2, 3]) history.add(sampleAt(at));
  expect(timesOf(history.newest(2))).toEqual([2, 3]);
  expect(timesOf(history.newest(9))).toEqual([1, 2, 3]);
  expect(history.newest(0)).toEqual([]);
});

it('the history forgets the oldest of more than 1,000 samples', () => {
  const history = new SampleHistory();
  for (let at = 1; at <= 1005; at += 1) history.add(sampleAt(at));
  const kept = timesOf(history.newest(5000));
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([1000, 6, 1005]);
});

it('the history keeps no processes and leaves the sample as it is', () => {
  const history = new SampleHistory();
  const sample = sampleAt(1);
  history.add(sample);
  expect(history.newest(1)[0]?.processes).toEqual([]);
  expect(sample.processes).toHaveLength(1);
});
