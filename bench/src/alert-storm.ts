// Measures a storm of alerts: the round in which they begin to fire, and the messages that it causes; then the delivery of messages
// beside webhooks that hang, compared with the same without them: `node bench/src/alert-storm.ts [ALERTS] [MESSAGES] [HANGING]`.
import { AlertStage, DeliveryStage, Receiver } from '@flotilla/controller/testing/alerts';
import { systemClock } from '@flotilla/kit';
import { median } from './table.ts';

const [alerts = 10_000, messages = 50, hanging = 12] = process.argv.slice(2).map(Number);
const STORM_ROUNDS = 5;
const DELIVERY_ROUNDS = 3;
const GIVE_UP_MS = 60_000;
const POLL_MS = 5;
const CHANNELS_OF_PROJECT = 3;

async function measureStorm() {
  const stage = await AlertStage.open();
  const project = await stage.addProject('storm');
  const channel = await stage.addChannel(project);
  await stage.addRule(project, { condition: { kind: 'client_offline' }, channels: [channel] });
  const idle: number[] = [];
  for (let round = 0; round < STORM_ROUNDS; round += 1) idle.push(await timed(() => stage.passes(10)));
  await stage.addOfflineClients(project, alerts);
  const began = await timed(() => stage.passes(10));
  const lasting: number[] = [];
  for (let round = 0; round < STORM_ROUNDS; round += 1) lasting.push(await timed(() => stage.passes(10)));
  const sent = await stage.listMessages(channel);
  const fired = sent.reduce((sum, { firing }) => sum + firing, 0);
  if (fired !== alerts) throw new Error(`the messages are about ${fired} of ${alerts} alerts`);
  const bytes = Math.max(...sent.map(({ payload }) => JSON.stringify(payload).length));
  await stage.close();
  return { idle: median(idle), began, lasting: median(lasting), messages: sent.length, bytes };
}

/** Resolves to the time until the good webhook got all its messages. */
async function measureDelivery(hangingCount: number): Promise<number> {
  const stage = await AlertStage.open();
  const delivery = await DeliveryStage.open(stage, systemClock);
  const receiver = await Receiver.open((path) => (path.startsWith('/hang') ? 'hang' : { status: 200 }));
  try {
    const project = await stage.addProject('good');
    const good = await delivery.addWebhook(project, 'good', `${receiver.url}/good`);
    await delivery.queue(project, good, messages);
    for (let i = 0; i < hangingCount; i += 1) {
      const isBeside = i < CHANNELS_OF_PROJECT;
      const owner = isBeside ? project : await stage.addProject(`other-${i}`);
      const channel = await delivery.addWebhook(owner, `hang-${i}`, `${receiver.url}/hang-${i}`);
      await delivery.queue(owner, channel, messages);
    }
    const countOf = (prefix: string) => receiver.received.filter(({ path }) => path.startsWith(prefix)).length;
    const startedAt = performance.now();
    await delivery.addCourier();
    while (countOf('/good') < messages) {
      if (performance.now() - startedAt > GIVE_UP_MS)
        throw new Error(`${countOf('/good')} of ${messages} messages came`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    const took = performance.now() - startedAt;
    if (countOf('/hang') !== hangingCount) throw new Error(`${countOf('/hang')} of ${hangingCount} webhooks hang`);
    return took;
  } finally {
    await delivery.close();
    await receiver.close();
    await stage.close();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const storm = await measureStorm();
console.log(`${alerts} alerts that begin in one round: ${storm.messages} message of ${storm.bytes} bytes`);
console.table({
  'round without alerts (ms)': Math.round(storm.idle),
  'round in which they begin (ms)': Math.round(storm.began),
  'round in which they last (ms)': Math.round(storm.lasting),
});
// Interleaved, so that both meet the same machine.
const [alone, beside]: [number[], number[]] = [[], []];
for (let round = 0; round < DELIVERY_ROUNDS; round += 1) {
  alone.push(await measureDelivery(0));
  beside.push(await measureDelivery(hanging));
}
console.log(`${messages} messages to one webhook, median of ${DELIVERY_ROUNDS}`);
console.table({
  'alone (ms)': Math.round(median(alone)),
  [`beside ${hanging} webhooks that hang (ms)`]: Math.round(median(beside)),
});
