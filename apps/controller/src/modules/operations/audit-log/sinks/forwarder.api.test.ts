import { createId, createSilentLogger, systemClock } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordAudit } from '../../../../platform/audit/record-store.ts';
import { createControllerDatabase } from '../../../../testing/database.ts';
import { sealWaiting, whileSealing } from '../chain/chain-store.ts';
import type { Batch, Transport } from './delivery.ts';
import { Forwarder } from './forwarder.ts';
import { ensureSink, readSinks } from './sink-store.ts';

const PATIENT = { timeout: 90_000 };
let database: TestDatabase;
let forwarders: Forwarder[];
beforeEach(async () => {
  database = await createControllerDatabase();
  forwarders = [];
});
afterEach(async () => {
  await Promise.all(forwarders.map((forwarder) => forwarder.close()));
  await database.close();
});

/** A receiver in memory that can refuse or delay deliveries. */
class Place implements Transport {
  readonly deadlineMs = 1000;
  readonly taken: string[] = [];
  readonly heads: string[] = [];
  refuses = false;
  attempts = 0;
  held: Promise<void> | undefined;

  async deliver({ entries, heads }: Batch, check: () => void): Promise<void> {
    this.attempts += 1;
    await this.held;
    check();
    if (this.refuses) throw new Error('refused\nby the place');
    this.taken.push(...entries.map(({ entry }) => entry.action));
    this.heads.push(...heads.map(({ projectKey, seq }) => `${projectKey} ${seq}`));
  }
}

function open(clock = systemClock): Forwarder {
  const forwarder = new Forwarder({ db: database.db, name: 'webhook', logger: createSilentLogger(), clock });
  forwarders.push(forwarder);
  return forwarder;
}

let written = 0;
async function write(count: number, text = ''): Promise<string[]> {
  const actions = Array.from({ length: count }, (_, i) => `a${written + i}`);
  written += count;
  // In the order of sealing: by time, and by id within a millisecond.
  const start = Date.now();
  for (const [i, action] of actions.entries())
    await recordAudit(database.db, {
      at: new Date(start + i),
      actor: { kind: 'anonymous' },
      actorRole: undefined,
      projectId: undefined,
      action,
      outcome: 'done',
      status: 200,
      subject: { type: 'test', changes: { text } },
    });
  await whileSealing(database.db, (tx) => sealWaiting(tx, 10_000));
  return actions;
}

const sink = async () => (await readSinks(database.db))[0];

/** Simulates the end of a dead controller's lease. */
async function endLease(): Promise<void> {
  await sql`update audit_sinks set leased_until = 'epoch'`.execute(database.db);
}

async function openAtEnd(place: Place, clock = systemClock): Promise<Forwarder> {
  const forwarder = open(clock);
  forwarder.use(place);
  await expect.poll(sink, PATIENT).toBeDefined();
  return forwarder;
}

it('a forwarder sends what is sealed since its start, in order, and stores its progress', async () => {
  await write(2);
  const place = new Place();
  await openAtEnd(place);
  const actions = await write(5);
  await expect.poll(() => place.taken, PATIENT).toEqual(actions);
  await expect.poll(async () => (await sink())?.lag_entries, PATIENT).toBe(0);
});

it('a forwarder retries a refused batch, shows why and since when, and loses nothing of it', async () => {
  const place = new Place();
  place.refuses = true;
  const forwarder = await openAtEnd(place);
  const actions = await write(3);
  await expect.poll(async () => (await sink())?.last_error, PATIENT).toBe('refused by the place');
  expect(await sink()).toMatchObject({ lag_entries: 3, failing_since: expect.any(Date) });
  expect((await sink())?.lag_seconds).toBeGreaterThan(0);
  place.refuses = false;
  // A change of settings has the same effect: it does not wait for the next attempt.
  forwarder.use(place);
  await expect.poll(() => place.taken, PATIENT).toEqual(actions);
  await expect.poll(async () => (await sink())?.failing_since, PATIENT).toBeNull();
});

it('a forwarder continues where it stopped after it was switched off and on', async () => {
  const place = new Place();
  const forwarder = await openAtEnd(place);
  const first = await write(2);
  await expect.poll(() => place.taken, PATIENT).toEqual(first);
  forwarder.use(undefined);
  const meanwhile = await write(4);
  forwarder.use(place);
  await expect.poll(() => place.taken, PATIENT).toEqual([...first, ...meanwhile]);
});

it('one controller sends at a time; after a kill the next one continues, repeating at most one batch', async () => {
  const [killed, next] = [new Place(), new Place()];
  await openAtEnd(killed);
  const first = await write(3);
  await expect.poll(() => killed.taken, PATIENT).toEqual(first);
  open().use(next);
  // The receiver accepts the batch, but the database never learns of it: `kill -9` at the worst moment.
  let neverWakes = () => {};
  killed.held = new Promise((resolve) => {
    neverWakes = resolve;
  });
  const second = await write(3);
  await expect.poll(() => killed.attempts, PATIENT).toBeGreaterThan(1);
  expect(next.taken).toEqual([]);
  await endLease();
  await expect.poll(() => next.taken, PATIENT).toEqual(second);
  await expect.poll(async () => (await sink())?.lag_entries, PATIENT).toBe(0);
  neverWakes();
});

