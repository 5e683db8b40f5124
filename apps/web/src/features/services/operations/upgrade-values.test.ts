import { expect, it } from 'vitest';
import { isUpgradeReady, listDrainTimes, listWanted } from './upgrade-values.ts';

const node = (wanted: string, more: { deployed?: boolean; drainTime?: number } = {}) => ({
  client_id: wanted,
  client_name: wanted,
  connected: true,
  deployed: true,
  wanted,
  ...more,
});

it('an upgrade starts at the version that most deployed clients should run', () => {
  const targets = [
    { nodes: [node('1.39.3'), node('1.40.0'), node('1.38.3', { deployed: false })] },
    { nodes: [node('1.40.0')] },
  ];
  expect(listWanted(targets)).toEqual(['1.40.0', '1.39.3']);
});

it('an upgrade shows each drain time of its clients once', () => {
  const nodes = [
    node('1.40.0', { drainTime: 60 }),
    node('1.40.0', { drainTime: 10 }),
    node('1.39.3', { drainTime: 60 }),
  ];
  expect(listDrainTimes([{ nodes }])).toEqual([10, 60]);
});

it('an upgrade needs two versions and no drain time, or a valid one', () => {
  const values = { from: '1.39.3', to: '1.40.0', drain: '' };
  expect(isUpgradeReady(values)).toBe(true);
  expect(isUpgradeReady({ ...values, drain: 3600 })).toBe(true);
  for (const wrong of [
    { to: '1.39.3' },
    { to: '1.40' },
    { from: '' },
    { drain: 0 },
    { drain: 3601 },
    { drain: 1.5 },
    { drain: '1s' },
  ])
    expect(isUpgradeReady({ ...values, ...wrong }), JSON.stringify(wrong)).toBe(false);
});
