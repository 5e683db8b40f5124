import { failInventory } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import { type FindOperationsByTraffic, resolveFilter } from './traffic-filter.ts';

const NOW = new Date('2026-03-08T00:00:00.000Z');
const of = (find: FindOperationsByTraffic | undefined) => ({ projectId: 'p', now: NOW, find });

describe('conditions on requests', () => {
  it('become the operations that the event store finds in the window', async () => {
    const asked: unknown[] = [];
    const find: FindOperationsByTraffic = async (...all) => {
      asked.push(all);
      return { ids: ['0123456789abcdef'], truncated: true };
    };
    const resolved = await resolveFilter(of(find), { country: ['DE'], method: ['GET'], traffic_to: NOW.toISOString() });
    expect(asked).toEqual([['p', { country: ['DE'] }, { from: new Date('2026-03-01T00:00:00.000Z'), to: NOW }]]);
    expect(resolved).toEqual({
      filter: { method: ['GET'], ids: ['0123456789abcdef'] },
      truncated: true,
      applied: {
        method: ['GET'],
        country: ['DE'],
        traffic_from: '2026-03-01T00:00:00.000Z',
        traffic_to: '2026-03-08T00:00:00.000Z',
      },
    });
  });

  it('are no question if none is given, also with a window', async () => {
    const resolved = await resolveFilter(of(undefined), { host: 'a', traffic_from: NOW.toISOString() });
    expect(resolved).toEqual({ filter: { host: 'a' }, truncated: false, applied: { host: 'a' } });
  });

  it('without an event store, or with one that fails, are refused: no list is empty by mistake', async () => {
    const ask = (find: FindOperationsByTraffic | undefined) => resolveFilter(of(find), { asn: ['64500'] });
    await expect(ask(undefined)).rejects.toMatchObject({ code: 'inventory.store_off' });
    await expect(ask(() => Promise.reject(new Error('broken')))).rejects.toMatchObject({
      code: 'inventory.store_failed',
    });
    const off = failInventory('inventory.store_off', { reason: 'Another controller has it.' });
    await expect(ask(() => Promise.reject(off))).rejects.toBe(off);
  });

  it('refuse a window that ends before it begins', async () => {
    const find: FindOperationsByTraffic = async () => ({ ids: [], truncated: false });
    const query = { asn: ['1'], traffic_from: NOW.toISOString(), traffic_to: '2026-03-01T00:00:00.000Z' };
    await expect(resolveFilter(of(find), query)).rejects.toMatchObject({ code: 'request.invalid' });
  });
});
