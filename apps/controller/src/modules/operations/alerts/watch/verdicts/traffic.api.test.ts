import { create } from '@bufbuild/protobuf';
import type { AlertTrafficCondition } from '@flotilla/contract';
import { createId, createSilentLogger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TrafficRecorder, TrafficRollUp } from '../../../../traffic/series/index.ts';
import { trafficOf, type Values } from '../../../../traffic/series/testing/reports.ts';
import { AlertStage } from '../../testing/stage.ts';

const ERRORS: AlertTrafficCondition = { kind: 'error_share', above_percent: 5, window_s: 60, min_requests: 1 };
const LATENCY: AlertTrafficCondition = {
  kind: 'latency',
  quantile: 'p99',
  above_ms: 20,
  window_s: 60,
  min_requests: 1,
};
const QUIET: AlertTrafficCondition = { kind: 'request_rate', is: 'below', per_s: 5, window_s: 60 };
const BUSY: AlertTrafficCondition = { kind: 'request_rate', is: 'above', per_s: 5, window_s: 60 };
const BAD = { requests_2xx: 50, requests_5xx: 50 };
const GOOD = { requests_2xx: 100 };

interface TestNode {
  readonly service: string;
  readonly client: string;
  readonly epoch: string;
}

let stage: AlertStage;
let project: string;
let recorder: TrafficRecorder;
let node: TestNode;
let seq = 0;
beforeEach(async () => {
  stage = await AlertStage.open();
  // Reports are 20 s old when a round reads them.
  stage.now = new Date(stage.now.getTime() + 20_000);
  project = await stage.addProject('shop');
  const { db } = stage;
  recorder = new TrafficRecorder({
    db,
    logger: createSilentLogger(),
    now: () => stage.now,
    listener: { stored: () => undefined },
  });
  node = await addNode(project, 'web');
});
afterEach(async () => {
  await recorder.close();
  await stage.close();
});

async function addNode(of: string, name: string, service = createId()): Promise<TestNode> {
  const client = createId();
  await sql`insert into clients (id, project_id, name, hostname, os, arch, kernel, agent_version, provider, metadata, cores,
      memory_bytes, runtime_dir, data_dir, connect_time, created_at, updated_at)
    values (${client}, ${of}, ${`edge-${client}`}, 'host', 'linux', 'amd64', '6', '1', 'other', '{}', 4, 1, '/r', '/d', now(),
      now(), now())`.execute(stage.db);
  await sql`insert into services (id, project_id, name, version, bootstrap, listeners, policies, shield_threads,
      shield_xff_trusted_hops, created_at, updated_at, updated_by)
    values (${service}, ${of}, ${name}, '1', 'boot', '{}', '{}', 1, 0, now(), now(), 'test') on conflict do nothing`.execute(
    stage.db,
  );
  await sql`insert into service_targets (service_id, client_id, position, addresses, generation, deployed)
    values (${service}, ${client}, 0, '{}', 1, true)`.execute(stage.db);
  return { service, client, epoch: createId() };
}

/** Stores the traffic of some full minutes that end `ago` seconds before the current one, ten seconds at a time. */
async function report(of: TestNode, values: Values, { minutes = 1, ago = 0 } = {}): Promise<void> {
  const endMs = stage.now.getTime() - 20_000 - ago * 1000;
  const intervals = Array.from({ length: minutes * 6 }, (_, i) => {
    seq += 1;
    const fromMs = BigInt(endMs - (minutes * 6 - i) * 10_000);
    return { seq: BigInt(seq), fromMs, durationMs: 10_000, series: trafficOf(values) };
  });
  const sentMs = BigInt(stage.now.getTime());
  const message = create(fleet.TrafficReportSchema, { serviceId: of.service, epoch: of.epoch, sentMs, intervals });
  const stored = recorder.note(of.client, message);
  await recorder.flush();
  expect(await stored).toBe(BigInt(seq));
}

/** A minute in which the node did this. */
async function minute(values: Values | undefined): Promise<string[]> {
  stage.now = new Date(stage.now.getTime() + 60_000);
  if (values) await report(node, values);
  await stage.passes();
  return statesOf();
}

