import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOperationFinder } from './find-operations.ts';
import { createEventWorld, type EventWorld, HOUR_MS, hashFor, hashOf } from './testing/event-world.ts';

let w: EventWorld;
let find: ReturnType<typeof createOperationFinder>;
const idOf = (index: number) => (0xa000 + index).toString(16).padStart(16, '0');

beforeAll(async () => {
  w = await createEventWorld();
  find = createOperationFinder({ access: w.access, hashFor });
  const [from, agent] = [hashOf(w.t.project, '192.0.2.7', 'key-1'), hashOf(w.t.project, 'curl/8.5.0')];
  await w.append([
    w.event({ operationId: idOf(1), country: 'BR', asn: 64_500 }),
    w.event({ operationId: idOf(2), country: 'BR', source: from }),
    w.event({ operationId: idOf(2), country: 'BR', source: from }),
    w.event({ operationId: idOf(3), userAgent: agent }),
    w.event({ operationId: '', country: 'BR' }),
  ]);
}, 120_000);
afterAll(() => w?.close());

const hour = () => ({ from: new Date(w.nowMs - HOUR_MS), to: new Date(w.nowMs + 1) });

describe('the operations of an origin', () => {
  it('are found by country, network, address and user agent, the most requested ones first', async () => {
    const ids = async (origin: Parameters<typeof find>[1]) => (await find(w.t.project, origin, hour())).ids;
    expect(await ids({ country: ['BR'] })).toEqual([idOf(2), idOf(1)]);
    expect(await ids({ country: ['BR'], asn: ['64500'] })).toEqual([idOf(1)]);
    expect(await ids({ source_ip: ['192.0.2.7', '192.0.2.8'] })).toEqual([idOf(2)]);
    expect(await ids({ user_agent: ['curl/8.5.0'] })).toEqual([idOf(3)]);
    expect(await ids({ country: ['XX'] })).toEqual([]);
  });

  it('are those of the project', async () => {
    const other = await w.t.createProject('other-origins');
    expect(await find(other, { country: ['BR'] }, hour())).toEqual({ ids: [], truncated: false });
    expect(await find(other, { source_ip: ['192.0.2.7'] }, hour())).toEqual({ ids: [], truncated: false });
  });

  it('are at most a thousand, and the answer says so', async () => {
    const project = await w.t.createProject('many-operations');
    await w.append(
      Array.from({ length: 1200 }, (_, index) => w.event({ operationId: idOf(index), country: 'DE' })),
      project,
    );
    const found = await find(project, { country: ['DE'] }, hour());
    expect([found.ids.length, found.truncated]).toEqual([1000, true]);
  });

  it('are unknown without a store', async () => {
    const off = createOperationFinder({ access: { store: undefined, reason: 'It is off.' }, hashFor });
    await expect(off(w.t.project, { country: ['BR'] }, hour())).rejects.toMatchObject({ code: 'inventory.store_off' });
  });
});
