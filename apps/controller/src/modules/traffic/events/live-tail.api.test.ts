import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createEventWorld, type EventWorld, PATH } from './testing/event-world.ts';

let w: EventWorld;
let address: string;
const WAIT = { interval: 50 };

beforeAll(async () => {
  w = await createEventWorld();
  address = await w.t.app.listen({ port: 0, host: '127.0.0.1' });
}, 120_000);
afterAll(() => w?.close());

interface Frame {
  readonly id: string | undefined;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: frames have data of any shape
  readonly data: any;
}

interface Tail {
  readonly status: number;
  readonly frames: Frame[];
  paths(): string[];
  close(): void;
}

/** Opens a stream over HTTP, as a reader does. */
async function open(
  query: Record<string, string> = {},
  { caller = w.t.owner, lastId, isRefused = false }: { caller?: TestCaller; lastId?: string; isRefused?: boolean } = {},
): Promise<Tail> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await fetch(
    `${address}${PATH}/events/live?${new URLSearchParams({ project: w.t.project, ...query })}`,
    {
      headers: { authorization: `Bearer ${caller.token}`, ...(lastId && { 'last-event-id': lastId }) },
      signal: abort.signal,
    },
  );
  const frames: Frame[] = [];
  const reading = readFrames(response, frames).catch(() => undefined);
  if (!isRefused) await expect.poll(() => frames[0]?.name, WAIT).toBe('hello');
  return {
    status: response.status,
    frames,
    paths: () => frames.filter(({ name }) => name === 'event').map(({ data }) => data.normalized_path),
    close: () => {
      abort.abort();
      void reading;
    },
  };
}

async function readFrames(response: Response, frames: Frame[]): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    const parts = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const fields = new Map(
        part.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
      );
      const data = JSON.parse(fields.get('data') ?? 'null');
      frames.push({ id: fields.get('id'), name: fields.get('event') ?? '', data });
    }
  }
}

const now = (changes: Parameters<EventWorld['event']>[0]) => w.event({ timeMs: Date.now(), ...changes });

