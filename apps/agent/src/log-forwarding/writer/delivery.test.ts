import { describe, expect, it } from 'vitest';
import type { Refusal } from './bulk-answer.ts';
import { takeBatch, toBulkBody } from './bulk-body.ts';
import { Delivery } from './delivery.ts';
import type { BulkAnswer } from './post.ts';

const DOCUMENTS = [
  '{"@timestamp":"2026-11-28T23:59:59.9Z","message":"a"}',
  '{"@timestamp":"2026-11-29T00:00:00Z","message":"b"}',
];
const items = (...codes: readonly number[]): BulkAnswer => ({
  status: 200,
  body: JSON.stringify({ items: codes.map((status) => ({ create: { status, error: { type: 't', reason: 'r' } } })) }),
});

function open(answers: readonly (BulkAnswer | Error)[], { loadbalance = true } = {}) {
  const asked: string[] = [];
  const refused: Refusal[] = [];
  const sizes: number[] = [];
  const queue = [...answers];
  const delivery = new Delivery({
    hosts: ['one', 'two'],
    loadbalance,
    index: 'logs',
    post: async (host, body) => {
      asked.push(host);
      sizes.push(body.split('\n').length >> 1);
      const next = queue.shift() ?? items(201, 201);
      if (next instanceof Error) throw next;
      return next;
    },
    onRefused: (one) => refused.push(one),
  });
  return { delivery, asked, refused, sizes };
}

describe('the delivery of documents', () => {
  it('asks the hosts in turns, or stays at one until it fails', async () => {
    const inTurns = open([]);
    for (const _ of [1, 2, 3]) await inTurns.delivery.deliver(DOCUMENTS);
    expect(inTurns.asked).toEqual(['one', 'two', 'one']);
    const steady = open([items(201, 201), new Error('down')], { loadbalance: false });
    for (const _ of [1, 2, 3]) await steady.delivery.deliver(DOCUMENTS);
    expect(steady.asked).toEqual(['one', 'one', 'two', 'two']);
  });

  it.each<[string, BulkAnswer | Error]>([
    ['an error of the network', new Error('down')],
    ['an overloaded server', { status: 429, body: '' }],
    ['a refused user', { status: 401, body: '{"error":{"type":"security","reason":"no"}}' }],
    ['a redirect', { status: 302, body: '' }],
    ['an answer that is no JSON', { status: 200, body: '<html>' }],
    ['an answer without results', { status: 200, body: '{}' }],
    ['too few results', items(201)],
    ['a result without a status', { status: 200, body: '{"items":[{"create":{}},{"create":{"status":201}}]}' }],
    ['one overloaded document', items(201, 429)],
    ['one failed document', items(503, 201)],
  ])('is not done after %s from every host', async (_, answer) => {
    const { delivery, asked } = open([answer, answer]);
    expect(await delivery.deliver(DOCUMENTS)).toMatch(/^two: ./);
    expect(asked).toEqual(['one', 'two']);
  });

  it('counts documents that are refused for good, and takes a conflict as stored', async () => {
    const { delivery, refused } = open([items(409, 400)]);
    expect(await delivery.deliver(DOCUMENTS)).toBeUndefined();
    expect(refused).toEqual([{ count: 1, reason: '400 t: r' }]);
  });

  it('halves a request that is too large, down to a document that is too large alone', async () => {
    const large = { status: 413, body: '' };
    const { delivery, refused, sizes } = open([large, items(201), large]);
    expect(await delivery.deliver(DOCUMENTS)).toBeUndefined();
    expect(sizes).toEqual([2, 1, 1]);
    expect(refused).toEqual([{ count: 1, reason: '413 the line is too large' }]);
  });
});

it('the body of a request names the day of each document, and an id that is the same each time', () => {
  const body = toBulkBody(DOCUMENTS, 'logs');
  expect(body).toBe(toBulkBody(DOCUMENTS, 'logs'));
  const [first, document, second] = body.split('\n');
  expect(JSON.parse(first ?? '').create).toEqual({
    _index: 'logs-2026.11.28',
    _id: expect.stringMatching(/^[\w-]{43}$/),
  });
  expect(JSON.parse(second ?? '').create._index).toBe('logs-2026.11.29');
  expect(document).toBe(DOCUMENTS[0]);
});

it('a batch is at most 8 MiB, but has at least one document', () => {
  const large = 'x'.repeat(5 * 1024 ** 2);
  expect(takeBatch([large, large, large])).toHaveLength(1);
  expect(takeBatch(['x'.repeat(9 * 1024 ** 2)])).toHaveLength(1);
  expect(takeBatch(DOCUMENTS)).toHaveLength(2);
});
