import { createHmac } from 'node:crypto';
import { createId, FakeClock } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findChannel } from '../channels/store.ts';
import { DeliveryStage, WEBHOOK_SECRET } from '../testing/delivery.ts';
import { type Manner, Receiver } from '../testing/receiver.ts';
import { AlertStage } from '../testing/stage.ts';

const WAIT = { interval: 50 };

let stage: AlertStage;
let delivery: DeliveryStage;
let project: string;
let receiver: Receiver;
let manner: Manner;
const manners = new Map<string, Manner>();
const clock = new FakeClock(Date.now());
beforeEach(async () => {
  stage = await AlertStage.open();
  stage.now = new Date(clock.now());
  delivery = await DeliveryStage.open(stage, clock);
  project = await stage.addProject('shop');
  manner = { status: 200 };
  manners.clear();
  receiver = await Receiver.open((path) => manners.get(path) ?? manner);
});
afterEach(async () => {
  await delivery.close();
  await receiver.close();
  await stage.close();
});

const open = (allowed?: readonly string[]) => delivery.addCourier(allowed);
const addHook = (name: string, of = project) => delivery.addWebhook(of, name, `${receiver.url}/${name}`);
const queue = (channel: string, count?: number) => delivery.queue(project, channel, count);

const statusesOf = async (channel: string) => (await stage.listMessages(channel)).map(({ status }) => status);
const untilDelivered = (channel: string, count = 1) =>
  vi.waitFor(async () => expect(await statusesOf(channel)).toEqual(Array(count).fill('delivered')), WAIT);

describe('a webhook', () => {
  it('gets signed JSON with the id of the delivery', async () => {
    const channel = await addHook('good');
    await queue(channel);
    await open();
    await untilDelivered(channel);
    const [request] = receiver.received;
    const timestamp = request?.headers['x-flotilla-timestamp'];
    const signature = createHmac('sha256', WEBHOOK_SECRET).update(`${timestamp}.${request?.body}`).digest('hex');
    expect(request?.headers['x-flotilla-signature']).toBe(`v1=${signature}`);
    const [message] = await stage.listMessages(channel);
    expect(request?.headers['x-flotilla-delivery']).toBe(message?.id);
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      id: message?.id,
      project: { name: 'shop' },
      kind: 'alerts',
    });
  });

  it('that hangs delays nobody else, not even other channels of its project', async () => {
    const hanging = await Promise.all(Array.from({ length: 3 }, (_, i) => addHook(`hang-${i}`)));
    for (const [i] of hanging.entries()) manners.set(`/hang-${i}`, 'hang');
    const good = await addHook('good');
    for (const channel of [...hanging, good]) await queue(channel, 5);
    await open();
    await untilDelivered(good, 5);
    // The hanging channels have one attempt each, which has not ended.
    for (const channel of hanging)
      expect((await statusesOf(channel)).toSorted()).toEqual(['sending', 'waiting', 'waiting', 'waiting', 'waiting']);
  });

  it('that begins to hang together with many others leaves room after seconds, before its attempt ends', async () => {
    const taken = 32;
    for (let i = 0; i < taken; i += 1) {
      const owner = await stage.addProject(`many-${i}`);
      await delivery.queue(owner, await addHook(`many-${i}`, owner));
    }
    const good = await addHook('good');
    let hanging = 0;
    delivery.addCourierWith({
      send: (_target, { project: { id } }, signal) => {
        if (id === project) return Promise.resolve(undefined);
        hanging += 1;
        return new Promise((resolve) => signal?.addEventListener('abort', () => resolve('interrupted')));
      },
    });
    await vi.waitFor(() => expect(hanging).toBe(taken), WAIT);
    await queue(good);
    clock.advance(3000);
    await untilDelivered(good);
    expect(hanging).toBe(taken);
  });

  it('that refuses is tried again with the same id, ever more rarely, and in order', async () => {
    const channel = await addHook('bad');
    manner = { status: 500 };
    await queue(channel, 2);
    await open();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), WAIT);
    const stateOf = async () => {
      const { failures, last_error, failing_since } = await findChannel(stage.db, project, channel);
      return { failures, last_error, isFailing: failing_since !== null };
    };
    const refused = { failures: 1, last_error: 'the receiver answers 500', isFailing: true };
    await vi.waitFor(async () => expect(await stateOf()).toEqual(refused), WAIT);
    manner = { status: 200 };
    clock.advance(5001);
    await untilDelivered(channel, 2);
    const ids = receiver.received.map(({ headers }) => headers['x-flotilla-delivery']);
    const [first, second] = (await stage.listMessages(channel)).map(({ id }) => id);
    expect(ids).toEqual([first, first, second]);
    expect(await stateOf()).toEqual({ failures: 0, last_error: null, isFailing: false });
  });

  it('is given up after two hours', async () => {
    const channel = await addHook('bad');
    manner = { status: 500 };
    await queue(channel);
    await open();
    await vi.waitFor(async () => expect((await findChannel(stage.db, project, channel)).failures).toBe(1), WAIT);
    clock.advance(2 * 3_600_000 + 1);
    await vi.waitFor(async () => expect(await statusesOf(channel)).toEqual(['failed']), WAIT);
  });

  it('is not followed to where it redirects', async () => {
    const channel = await addHook('away');
    manners.set('/away', { status: 302, location: `${receiver.url}/elsewhere` });
    await queue(channel);
    await open();
    const error = async () => (await findChannel(stage.db, project, channel)).last_error;
    await vi.waitFor(async () => expect(await error()).toMatch(/redirects \(302\)/), WAIT);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/away']);
  });

  it('on an address of the host is refused before anything is sent', async () => {
    const channel = await addHook('inside');
    await queue(channel);
    await open([]);
    const error = async () => (await findChannel(stage.db, project, channel)).last_error;
    await vi.waitFor(async () => expect(await error()).toMatch(/127\.0\.0\.1 is not public/), WAIT);
    expect(receiver.received).toEqual([]);
  });
});