describe('the live tail', () => {
  it('sends the requests that arrive, oldest first, with their ids', async () => {
    const tail = await open();
    expect(tail.frames[0]).toMatchObject({ name: 'hello', data: { resumed: false, key_ids: null } });
    await w.append([now({ path: '/first' })]);
    await expect.poll(tail.paths, WAIT).toEqual(['/first']);
    await w.append([now({ path: '/second' }), now({ path: '/third' })]);
    await expect.poll(() => tail.paths().length, WAIT).toBe(3);
    const event = tail.frames.find(({ name }) => name === 'event');
    expect(event?.data).toMatchObject({ id: event?.id, service_name: w.service.name, client_name: 'edge-of-events' });
  });

  it('sends nothing that happened before, nothing of other filters and nothing of another project', async () => {
    const other = await w.t.createProject('tail-of-others');
    const tail = await open({ status_class: '5xx' });
    await w.append([now({ path: '/theirs', status: 500 })], other);
    await w.append([now({ path: '/fine', status: 200 }), now({ path: '/failed', status: 500 })]);
    await expect.poll(tail.paths, WAIT).toEqual(['/failed']);
  });

  it('sends a request that arrives late, once', async () => {
    const tail = await open({ route: 'late' });
    await w.append([now({ path: '/new', route: 'late' })]);
    await expect.poll(tail.paths, WAIT).toEqual(['/new']);
    const first = tail.frames.find(({ name }) => name === 'event')?.data;
    await w.append([w.event({ timeMs: Date.parse(first.time) - 1, path: '/late', route: 'late' })]);
    await expect.poll(tail.paths, WAIT).toEqual(['/new', '/late']);
    await w.append([now({ path: '/last', route: 'late' })]);
    await expect.poll(tail.paths, WAIT).toEqual(['/new', '/late', '/last']);
  });

  it('shows a request of a clock that is ahead without hiding the others', async () => {
    const tail = await open({ route: 'ahead' });
    await w.append([w.event({ timeMs: Date.now() + 120_000, path: '/ahead', route: 'ahead' })]);
    await w.append([now({ path: '/now', route: 'ahead' })]);
    await expect.poll(tail.paths, WAIT).toEqual(['/now']);
  });

  it('continues after the last id that the reader saw', async () => {
    const tail = await open({ route: 'resumed' });
    await w.append([now({ path: '/seen', route: 'resumed' })]);
    await expect.poll(tail.paths, WAIT).toEqual(['/seen']);
    tail.close();
    await w.append([now({ path: '/missed', route: 'resumed' })]);
    const lastId = tail.frames.at(-1)?.id ?? '';
    for (const isHeader of [true, false]) {
      const query = { route: 'resumed', ...(!isHeader && { last_event_id: lastId }) };
      const again = await open(query, isHeader ? { lastId } : {});
      expect(again.frames[0]).toMatchObject({ name: 'hello', data: { resumed: true } });
      await expect.poll(again.paths, WAIT).toEqual(['/missed']);
      again.close();
    }
  });

  it('does not resume after an invalid id', async () => {
    for (const lastId of ['x', "1' or 1=1", '-5.000000000000000000000000', `${'9'.repeat(15)}.${'0'.repeat(24)}`]) {
      const tail = await open({}, { lastId });
      expect(tail.frames[0]?.data.resumed).toBe(false);
      tail.close();
    }
  });

  it('says how many requests it skipped when there are too many', async () => {
    const tail = await open({ route: 'flood' });
    const timeMs = Date.now();
    await w.append(
      Array.from({ length: 3000 }, (_, index) =>
        w.event({ timeMs: timeMs + Math.floor(index / 100), path: '/flood', route: 'flood' }),
      ),
    );
    const countAll = () => {
      const skipped = tail.frames.filter(({ name }) => name === 'skipped').map(({ data }) => data.requests);
      return tail.paths().length + skipped.reduce((sum, requests) => sum + requests, 0);
    };
    await expect.poll(countAll, WAIT).toBeGreaterThan(2900);
    expect(tail.frames.some(({ name }) => name === 'skipped')).toBe(true);
    expect(countAll()).toBeLessThanOrEqual(3000);
    const ids = tail.frames.flatMap(({ id }) => id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('reports a store that fails, and goes on when it is back', async () => {
    const tail = await open({ route: 'broken' });
    const { store } = w.access;
    try {
      Object.assign(w.access, { store: undefined, reason: 'It is being replaced.' });
      await expect
        .poll(() => tail.frames.at(-1), WAIT)
        .toMatchObject({
          name: 'problem',
          data: { code: 'inventory.store_off', message: expect.stringContaining('It is being replaced.') },
        });
      const refused = await open({}, { isRefused: true });
      expect(refused.status).toBe(503);
    } finally {
      Object.assign(w.access, { store, reason: undefined });
    }
    await w.append([now({ path: '/back', route: 'broken' })]);
    await expect.poll(tail.paths, WAIT).toEqual(['/back']);
  });

  it('ends when the reader loses the role', async () => {
    const viewer = await w.t.createMember('viewer');
    const tail = await open({}, { caller: viewer });
    await w.t.database.db.deleteFrom('memberships').where('user_id', '=', viewer.userId).execute();
    await expect.poll(() => tail.frames.at(-1), WAIT).toMatchObject({ name: 'end', data: { reason: 'session' } });
  });

  it('is limited to five streams of one caller', async () => {
    const viewer = await w.t.createMember('viewer');
    const tails = await Promise.all(Array.from({ length: 5 }, () => open({}, { caller: viewer })));
    expect(tails.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await open({}, { caller: viewer, isRefused: true })).status).toBe(429);
    for (const tail of tails) tail.close();
    await expect.poll(async () => (await open({}, { caller: viewer, isRefused: true })).status, WAIT).toBe(200);
  });
});
