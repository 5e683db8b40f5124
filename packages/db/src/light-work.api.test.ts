import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runLight, TooHeavy } from './light-work.ts';

let t: TestDatabase;
beforeAll(async () => {
  t = await createTestDatabase({});
});
afterAll(() => t.close());

const object = (chars: number): RawBuilder<unknown> => sql`jsonb_build_object('a', repeat('x', ${chars}::int))`;
const read = async (value: RawBuilder<unknown>, rows = 1) => {
  const answer = await sql<{ value: unknown }>`select ${value} as value from generate_series(1, ${rows}::int)`.execute(
    t.db,
  );
  return answer.rows.map((row) => row.value);
};

describe('light work (attack 8)', () => {
  it('reads small values, and large ones within its allowance', async () => {
    expect(await runLight(0, () => read(object(1000), 100))).toHaveLength(100);
    expect(await runLight(100_000, () => read(object(50_000)))).toEqual([{ a: 'x'.repeat(50_000) }]);
    expect(await runLight(0, () => read(sql`null::jsonb`))).toEqual([null]);
  });

  it.each([
    ['one value', () => read(object(200_000))],
    ['many values together', () => read(object(5000), 30)],
    ['json that is not jsonb', () => read(sql`${object(200_000)}::json`)],
    ['text', () => read(sql`repeat('x', 2000000)`)],
    ['bytes', () => read(sql`decode(repeat('00', 2000000), 'hex')`)],
    ['several queries', async () => [await read(object(60_000)), await read(object(60_000))]],
  ])('ends if it reads too much: %s', async (_, work) => {
    await expect(runLight(100_000, work)).rejects.toBeInstanceOf(TooHeavy);
    await expect(work()).resolves.toBeDefined();
  });

  it('rolls back a transaction in which it exceeds its allowance', async () => {
    const work = () =>
      t.db.transaction().execute(async (tx) => {
        await tx.insertInto('outbox').values({ topic: 'heavy', payload: '{}', at: new Date() }).execute();
        await sql`select ${object(200_000)} as value`.execute(tx);
      });
    await expect(runLight(100_000, work)).rejects.toBeInstanceOf(TooHeavy);
    expect(await t.db.selectFrom('outbox').select('topic').where('topic', '=', 'heavy').execute()).toEqual([]);
  });

  it('has its own allowance, whatever else runs at the same time', async () => {
    const [heavy, light, other] = await Promise.allSettled([
      runLight(1000, () => read(object(200_000))),
      runLight(1_000_000, () => read(object(200_000))),
      read(object(200_000), 3),
    ]);
    expect([heavy.status, light.status, other.status]).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  });
});
