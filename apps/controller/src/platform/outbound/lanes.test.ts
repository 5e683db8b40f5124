import { expect, it } from 'vitest';
import { chooseChannels, type DueChannel, retryAfterMs, toInFlight } from './lanes.ts';

function channels(count: number, isFailing: boolean, project?: string): DueChannel[] {
  return Array.from({ length: count }, (_, i) => {
    const id = `${isFailing ? 'failing' : 'healthy'}-${project ?? ''}-${i}`;
    return { id, projectId: project ?? `project of ${id}`, isFailing };
  });
}

it('any number of failing channels leaves the places of the others free', () => {
  const chosen = chooseChannels([...channels(500, true), ...channels(500, false)], []);
  expect(chosen.filter(({ isFailing }) => isFailing)).toHaveLength(16);
  expect(chosen.filter(({ isFailing }) => !isFailing)).toHaveLength(32);
});

it('the channels of one project do not take the places of other projects', () => {
  const chosen = chooseChannels([...channels(20, false, 'greedy'), ...channels(1, false, 'modest')], []);
  expect(chosen.map(({ projectId }) => projectId)).toEqual(['greedy', 'greedy', 'greedy', 'greedy', 'modest']);
});

it('a channel gets one message at a time, and deliveries that run keep their places', () => {
  const busy = channels(31, false);
  const [again] = busy;
  const chosen = chooseChannels([...(again ? [again] : []), ...channels(5, false, 'waiting')], busy);
  expect(chosen.map(({ projectId }) => projectId)).toEqual(['waiting']);
});

it('attempts become rarer with every failure, up to one in ten minutes', () => {
  expect([1, 2, 3, 8, 1000].map(retryAfterMs)).toEqual([5000, 10_000, 20_000, 600_000, 600_000]);
});

it('attempts that take long count as failing and leave room for healthy channels', () => {
  const attempts = channels(32, false).map((channel) => ({ channel, runningMs: 2000 }));
  expect(chooseChannels(channels(1, false, 'waiting'), attempts.map(toInFlight))).toEqual([]);
  const slow = attempts.map(({ channel }) => toInFlight({ channel, runningMs: 2001 }));
  expect(chooseChannels(channels(1, false, 'waiting'), slow)).toHaveLength(1);
  expect(chooseChannels(channels(1, true, 'failing'), slow)).toEqual([]);
});