it('a forwarder sends and stores nothing when it wakes after its lease', async () => {
  let ms = 0;
  const stopped = new Place();
  await openAtEnd(stopped, { now: () => Date.now(), monotonic: () => ms });
  let wake = () => {};
  stopped.held = new Promise((resolve) => {
    wake = resolve;
  });
  const actions = await write(3);
  await expect.poll(() => stopped.attempts, PATIENT).toBe(1);
  await endLease();
  const next = new Place();
  open().use(next);
  await expect.poll(() => next.taken, PATIENT).toEqual(actions);
  ms += 60_000;
  wake();
  const more = await write(2);
  await expect.poll(() => next.taken, PATIENT).toEqual([...actions, ...more]);
  expect(stopped.taken).toEqual([]);
});

it('a stopping controller releases the sink, so that another one takes over at once', async () => {
  const [first, second] = [new Place(), new Place()];
  const forwarder = await openAtEnd(first);
  const before = await write(1);
  await expect.poll(() => first.taken, PATIENT).toEqual(before);
  await forwarder.close();
  const after = await write(1);
  open().use(second);
  await expect.poll(() => second.taken, PATIENT).toEqual(after);
});

const newKeys = (count: number) => Array.from({ length: count }, () => createId());

/** Inserts checkpoints of chains that are not verified here. */
async function sign(keys: readonly string[], seqs: readonly number[], at: Date): Promise<void> {
  await database.db
    .insertInto('audit_keys')
    .values({ key_id: 'k', public_key: 'p', created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await sql`
    insert into audit_checkpoints (project_key, seq, hash, at, key_id, signature)
    select key::uuid, seq::bigint, '\\x00'::bytea, ${at}, 'k', '\\x00'::bytea
    from jsonb_array_elements_text(${JSON.stringify(keys)}::jsonb) key,
      jsonb_array_elements(${JSON.stringify(seqs)}::jsonb) seq`.execute(database.db);
}

it("a forwarder sends the newest head of each chain once, even if the signer's clock is behind", async () => {
  const keys = newKeys(1200);
  await sign(keys, [1, 2], new Date(Date.now() - 60_000));
  const place = new Place();
  const forwarder = await openAtEnd(place);
  await expect.poll(() => place.heads.length, PATIENT).toBe(keys.length);
  expect(place.heads.toSorted()).toEqual(keys.map((key) => `${key} 2`).toSorted());
  forwarder.use(place);
  const actions = await write(1);
  await expect.poll(() => place.taken, PATIENT).toEqual(actions);
  expect(place.heads).toHaveLength(keys.length);
});

it('a forwarder sends at most a thousand heads at once, and waiting ones before newer ones', async () => {
  const keys = newKeys(2300).toSorted();
  let [seq, ms] = [1, 0];
  // Works for any delivery time while every chain grows.
  const place = new (class extends Place {
    readonly sizes: number[] = [];
    override async deliver(batch: Batch, check: () => void): Promise<void> {
      await super.deliver(batch, check);
      this.sizes.push(batch.heads.length);
      seq += 1;
      ms += 40_000;
      if (seq < 5) await sign(keys, [seq], new Date());
    }
  })();
  await sign(keys, [seq], new Date());
  await openAtEnd(place, { now: () => Date.now(), monotonic: () => ms });
  await expect.poll(() => place.heads.at(-1), PATIENT).toBe(`${keys.at(-1)} 4`);
  const chains = place.heads.map((head) => head.split(' ')[0]);
  expect(chains.slice(0, keys.length)).toEqual(keys);
  expect(Math.max(...place.sizes)).toBe(1000);
});

it('a forwarder loses no waiting head if the controller is killed between two deliveries', async () => {
  const keys = newKeys(1500);
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  await ensureSink(database.db, 'webhook');
  await sql`update audit_sinks set heads_at = ${minutesAgo(120)}`.execute(database.db);
  const isOdd = (_: string, i: number) => i % 2 === 1;
  await sign(keys.filter(isOdd), [1], minutesAgo(60));
  await sign(
    keys.filter((key, i) => !isOdd(key, i)),
    [1],
    minutesAgo(30),
  );
  let neverWakes = () => {};
  const killed = new (class extends Place {
    override async deliver(batch: Batch, check: () => void): Promise<void> {
      await super.deliver(batch, check);
      this.held = new Promise((resolve) => {
        neverWakes = resolve;
      });
    }
  })();
  await openAtEnd(killed);
  await expect.poll(() => killed.attempts, PATIENT).toBe(2);
  expect(killed.heads).toHaveLength(1000);
  await endLease();
  const next = new Place();
  open().use(next);
  const sent = () => new Set([...killed.heads, ...next.heads]).size;
  await expect.poll(sent, PATIENT).toBe(keys.length);
  neverWakes();
});

it('a delivery with heads is no larger than one without', async () => {
  await ensureSink(database.db, 'webhook');
  // Without the heads, all of them would just fit into one.
  const actions = await write(50, 'x'.repeat(20_000));
  await sign(newKeys(1000), [1], new Date());
  const sizes: { entries: number; heads: number }[] = [];
  const place = new (class extends Place {
    override async deliver(batch: Batch, check: () => void): Promise<void> {
      sizes.push({ entries: JSON.stringify(batch.entries).length, heads: batch.heads.length });
      await super.deliver(batch, check);
    }
  })();
  await openAtEnd(place);
  await expect.poll(() => place.taken, PATIENT).toEqual(actions);
  expect(sizes.map(({ heads }) => heads)).toEqual([1000, 0]);
  const [first] = sizes;
  expect((first?.entries ?? 0) + 1000 * 400).toBeLessThan(1024 * 1024);
});