const statesOf = async (of = project) => (await stage.listAlerts(of)).map(({ state }) => state);
const readUnknown = async () =>
  (await sql<{ unknown_since: Date | null }>`select unknown_since from alerts`.execute(stage.db)).rows[0]
    ?.unknown_since;

describe('a rule over traffic', () => {
  it('fires for the share of errors, and is resolved when it falls', async () => {
    await stage.addRule(project, { condition: ERRORS });
    expect(await minute(GOOD)).toEqual([]);
    expect(await minute(BAD)).toEqual(['firing']);
    expect(await stage.listAlerts(project)).toMatchObject([
      {
        subject_kind: 'service',
        subject_name: 'web',
        summary: '50 % of 600 responses in the last minute are 5xx; the limit is 5 %.',
      },
    ]);
    expect(await minute(GOOD)).toEqual(['firing']);
    expect(await minute(GOOD)).toEqual(['resolved']);
  });

  it('compares quantiles and rates, from intervals and from minutes that are rolled up', async () => {
    for (const condition of [LATENCY, BUSY, QUIET]) await stage.addRule(project, { condition });
    await minute({ requests_2xx: 100 });
    const names = async () =>
      (await stage.listAlerts(project)).filter(({ state }) => state === 'firing').map(({ summary }) => summary);
    const busy = ['10 requests per second in the last minute; the limit is 5.'];
    const slow = ['The p99 of the latency in the last minute is 24.9 ms; the limit is 20 ms.'];
    expect((await names()).toSorted()).toEqual([...busy, ...slow].toSorted());
    const rollUp = new TrafficRollUp({ db: stage.db, logger: createSilentLogger(), now: () => stage.now });
    await rollUp.run();
    await stage.passes(10);
    expect((await names()).toSorted()).toEqual([...busy, ...slow].toSorted());
    await rollUp.close();
  });

  it('waits until its condition has held long enough', async () => {
    await stage.addRule(project, { condition: ERRORS, for_s: 90 });
    expect(await minute(BAD)).toEqual(['pending']);
    expect(await minute(BAD)).toEqual(['pending']);
    expect(await minute(BAD)).toEqual(['firing']);
  });

  it('watches the services that its selector names', async () => {
    await stage.addRule(project, { condition: ERRORS, selector: { names: ['other-*'], labels: {} } });
    expect(await minute(BAD)).toEqual([]);
    await stage.addRule(project, { condition: ERRORS, selector: { names: ['w*b'], labels: {} } });
    await stage.passes();
    expect(await statesOf()).toEqual(['firing']);
  });
});