describe('a delivery', () => {
  it('is made by one of several controllers', async () => {
    const channels = await Promise.all(Array.from({ length: 10 }, (_, i) => addHook(`hook-${i}`)));
    for (const channel of channels) await queue(channel, 3);
    await Promise.all([open(), open(), open()]);
    for (const channel of channels) await untilDelivered(channel, 3);
    const ids = receiver.received.map(({ headers }) => headers['x-flotilla-delivery']);
    expect(ids).toHaveLength(30);
    expect(new Set(ids).size).toBe(30);
  });

  it('whose controller was killed is made again after its lease, with the same id', async () => {
    const channel = await addHook('good');
    await queue(channel);
    await sql`update alert_deliveries set status = 'sending', holder = ${createId()}, attempts = 1,
      leased_until = clock_timestamp() + interval '1 hour'`.execute(stage.db);
    const courier = await open();
    const other = await addHook('other');
    await queue(other);
    await untilDelivered(other);
    expect(await statusesOf(channel)).toEqual(['sending']);
    await sql`update alert_deliveries set leased_until = clock_timestamp() - interval '1 s'
      where status = 'sending'`.execute(stage.db);
    await untilDelivered(channel);
    await courier.close();
    expect(receiver.received.map(({ path }) => path)).toEqual(['/other', '/good']);
  });

  it('that the end of the program interrupts waits for the next start', async () => {
    const channel = await addHook('hang');
    manners.set('/hang', 'hang');
    await queue(channel);
    const courier = await open();
    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), WAIT);
    await courier.close();
    expect(await statusesOf(channel)).toEqual(['waiting']);
    expect((await findChannel(stage.db, project, channel)).failing_since).toBeNull();
  });

  it('that is claimed while the program ends is not sent', async () => {
    const channel = await addHook('late');
    await queue(channel);
    let sent = 0;
    const courier = delivery.addCourierWith({
      send: () => {
        sent += 1;
        return Promise.resolve(undefined);
      },
    });
    const at = clock.now();
    let closing: Promise<void> | undefined;
    // The courier has looked whether it is closed, and not yet for messages.
    vi.spyOn(clock, 'now').mockImplementationOnce(() => {
      closing = courier.close();
      return at;
    });
    await vi.waitFor(() => expect(closing).toBeDefined(), WAIT);
    await closing;
    expect(sent).toBe(0);
    expect(await statusesOf(channel)).toEqual(['waiting']);
  });

  it('does not show the secret address of a Slack channel in its error', async () => {
    const url = 'http://hooks.invalid/services/T0/B0/very-secret-part';
    const id = await delivery.addSlack(project, 'slack', url);
    const trial = await (await open()).test(await findChannel(stage.db, project, id), 'anna');
    expect(trial.ok).toBe(false);
    expect(JSON.stringify([trial, await findChannel(stage.db, project, id)])).not.toContain('very-secret');
  });
});
