import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AlertStage } from '../testing/stage.ts';

let stage: AlertStage;
let project: string;
let channel: string;
beforeEach(async () => {
  stage = await AlertStage.open();
  project = await stage.addProject('shop');
  channel = await stage.addChannel(project);
});
afterEach(() => stage.close());

const OFFLINE = { condition: { kind: 'client_offline' as const } };
const statesOf = async () => (await stage.listAlerts(project)).map(({ state }) => state);

describe('an alert', () => {
  it('is pending until its condition has held long enough, then firing, then resolved', async () => {
    await stage.addRule(project, { ...OFFLINE, for_s: 60, channels: [channel] });
    await stage.addOfflineClients(project, 1);
    await stage.passes(30);
    expect(await statesOf()).toEqual(['pending']);
    await stage.passes(30);
    expect(await statesOf()).toEqual(['firing']);
    await stage.connectClients(project);
    await stage.passes(10);
    expect(await statesOf()).toEqual(['firing']);
    await stage.passes(60);
    expect(await statesOf()).toEqual(['resolved']);
    const messages = await stage.listMessages(channel);
    expect(messages.map(({ firing, resolved }) => [firing, resolved])).toEqual([[1, 0]]);
    expect(messages[0]?.payload).toMatchObject({ firing: { first: [{ labels: { rack: 'r1' } }] } });
    await stage.passes(60);
    expect((await stage.listMessages(channel)).map(({ firing, resolved }) => [firing, resolved])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it('of a condition that ends in time is never seen again', async () => {
    await stage.addRule(project, { ...OFFLINE, for_s: 60, channels: [channel] });
    await stage.addOfflineClients(project, 1);
    await stage.passes(30);
    await stage.connectClients(project);
    await stage.rounds(120);
    expect(await stage.listAlerts(project)).toEqual([]);
    expect(await stage.listMessages(channel)).toEqual([]);
  });

  it('counts from the time at which its condition began, not from the first round', async () => {
    await stage.addRule(project, { ...OFFLINE, for_s: 60 });
    await stage.addOfflineClients(project, 1);
    await stage.passes(61);
    expect(await statesOf()).toEqual(['firing']);
  });

  it('does not fire because the controllers were away: agents get time to connect again', async () => {
    await stage.addRule(project, { ...OFFLINE, for_s: 60 });
    await stage.addOfflineClients(project, 100);
    stage.now = new Date(stage.now.getTime() + 3_600_000);
    stage.watchingSince = stage.now;
    await stage.passes(10);
    expect(new Set(await statesOf())).toEqual(new Set(['pending']));
    await stage.connectClients(project);
    await stage.passes(10);
    expect(await stage.listAlerts(project)).toEqual([]);
  });

  it('that flaps causes fewer and fewer messages', async () => {
    await stage.addRule(project, { ...OFFLINE, channels: [channel] });
    await stage.addOfflineClients(project, 1);
    for (let i = 0; i < 60; i += 1) {
      await stage.passes(60);
      if (i % 2 === 0) await stage.connectClients(project);
      else await stage.disconnectClients(project);
    }
    const { length } = await stage.listMessages(channel);
    expect(length).toBeGreaterThan(0);
    // 30 times offline in an hour: without damping there would be a message every minute.
    expect(length).toBeLessThanOrEqual(10);
  });

  it('of a rule that is switched off or deleted ends', async () => {
    const off = await stage.addRule(project, { ...OFFLINE, name: 'off', channels: [channel] });
    await stage.addRule(project, { ...OFFLINE, name: 'on' });
    await stage.addOfflineClients(project, 1);
    await stage.rounds(20);
    await sql`update alert_rules set enabled = false where id = ${off}`.execute(stage.db);
    await stage.passes(60);
    expect((await stage.listAlerts(project)).map(({ rule_name, state }) => [rule_name, state]).toSorted()).toEqual([
      ['off', 'resolved'],
      ['on', 'firing'],
    ]);
  });
});

describe('a storm', () => {
  it('of 10,000 alerts is one message for each channel, with their number and the first names', async () => {
    const other = await stage.addChannel(project, 'second');
    await stage.addRule(project, { ...OFFLINE, name: 'lost', severity: 'critical', channels: [channel, other] });
    await stage.addRule(project, { ...OFFLINE, name: 'also-lost', channels: [channel] });
    await stage.addOfflineClients(project, 5000);
    await stage.rounds(50);
    const [message, ...more] = await stage.listMessages(channel);
    expect(more).toEqual([]);
    expect(message).toMatchObject({ firing: 10_000, resolved: 0, status: 'waiting' });
    const critical = expect.objectContaining({ severity: 'critical' });
    expect(message?.payload).toMatchObject({ firing: { count: 10_000, first: Array(10).fill(critical) } });
    expect((await stage.listMessages(other)).map(({ firing }) => firing)).toEqual([5000]);
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from outbox
      where payload ->> 'topic' = 'alert'`.execute(stage.db);
    expect(rows[0]?.count).toBeLessThan(20);
  });

  it('that lasts for minutes is at most one message a minute', async () => {
    await stage.addRule(project, { ...OFFLINE, channels: [channel] });
    for (let i = 0; i < 30; i += 1) {
      await stage.addOfflineClients(project, 50, `wave-${i}`);
      await stage.passes(10);
    }
    await stage.rounds(120);
    const messages = await stage.listMessages(channel);
    expect(messages.reduce((sum, { firing }) => sum + firing, 0)).toBe(1500);
    expect(messages.length).toBeLessThanOrEqual(6);
  });

  it('of one project does not delay or mix with the messages of another', async () => {
    const other = await stage.addProject('other');
    const theirs = await stage.addChannel(other);
    await stage.addRule(project, { ...OFFLINE, channels: [channel] });
    await stage.addRule(other, { ...OFFLINE, channels: [theirs] });
    await stage.addOfflineClients(project, 1000);
    await stage.addOfflineClients(other, 1, 'alone');
    await stage.rounds(20);
    const messages = await stage.listMessages(theirs);
    expect(messages.map(({ firing }) => firing)).toEqual([1]);
    expect(JSON.stringify(messages)).not.toContain('edge-');
  });
});

describe('a message', () => {
  it('is not repeated by rounds of the same moment, nor by an acknowledged alert', async () => {
    await stage.addRule(project, { ...OFFLINE, channels: [channel], repeat_s: 300 });
    await stage.addOfflineClients(project, 1);
    expect(await stage.rounds(20)).toBe(1);
    expect(await stage.passes(0)).toBe(0);
    expect(await stage.rounds(280)).toBe(0);
    expect(await stage.rounds(40)).toBe(1);
    await sql`update alerts set acknowledged_at = ${stage.now}`.execute(stage.db);
    expect(await stage.rounds(900)).toBe(0);
  });

  it('waits for the end of a silence, of an alert or of its rule', async () => {
    const rule = await stage.addRule(project, { ...OFFLINE, channels: [channel] });
    await sql`update alert_rules set silenced_until = ${new Date(stage.now.getTime() + 100_000)} where id = ${rule}`.execute(
      stage.db,
    );
    await stage.addOfflineClients(project, 1);
    expect(await stage.rounds(90)).toBe(0);
    await sql`update alerts set silenced_until = ${new Date(stage.now.getTime() + 100_000)}`.execute(stage.db);
    expect(await stage.rounds(90)).toBe(0);
    expect(await stage.rounds(20)).toBe(1);
  });

  it('waits for the end of the quiet hours, also in the night in which the clocks change', async () => {
    stage.now = new Date('2026-03-28T21:30:00.000Z');
    const quiet_hours = { time_zone: 'Europe/Berlin', weekdays: ['sat' as const], from: '22:00', to: '07:00' };
    await stage.addRule(project, { ...OFFLINE, channels: [channel], quiet_hours });
    await stage.addRule(project, { ...OFFLINE, name: 'loud', severity: 'critical' });
    await stage.addOfflineClients(project, 3);
    // 07:00 in Berlin is 05:00 UTC, because the clock moves at 01:00 UTC.
    stage.now = new Date('2026-03-29T04:59:40.000Z');
    expect(await stage.passes(0)).toBe(0);
    expect(await stage.passes(10)).toBe(0);
    expect(await stage.passes(20)).toBe(1);
    expect((await stage.listMessages(channel)).map(({ firing }) => firing)).toEqual([3]);
  });

  it('is not sent to a channel that is switched off', async () => {
    await stage.addRule(project, { ...OFFLINE, channels: [channel] });
    await sql`update alert_channels set enabled = false`.execute(stage.db);
    await stage.addOfflineClients(project, 1);
    expect(await stage.rounds(60)).toBe(0);
    await sql`update alert_channels set enabled = true`.execute(stage.db);
    expect(await stage.rounds(10)).toBe(1);
  });
});

describe('a condition', () => {
  it('applies to the names and labels of its selector only', async () => {
    await stage.addRule(project, { ...OFFLINE, name: 'named', selector: { names: ['edge-1*', 'edge_2'], labels: {} } });
    await stage.addRule(project, { ...OFFLINE, name: 'labelled', selector: { names: [], labels: { rack: 'r0' } } });
    await stage.addOfflineClients(project, 11);
    await stage.passes(0);
    const found = await stage.listAlerts(project);
    const of = (rule: string) =>
      found.filter(({ rule_name }) => rule_name === rule).map(({ subject_name }) => subject_name);
    expect(of('named')).toEqual(['edge-1', 'edge-10', 'edge-11']);
    expect(of('labelled')).toEqual(['edge-10', 'edge-2', 'edge-4', 'edge-6', 'edge-8']);
  });

  it('certificate_expiry finds documents and the CA of the clients', async () => {
    await stage.addRule(project, { condition: { kind: 'certificate_expiry', days: 14 } });
    stage.authorityEndsAt = new Date(stage.now.getTime() + 13 * 86_400_000);
    await stage.passes(0);
    expect(await stage.listAlerts(project)).toMatchObject([
      { state: 'firing', subject_kind: 'authority', summary: 'The certificate expires at 2026-01-28 12:00 UTC.' },
    ]);
  });

  it('configuration_refused is one alert for all errors of a service', async () => {
    await stage.addRule(project, { condition: { kind: 'configuration_refused', severities: ['critical', 'error'] } });
    const service = await addService('shop');
    const message = `${'<b>bad</b>\n'.repeat(200)}`;
    for (const [name, severity] of [
      ['a', 'error'],
      ['b', 'critical'],
      ['c', 'warning'],
    ] as const)
      await addError(service, name, severity, message);
    await stage.passes(0);
    const [alert, ...more] = await stage.listAlerts(project);
    expect(more).toEqual([]);
    expect(alert).toMatchObject({ state: 'firing', subject_kind: 'service', subject_name: 'shop' });
    expect(alert?.summary).toMatch(/^2 errors, the newest: [ab]: /);
    expect(alert?.summary.length).toBeLessThanOrEqual(1000);
    await sql`update config_errors set status = 'resolved'`.execute(stage.db);
    await stage.rounds(80);
    expect(await statesOf()).toEqual(['resolved']);
  });

  it('service_health follows the state of the service', async () => {
    await stage.addRule(project, { condition: { kind: 'service_health', states: ['unreachable'] } });
    await stage.addOfflineClients(project, 1);
    const service = await addService('shop');
    await sql`insert into service_targets (service_id, client_id, position, addresses, deployed, generation)
      select ${service}, id, 0, '{}', true, 1 from clients`.execute(stage.db);
    await stage.passes(0);
    expect(await stage.listAlerts(project)).toMatchObject([{ state: 'firing', subject_name: 'shop' }]);
    await stage.connectClients(project);
    await stage.rounds(80);
    expect(await statesOf()).toEqual(['resolved']);
  });

  it('job_failed ends when the same job succeeds, or after a day', async () => {
    await stage.addRule(project, { condition: { kind: 'job_failed', types: [] } });
    await addJob('backup.export', 'dead');
    await addJob('documents.upgrade', 'failed');
    await stage.passes(0);
    expect((await stage.listAlerts(project)).map(({ subject_name, state }) => [subject_name, state])).toEqual([
      ['backup.export', 'firing'],
      ['documents.upgrade', 'firing'],
    ]);
    stage.now = new Date(stage.now.getTime() + 60_000);
    await addJob('backup.export', 'done');
    await stage.rounds(80);
    expect(await statesOf()).toEqual(['resolved', 'firing']);
    await stage.passes(86_400);
    await stage.rounds(80);
    expect(await statesOf()).toEqual(['resolved', 'resolved']);
  });

  it('backup_missing waits for the first backup of a new project', async () => {
    await stage.addRule(project, { condition: { kind: 'backup_missing', hours: 24 } });
    await stage.passes(3600);
    expect(await stage.listAlerts(project)).toEqual([]);
    await stage.passes(24 * 3600);
    expect(await stage.listAlerts(project)).toMatchObject([{ state: 'firing', subject_name: 'shop' }]);
    await sql`insert into backups (id, project_id, origin, status, secret_free, protection, file, created_at, created_by)
      values (${createId()}, null, 'scheduled', 'ready', true, 'none', ${`${createId()}.flotbk`}, ${stage.now}, 'test')`.execute(
      stage.db,
    );
    await stage.rounds(80);
    expect(await statesOf()).toEqual(['resolved']);
  });
});

it('a new project gets the default rules once, on and without channels', async () => {
  const fresh = await stage.addProject('fresh', { hasDefaults: true });
  await stage.passes(0);
  const rules = () =>
    stage.db
      .selectFrom('alert_rules')
      .select(['name', 'enabled'])
      .where('project_id', '=', fresh)
      .orderBy('name')
      .execute();
  expect(await rules()).toEqual(
    ['certificate-expires', 'client-offline', 'configuration-refused', 'job-failed', 'service-unreachable'].map(
      (name) => ({
        name,
        enabled: true,
      }),
    ),
  );
  await sql`delete from alert_rules where project_id = ${fresh}`.execute(stage.db);
  await stage.passes(10);
  expect(await rules()).toEqual([]);
});

async function addService(name: string): Promise<string> {
  const id = createId();
  await sql`insert into services (id, project_id, name, version, bootstrap, listeners, policies, shield_threads,
      shield_xff_trusted_hops, created_at, updated_at, updated_by)
    values (${id}, ${project}, ${name}, '1', 'boot', '{}', '{}', 1, 0, now(), now(), 'test')`.execute(stage.db);
  return id;
}

async function addError(service: string, name: string, severity: string, message: string): Promise<void> {
  await sql`insert into config_errors (id, project_id, service_id, node_id, source, severity, resource_type, resource_name,
      message, raw_message, status, first_seen, last_seen, occurrences)
    values (${createId()}, ${project}, ${service}, 'node', 'node', ${severity}, 't', ${name}, ${message}, ${name}, 'active',
      ${stage.now}, ${stage.now}, 1)`.execute(stage.db);
}

let jobs = 0;
async function addJob(type: string, status: string): Promise<void> {
  jobs += 1;
  await sql`insert into jobs (id, number, project_id, type, params, status, run_at, attempts_max, steps_total, actor,
      created_at, ended_at)
    values (${createId()}, ${jobs}, ${project}, ${type}, '{}', ${status}, ${stage.now}, 1, 1, '{}', ${stage.now},
      ${stage.now})`.execute(stage.db);
}
