import { type AlertCondition, SMTP_SETTINGS } from '@flotilla/contract';
import { createId, FakeClock } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sender } from '../deliver/sender.ts';
import { DeliveryStage, Receiver } from '../testing/index.ts';
import { MAIL_ACCOUNT, MailServer } from '../testing/mail-server.ts';
import { AlertStage } from '../testing/stage.ts';

let stage: AlertStage;
let project: string;
const cleanUps: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  stage = await AlertStage.open();
  project = await stage.addProject('shop');
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  await stage.close();
});

const CONDITION: AlertCondition = { kind: 'finding', min_severity: 'high', states: ['new', 'came_back'] };
const WAIT = { interval: 20 };

interface Made {
  readonly state?: string;
  readonly rank?: number;
  readonly host?: string;
  readonly count?: number;
}

/** Findings of one operation each. */
async function addFindings({ state = 'new', rank = 1, host = 'shop.example', count = 1 }: Made = {}): Promise<string> {
  const first = createId();
  await sql`
    insert into inventory_findings (id, project_id, operation_id, flag, rank, method, host, path, operation, services, state,
      state_since, accepted_until, first_seen, last_seen, sightings, starts_at, starts_with, base, reset_at, widest_gap_s)
    select case i when 1 then ${first}::uuid else gen_random_uuid() end, ${project}, left(md5(${first} || i), 16), 'missing_hsts',
      ${rank}, 'GET', ${host}, '/p' || i, '', '{}', ${state}, ${stage.now},
      case when ${state} = 'accepted' then ${stage.now}::timestamptz + interval '1 day' end, ${stage.now}, ${stage.now}, 1,
      ${stage.now}, 'sighting', 0, 'epoch', 0
    from generate_series(1, ${count}::int) i`.execute(stage.db);
  return first;
}

const setState = (id: string, state: string) =>
  sql`update inventory_findings set state = ${state}, state_since = ${stage.now},
    accepted_until = case when ${state} = 'accepted' then ${stage.now}::timestamptz + interval '1 day' end
    where id = ${id}`.execute(stage.db);
const states = async () => (await stage.listAlerts(project)).map(({ subject_name, state }) => [subject_name, state]);

describe('a rule about findings', () => {
  it('causes one alert for each finding that nobody has looked at and that is severe enough', async () => {
    await stage.addRule(project, { condition: CONDITION });
    await addFindings({ rank: 0, host: 'a.example' });
    await addFindings({ rank: 1, host: 'b.example', state: 'came_back' });
    await addFindings({ rank: 2, host: 'c.example' });
    for (const state of ['acknowledged', 'accepted', 'fix_claimed', 'fixed', 'operation_gone'])
      await addFindings({ state, host: 'd.example' });
    await stage.passes(0);
    expect(await stage.listAlerts(project)).toMatchObject([
      { subject_kind: 'finding', subject_name: 'GET a.example/p1: No Strict-Transport-Security', state: 'firing' },
      {
        subject_name: 'GET b.example/p1: No Strict-Transport-Security',
        summary: expect.stringMatching(/^High, came back\. /),
      },
    ]);
  });

  it.each(['acknowledged', 'accepted', 'fixed'])('ends its alert when the finding is %s', async (state) => {
    await stage.addRule(project, { condition: CONDITION });
    const id = await addFindings();
    await stage.passes(0);
    await setState(id, state);
    await stage.rounds(80);
    expect((await states()).map(([, one]) => one)).toEqual(['resolved']);
    await setState(id, 'came_back');
    await stage.rounds(20);
    expect((await states()).map(([, one]) => one)).toEqual(['resolved', 'firing']);
  });

  it('watches only the operations that its selector names', async () => {
    await stage.addRule(project, { condition: CONDITION, selector: { names: ['GET a.*'], labels: {} } });
    await addFindings({ host: 'a.example' });
    await addFindings({ host: 'b.example' });
    await stage.passes(0);
    expect((await states()).map(([name]) => name)).toEqual(['GET a.example/p1: No Strict-Transport-Security']);
  });

  it('does not see the findings of other projects', async () => {
    const other = await stage.addProject('other');
    await stage.addRule(other, { condition: CONDITION });
    await addFindings();
    await stage.passes(0);
    expect(await stage.listAlerts(other)).toEqual([]);
  });

  it('has alerts for the worst thousand, and one that counts the others; none ends because worse ones come', async () => {
    await stage.addRule(project, { condition: CONDITION });
    await addFindings({ count: 1500 });
    await stage.passes(0);
    const firing = async () => (await stage.listAlerts(project)).filter(({ state }) => state === 'firing');
    expect(await firing()).toHaveLength(1001);
    expect(await firing()).toContainEqual(
      expect.objectContaining({ subject_kind: 'project', summary: '500 further findings have no alert of their own.' }),
    );
    await addFindings({ rank: 0, count: 100, host: 'worse.example' });
    await stage.rounds(80);
    expect((await stage.listAlerts(project)).filter(({ state }) => state === 'resolved')).toEqual([]);
    expect((await firing()).filter(({ subject_name: name }) => name.includes('worse.example'))).toHaveLength(100);
  });
});

it('new findings are one mail and one signed webhook, over the mail server of the settings', async () => {
  const mail = await MailServer.open();
  cleanUps.push(() => mail.close());
  const receiver = await Receiver.open();
  cleanUps.push(() => receiver.close());
  const clock = new FakeClock(stage.now.getTime());
  const delivery = await DeliveryStage.open(stage, clock);
  cleanUps.push(() => delivery.close());
  const hook = await delivery.addWebhook(project, 'hook', `${receiver.url}/findings`);
  const ops = await stage.addChannel(project, 'ops');
  await stage.addRule(project, { condition: CONDITION, channels: [hook, ops] });
  await addFindings({ host: '<b>evil</b>.example', count: 3 });
  await stage.passes(0);
  await stage.rounds(20);
  expect(await stage.listMessages(ops)).toMatchObject([{ firing: 3, resolved: 0 }]);

  const sender = await openSender({ host: 'localhost', port: mail.port, ca_cert: mail.ca, ...MAIL_ACCOUNT });
  clock.advance(30_000);
  delivery.addCourierWith(sender);
  await expect.poll(() => [mail.received.length, receiver.received.length], WAIT).toEqual([1, 1]);
  const [sent] = mail.received;
  expect(sent).toMatchObject({ recipients: ['ops@example.com'], isEncrypted: true, user: MAIL_ACCOUNT.username });
  expect(new Map(sent?.headers).get('subject')).toContain('3_alerts_firing_in_shop');
  const html = sent?.raw.split('Content-Type: text/html')[1];
  expect(html).toContain('&lt;b&gt;evil');
  expect(html).not.toContain('<b>evil');
  const body = JSON.parse(receiver.received[0]?.body ?? '{}');
  expect(body.firing).toMatchObject({ count: 3, first: [{ subject: { kind: 'finding' } }, {}, {}] });
  expect(receiver.received[0]?.headers['x-flotilla-signature']).toMatch(/^v1=/);
});

/** The sender as the program opens it, over these settings. */
async function openSender(smtp: object): Promise<Sender> {
  const sender = new Sender();
  await sender.start({
    addTest: () => undefined,
    watch: async (type, listener) => {
      const mail = { enabled: true, sender: 'flotilla@example.com', encryption: 'starttls', ...smtp };
      const given = type.key === SMTP_SETTINGS.key ? mail : { allowed_networks: ['127.0.0.0/8'] };
      listener(type.schema.parse(given) as never);
      return { close: async () => undefined };
    },
  });
  cleanUps.push(() => sender.close());
  return sender;
}