describe('a gap in the series', () => {
  it('does not resolve an alert, and a report that says the condition is over does', async () => {
    await stage.addRule(project, { condition: ERRORS });
    expect(await minute(BAD)).toEqual(['firing']);
    for (let i = 0; i < 8; i += 1) expect(await minute(undefined)).toEqual(['firing']);
    expect(await readUnknown()).not.toBeNull();
    expect(await minute(GOOD)).toEqual(['firing']);
    expect(await readUnknown()).toBeNull();
    expect(await minute(GOOD)).toEqual(['resolved']);
  });

  it('does not count towards the time for which a condition has held or been gone', async () => {
    await stage.addRule(project, { condition: ERRORS, for_s: 90 });
    expect(await minute(BAD)).toEqual(['pending']);
    for (let i = 0; i < 3; i += 1) expect(await minute(undefined)).toEqual(['pending']);
    expect(await minute(BAD)).toEqual(['pending']);
    expect(await minute(BAD)).toEqual(['firing']);
    expect(await minute(GOOD)).toEqual(['firing']);
    for (let i = 0; i < 3; i += 1) expect(await minute(undefined)).toEqual(['firing']);
    expect(await minute(GOOD)).toEqual(['resolved']);
  });

  it('is not a rate of zero', async () => {
    await stage.addRule(project, { condition: QUIET });
    expect(await minute(GOOD)).toEqual([]);
    for (let i = 0; i < 5; i += 1) expect(await minute(undefined)).toEqual([]);
    expect(await minute({})).toEqual(['firing']);
  });

  it('of an agent that was away for 75 s causes nothing, and its late report says what happened', async () => {
    await stage.addRule(project, { condition: { ...QUIET, window_s: 120 } });
    await stage.addRule(project, { name: 'errors', condition: ERRORS });
    expect(await minute(GOOD)).toEqual([]);
    expect(await minute(GOOD)).toEqual([]);
    stage.now = new Date(stage.now.getTime() + 60_000);
    for (let i = 0; i < 8; i += 1) {
      await stage.passes(10);
      expect(await statesOf()).toEqual([]);
    }
    stage.now = new Date(stage.now.getTime() + 40_000);
    await report(node, BAD, { minutes: 2 });
    await stage.passes();
    expect(await stage.listAlerts(project)).toMatchObject([{ rule_name: 'errors', state: 'firing' }]);
  });

  it('of one node does not end what the others show, until it has been away for long', async () => {
    const other = await addNode(project, 'web', node.service);
    await stage.addRule(project, { condition: ERRORS });
    stage.now = new Date(stage.now.getTime() + 60_000);
    await report(other, BAD);
    await report(node, GOOD);
    await stage.passes();
    expect(await statesOf()).toEqual(['firing']);
    for (let i = 0; i < 10; i += 1) expect(await minute(GOOD)).toEqual(['firing']);
    for (let i = 0; i < 4; i += 1) await minute(GOOD);
    expect(await statesOf()).toEqual(['resolved']);
  });

  it('ends with the deployment: a stopped service has no alert', async () => {
    await stage.addRule(project, { condition: ERRORS });
    expect(await minute(BAD)).toEqual(['firing']);
    await sql`update service_targets set deployed = false`.execute(stage.db);
    await minute(undefined);
    expect(await minute(undefined)).toEqual(['resolved']);
  });
});

it('traffic that cannot be read holds the alerts of traffic, and no others', async () => {
  await stage.addRule(project, { condition: ERRORS });
  await stage.addRule(project, { name: 'lost', condition: { kind: 'client_offline' } });
  await stage.addOfflineClients(project, 1, 'lost');
  await minute(BAD);
  await stage.connectClients(project);
  stage.isTrafficRead = false;
  await stage.rounds(300);
  const states = (await stage.listAlerts(project)).map(({ rule_name, state }) => [rule_name === 'lost', state]);
  expect(states).toContainEqual([false, 'firing']);
  expect(states.filter(([isLost]) => isLost).map(([, state]) => state)).not.toContain('firing');
  stage.isTrafficRead = true;
  await minute(GOOD);
  expect(await minute(GOOD)).not.toContain('firing');
});

it('an Envoy that starts again continues its series: nothing is counted twice, and nothing is lost', async () => {
  await stage.addRule(project, { condition: { ...BUSY, per_s: 15 } });
  await stage.addRule(project, { name: 'quiet', condition: QUIET });
  expect(await minute(GOOD)).toEqual([]);
  node = { ...node, epoch: createId() };
  seq = 0;
  expect(await minute(GOOD)).toEqual([]);
  const [first] = await stage.db.selectFrom('traffic_minutes').select('requests').orderBy('minute').execute();
  expect(first?.requests).toBe(600);
});

it('the traffic of another project is no matter of a rule, even of a service with the same name', async () => {
  const foreign = await stage.addProject('other');
  await stage.addRule(project, { condition: ERRORS });
  const theirs = await addNode(foreign, 'web');
  stage.now = new Date(stage.now.getTime() + 60_000);
  await report(theirs, BAD);
  await report(node, GOOD);
  await stage.passes();
  expect([...(await statesOf()), ...(await statesOf(foreign))]).toEqual([]);
  await stage.addRule(foreign, { condition: ERRORS });
  await stage.passes();
  expect(await statesOf()).toEqual([]);
  expect(await statesOf(foreign)).toEqual(['firing']);
});
