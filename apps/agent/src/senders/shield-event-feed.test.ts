import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { expect, it } from 'vitest';
import { ShieldEventFeed } from './shield-event-feed.ts';

function message(serviceId: string, from: number, count = 1): fleet.ShieldEvents {
  const events = Array.from({ length: count }, (_, i) => ({ seq: BigInt(from + i) }));
  return create(fleet.ShieldEventsSchema, { serviceId, epoch: 'e1', events });
}
const stored = (serviceId: string, seq: number, epoch = 'e1') =>
  create(fleet.ShieldEventsStoredSchema, { serviceId, epoch, seq: BigInt(seq) });
const format = (messages: readonly fleet.ShieldEvents[]) =>
  messages.map(({ serviceId, events }) => `${serviceId} ${events.map(({ seq }) => seq).join(',')}`);

it('the feed sends one message of each service at a time, and the next when the previous one is stored', () => {
  const feed = new ShieldEventFeed();
  feed.add([message('a', 1, 2), message('a', 3), message('b', 1)]);
  expect(format(feed.due(0))).toEqual(['a 1,2', 'b 1']);
  expect(feed.due(1)).toEqual([]);
  expect(feed.stored(stored('a', 2))).toBe(true);
  expect(format(feed.due(2))).toEqual(['a 3']);
  expect(feed.stored(stored('a', 3))).toBe(true);
  expect(feed.stored(stored('b', 1))).toBe(true);
  feed.resend();
  expect(feed.due(3)).toEqual([]);
});

it('the feed repeats unconfirmed messages at once on a new stream, and after half a minute on the same stream', () => {
  const feed = new ShieldEventFeed();
  feed.add([message('a', 1)]);
  expect(feed.due(0)).toHaveLength(1);
  expect(feed.due(29_999)).toEqual([]);
  expect(format(feed.due(30_000))).toEqual(['a 1']);
  feed.resend();
  expect(format(feed.due(30_001))).toEqual(['a 1']);
});

it('the feed ignores the confirmation of another number, run or service', () => {
  const feed = new ShieldEventFeed();
  feed.add([message('a', 1, 3)]);
  feed.due(0);
  for (const one of [stored('a', 2), stored('a', 3, 'e2'), stored('b', 3), stored('a', 4)])
    expect(feed.stored(one)).toBe(false);
  expect(feed.stored(stored('a', 3))).toBe(true);
  expect(feed.stored(stored('a', 3))).toBe(false);
});

it('the feed is full at a thousand findings of a service, and never keeps more than four thousand', () => {
  const feed = new ShieldEventFeed();
  feed.add([message('a', 1, 999)]);
  expect(feed.isFull('a')).toBe(false);
  feed.add([message('a', 1000)]);
  expect([feed.isFull('a'), feed.isFull('b')]).toEqual([true, false]);
  for (let i = 0; i < 50; i += 1) feed.add([message('a', 2000 + i * 200, 200)]);
  let count = 0;
  for (let [next] = feed.due(0); next; [next] = feed.due(0)) {
    count += next.events.length;
    feed.stored(stored('a', Number(next.events.at(-1)?.seq)));
  }
  expect(count).toBe(4000);
});
