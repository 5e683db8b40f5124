import { expect, it } from 'vitest';
import { ReportQueue, type ReportQueueOptions } from './report-queue.ts';

/** A queue of texts, whose sizes are their lengths. */
function createQueue(options: Partial<ReportQueueOptions<string>> = {}) {
  const written: string[][] = [];
  const refused: string[] = [];
  const queue = new ReportQueue<string>({
    room: { perClient: 10, perClientCrowded: 2, crowded: 10 },
    sizeOf: (text) => text.length,
    rowsOf: () => 1,
    rowsPerWrite: 3,
    write: async (texts) => {
      if (texts.includes('bad')) throw Object.assign(new Error('refused'), { code: '22003' });
      written.push([...texts]);
    },
    onFailure: () => {},
    onRefused: (clientId) => refused.push(clientId),
    flushIntervalMs: 3_600_000,
    ...options,
  });
  return { queue, written, refused };
}

it('writes the reports of all clients in as few parts as possible', async () => {
  const { queue, written } = createQueue();
  const answers = ['a', 'b', 'c', 'd'].map(async (text) => queue.add(text, text));
  await queue.flush();
  expect(await Promise.all(answers)).toEqual([true, true, true, true]);
  expect(written).toEqual([['a', 'b', 'c'], ['d']]);
});

it('has room for a client again when its reports are written, and less for each while many wait', async () => {
  const { queue } = createQueue();
  expect(queue.add('one', 'x'.repeat(11))).toBeUndefined();
  const first = queue.add('one', 'x'.repeat(10));
  expect(queue.add('one', 'x')).toBeUndefined();
  expect(queue.add('two', 'xxx')).toBeUndefined();
  const second = queue.add('two', 'xx');
  await queue.flush();
  expect([await first, await second]).toEqual([true, true]);
  expect(queue.add('two', 'xxx')).toBeDefined();
  await queue.close();
});

it('drops a report that can never be stored, and stores the others', async () => {
  const { queue, written, refused } = createQueue();
  const answers = ['a', 'bad', 'c'].map(async (text) => queue.add(`client ${text}`, text));
  await queue.flush();
  expect(await Promise.all(answers)).toEqual([true, true, true]);
  expect([written, refused]).toEqual([[['a'], ['c']], ['client bad']]);
});

it('asks for reports again that were not written', async () => {
  let isBroken = false;
  const { queue } = createQueue({
    write: async () => {
      if (isBroken) throw new Error('no connection');
      isBroken = true;
    },
  });
  const answers = ['a', 'b', 'c', 'd'].map(async (text) => queue.add(text, text));
  await expect(queue.flush()).rejects.toThrow('no connection');
  expect(await Promise.all(answers)).toEqual([true, true, true, false]);
});
