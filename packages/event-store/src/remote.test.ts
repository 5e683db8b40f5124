import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EVENT_STORE_ERRORS } from './errors.ts';
import { type EventStore, toProjectId } from './port.ts';
import { connectStore, serveStore } from './remote.ts';

const project = toProjectId('shop');
const range = { from: 0, to: 60_000 };

function connect(store: Partial<EventStore>): { remote: EventStore; cut: () => void } {
  const { port1, port2 } = new MessageChannel();
  serveStore(port1, store as EventStore);
  onTestFinished(() => port1.close());
  return { remote: connectStore(port2), cut: () => port1.close() };
}

describe('a store that another thread serves', () => {
  it('answers with what the store returns, whatever the order', async () => {
    let release = () => {};
    const { remote } = connect({
      distinct: (_, { column }) =>
        column === 'host' ? new Promise((resolve) => (release = () => resolve(1))) : Promise.resolve(2),
    });
    const slow = remote.distinct(project, { ...range, column: 'host' });
    await expect(remote.distinct(project, { ...range, column: 'path' })).resolves.toBe(2);
    release();
    await expect(slow).resolves.toBe(1);
  });

  it('keeps the code, the status, the message and the cause of an error', async () => {
    const { remote } = connect({ health: () => Promise.reject(EVENT_STORE_ERRORS.full(new Error('no space left'))) });
    await expect(remote.health()).rejects.toMatchObject({
      code: 'event_store.disk_full',
      httpStatus: 503,
      message: EVENT_STORE_ERRORS.full().message,
      cause: { message: 'no space left' },
    });
  });

  it('reports an unknown failure as one of the store', async () => {
    const { remote } = connect({ compact: () => Promise.reject(new TypeError('odd')) });
    await expect(remote.compact()).rejects.toMatchObject({ code: 'event_store.failed', cause: { message: 'odd' } });
  });

  it('fails what waits and what comes later when the other thread is gone', async () => {
    const { remote, cut } = connect({ health: () => new Promise(() => {}) });
    const waiting = remote.health();
    cut();
    await expect(waiting).rejects.toMatchObject({ code: 'event_store.closed' });
    await expect(remote.projects()).rejects.toMatchObject({ code: 'event_store.closed' });
  });

  it('refuses more questions than may wait, and keeps the open ones', async () => {
    const releases: (() => void)[] = [];
    const { remote } = connect({
      projects: () => new Promise((resolve) => releases.push(() => resolve([project]))),
    });
    const open = Array.from({ length: 512 }, () => remote.projects());
    await expect(remote.projects()).rejects.toMatchObject({ code: 'event_store.too_many_queries' });
    await expect.poll(() => releases.length).toBe(512);
    for (const release of releases) release();
    expect(await Promise.all(open)).toHaveLength(512);
  });

  it('does not close the store that others use', async () => {
    let closed = 0;
    const { remote } = connect({
      close: async () => {
        closed += 1;
      },
    });
    await remote.close();
    await expect(remote.projects()).rejects.toMatchObject({ code: 'event_store.closed' });
    expect(closed).toBe(0);
  });
});
