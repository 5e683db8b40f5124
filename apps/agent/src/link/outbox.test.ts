import type { fleet } from '@flotilla/proto';
import { expect, it } from 'vitest';
import { Outbox } from './outbox.ts';

function collect(capacity = Number.POSITIVE_INFINITY) {
  const sent: fleet.AgentMessage[] = [];
  return { sent, write: (message: fleet.AgentMessage) => sent.push(message) < capacity };
}

const node = (serviceId: string, generation: bigint) =>
  ({ case: 'nodeReport', value: { serviceId, generation } }) as const;

it('the outbox keeps the newest message per key while there is no stream, and sends them in order on the next one', () => {
  const outbox = new Outbox();
  outbox.put('a', node('a', 1n));
  outbox.put('b', node('b', 1n));
  outbox.put('a', node('a', 2n));
  const { sent, write } = collect();
  outbox.open(write);
  expect(sent.map(({ body }) => body.case === 'nodeReport' && [body.value.serviceId, body.value.generation])).toEqual([
    ['b', 1n],
    ['a', 2n],
  ]);
});

it('the outbox coalesces messages while the stream is full, and continues when it has drained', () => {
  const outbox = new Outbox();
  const { sent, write } = collect(1);
  outbox.open(write);
  outbox.put('a', node('a', 1n));
  for (let generation = 2n; generation < 100n; generation += 1n) outbox.put('a', node('a', generation));
  expect(sent).toHaveLength(1);
  outbox.drained();
  expect(sent).toHaveLength(2);
  expect(outbox.size).toBe(0);
});

it('the outbox never exceeds its limit', () => {
  const outbox = new Outbox();
  for (let i = 0; i < 20_500; i += 1) outbox.put(String(i), node(String(i), 1n));
  expect(outbox.size).toBe(20_000);
});
