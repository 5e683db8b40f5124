import { readFileSync, writeFileSync } from 'node:fs';
import { create } from '@bufbuild/protobuf';
import { reportSchema } from '@flotilla/ha';
import { sleep } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { describe, expect, it } from 'vitest';
import { HaStage, PAIR_ID, pairedState, SERVICE_ID, UNPAIRED } from '../testing/ha-stage.ts';
import type { HaMember } from './ha-member.ts';

const WAIT = { interval: 20 };
/** Several passes of the agent. */
const SETTLED_MS = 1500;

const untilApplied = (member: HaMember, rev: number) =>
  expect.poll(() => member.read(), WAIT).toMatchObject({ daemon: 'running', config_rev_applied: rev });

async function paired(state = pairedState(1n), options: Parameters<HaStage['open']>[0] = {}) {
  const stage = await HaStage.create();
  const member = stage.open(options);
  member.want(state);
  await untilApplied(member, 1);
  return { stage, member };
}

describe('the configuration', () => {
  it('reaches a daemon that runs from then on, in a file that only the agent may read', async () => {
    const { stage, member } = await paired();
    expect(stage.file).toMatchObject({ pair_id: PAIR_ID, config_rev: 1, boot_wait_ms: 30_000 });
    expect(stage.fileMode).toBe(0o600);
    member.want(pairedState(2n, { priority: 150 }));
    await untilApplied(member, 2);
    expect(stage.file).toMatchObject({ priority: 150 });
    expect(stage.orders.filter((order) => order === 'started')).toHaveLength(1);
  });

  it('is written only if it differs, and never replaced by an older one of the pair that arrives late', async () => {
    const { stage, member } = await paired();
    member.want(pairedState(5n));
    await untilApplied(member, 5);
    // Another spelling of the same content stays: nothing has written the file.
    const text = JSON.stringify(stage.file);
    writeFileSync(stage.places.configFile, text);
    member.want(pairedState(5n));
    member.want(pairedState(4n, { priority: 1 }));
    await expect.poll(() => member.read(), WAIT).toMatchObject({ alarms: [{ code: 'config_older' }] });
    expect(readFileSync(stage.places.configFile, 'utf8')).toBe(text);
    member.want(pairedState(6n));
    await untilApplied(member, 6);
    expect((await member.read()).alarms).toEqual([]);
  });

  it('of another pair replaces it, whatever its revision', async () => {
    const { stage, member } = await paired();
    member.want(pairedState(7n));
    await untilApplied(member, 7);
    member.want(pairedState(1n, { pairId: SERVICE_ID }));
    await untilApplied(member, 1);
    expect(stage.file).toMatchObject({ pair_id: SERVICE_ID });
  });

  it('that is invalid changes nothing, and the report says so', async () => {
    const { stage, member } = await paired();
    member.want(pairedState(2n, { misses: 99 }));
    await expect
      .poll(() => member.read(), WAIT)
      .toMatchObject({
        daemon: 'misconfigured',
        config_rev_applied: 1,
        alarms: [{ code: 'config_refused', level: 'error', message: expect.stringContaining('hb.misses') }],
      });
    expect(stage.file).toMatchObject({ config_rev: 1 });
    member.want(pairedState(3n));
    await untilApplied(member, 3);
  });

  it('stays while the agent is away, restarts and has no controller, and so does the daemon', async () => {
    const { stage, member } = await paired();
    const { pid } = stage;
    await member.close('leave');
    const next = stage.open();
    await untilApplied(next, 1);
    await sleep(SETTLED_MS);
    expect([stage.pid, stage.file?.config_rev]).toEqual([pid, 1]);
  });

  it('is removed when the host leaves the pair, and the daemon ends after it has given its addresses up', async () => {
    const { stage, member } = await paired();
    member.want(UNPAIRED);
    await expect.poll(() => member.read(), WAIT).toMatchObject({ role: 'unpaired', daemon: 'running' });
    expect(stage.file).toBeUndefined();
    await expect.poll(() => stage.orders, WAIT).toContain('released');
    expect(stage.reports.at(-1)).toMatchObject({ role: 'unpaired', pair_id: null });
  });
});

describe('the daemon', () => {
  it('is started again when it dies, and ends with an agent that ends its services', async () => {
    const { stage, member } = await paired();
    const before = stage.pid;
    process.kill(before ?? 0, 'SIGKILL');
    await expect.poll(() => stage.orders.filter((order) => order === 'started').length, WAIT).toBe(2);
    await untilApplied(member, 1);
    expect(stage.pid).not.toBe(before);
    await member.close('stop');
    expect(stage.orders).toContain('released');
  });

  it('that cannot start is reported as absent, with its last words', async () => {
    const stage = await HaStage.create();
    const script = "console.error('flotilla ha: no such interface'); process.exitCode = 2";
    const member = stage.open({ flotillaCommand: [process.execPath, '-e', script, '--'] });
    member.want(pairedState(1n));
    await expect
      .poll(() => stage.reports.at(-1), WAIT)
      .toMatchObject({
        daemon: 'absent',
        reason: 'daemon_absent',
        role: 'init',
        alarms: [{ code: 'daemon_absent', message: expect.stringContaining('no such interface') }],
      });
    member.want(pairedState(2n));
    expect((await member.order({ order: 'clear' })).ok).toBe(false);
  });

  it('that is frozen is reported as stale, with its last words', async () => {
    const { stage, member } = await paired();
    stage.says({ report: { role: 'active', epoch: 3 } });
    await expect.poll(() => stage.reports.at(-1), WAIT).toMatchObject({ role: 'active' });
    process.kill(stage.pid ?? 0, 'SIGSTOP');
    await expect.poll(() => stage.reports.at(-1), WAIT).toMatchObject({ daemon: 'stale', role: 'active', epoch: 3 });
    process.kill(stage.pid ?? 0, 'SIGCONT');
    await untilApplied(member, 1);
  });

  it('that refuses its file is reported as misconfigured', async () => {
    const { stage } = await paired();
    stage.says({ report: { alarms: [{ code: 'config_refused', level: 'error', message: 'keys' }] } });
    await expect.poll(() => stage.reports.at(-1), WAIT).toMatchObject({ daemon: 'misconfigured' });
  });

  it.each([
    ['standby', { role: 'standby' }],
    ['in maintenance', { role: 'maintenance', peer_ok: false }],
  ])('of an older version is replaced while it is %s, once', async (_, report) => {
    const { stage, member } = await paired();
    stage.says({ report: { ...report, daemon_version: '0.0.9' } });
    await expect.poll(() => stage.orders, WAIT).toContain('released');
    await expect.poll(() => stage.orders.filter((order) => order === 'started').length, WAIT).toBe(2);
    await untilApplied(member, 1);
    await sleep(SETTLED_MS);
    expect(stage.orders.filter((order) => order === 'started')).toHaveLength(2);
  });

  it.each([
    ['active', { role: 'active' }],
    ['standby without a peer that serves', { role: 'standby', peer_ok: false, peer_role: null }],
  ])('of an older version is not replaced while it is %s, and the report says so', async (_, report) => {
    const { stage } = await paired();
    stage.says({ report: { ...report, daemon_version: '0.0.9' } });
    await expect
      .poll(() => stage.reports.at(-1), WAIT)
      .toMatchObject({ daemon: 'running', alarms: [{ code: 'daemon_old', level: 'info' }] });
    await sleep(SETTLED_MS);
    expect(stage.orders).not.toContain('released');
  });
});

describe('the reports', () => {
  it('are sent on changes, on request and every few seconds, and can be read by the controller', async () => {
    const { stage, member } = await paired();
    await expect.poll(() => stage.reports.length, WAIT).toBeGreaterThan(0);
    stage.says({ report: { rejected: { old: 1 }, clock_skew_ms: 5 } });
    const before = stage.reports.length;
    member.resend();
    await expect.poll(() => stage.reports.length, WAIT).toBe(before + 1);
    stage.says({ report: { role: 'active' } });
    await expect.poll(() => stage.reports.at(-1), WAIT).toMatchObject({ role: 'active' });
    await expect.poll(() => stage.reports.length, WAIT).toBe(before + 3);
    for (const report of stage.reports) expect(reportSchema.safeParse(report).success).toBe(true);
  });

  it('of a host that is in no pair do not exist', async () => {
    const stage = await HaStage.create();
    const member = stage.open();
    member.want(UNPAIRED);
    member.resend();
    await sleep(SETTLED_MS);
    expect([stage.reports, stage.pid, stage.file]).toEqual([[], undefined, undefined]);
    expect(await member.read()).toMatchObject({ role: 'unpaired', daemon: 'absent' });
    expect(await member.order({ order: 'announce' })).toMatchObject({
      error: { code: 'ha.unpaired', outcome: 'refused' },
    });
  });
});

describe('an order', () => {
  it('reaches the daemon, whose refusal names the reason', async () => {
    const { stage, member } = await paired();
    expect(await member.order({ order: 'maintenance', enabled: true, force: false })).toMatchObject({
      ok: true,
      value: { role: 'standby', daemon: 'running' },
    });
    expect(stage.orders).toContain('{"order":"maintenance","enabled":true,"force":false}');
    stage.says({ refusal: 'peer_not_ready' });
    expect(await member.order({ order: 'failover', force: false })).toEqual({
      ok: false,
      error: { outcome: 'refused', code: 'ha.refused', message: 'peer_not_ready' },
    });
  });

  it('has an unknown outcome if the daemon does not answer, and none if it does not run', async () => {
    const { stage, member } = await paired();
    stage.says({ isSilent: true });
    expect(await member.order({ order: 'failover', force: false })).toMatchObject({
      error: { outcome: 'unknown', code: 'ha.no_answer' },
    });
    stage.says({});
    await untilApplied(member, 1);
    await member.close('stop');
    // A process that ends may keep its socket for a moment longer than its number.
    await expect
      .poll(() => member.order({ order: 'clear' }), WAIT)
      .toMatchObject({ error: { outcome: 'failed', code: 'ha.daemon_absent' } });
  });
});

describe('the readiness', () => {
  const address = { address: '192.0.2.10', serviceId: SERVICE_ID };
  const report = create(fleet.NodeReportSchema, {
    serviceId: SERVICE_ID,
    generation: 1n,
    phase: fleet.NodePhase.RUNNING,
    envoyPid: 7,
  });

  it('of the services behind the addresses is sent on every change and again and again', async () => {
    const stage = await HaStage.create();
    const reports: fleet.NodeReport[] = [];
    const links = ['sh', '-c', `echo '${JSON.stringify(LINKS)}'`];
    const member = stage.open({ reports: () => reports, prefix: links });
    member.want(pairedState(1n, { addresses: [address] }));
    await untilApplied(member, 1);
    expect(stage.file).toMatchObject({ addresses: [{ interface: 'eth0', service: { id: SERVICE_ID, name: 'shop' } }] });
    const readiness = () => stage.orders.filter((order) => order.includes('"ready"')).map((order) => JSON.parse(order));
    await sleep(SETTLED_MS);
    // Nothing is known of the service yet.
    expect(readiness()).toEqual([]);
    reports.push(report);
    member.noteRollout(SERVICE_ID, fleet.RolloutState.LIVE);
    const ready = { order: 'ready', services: [{ service_id: SERVICE_ID, present: true, healthy: true, ready: true }] };
    await expect.poll(() => readiness().length, WAIT).toBeGreaterThan(1);
    expect(readiness()).toEqual(readiness().map(() => ready));
    reports.splice(0, 1, { ...report, envoyPid: 0 });
    member.noticeReport(report);
    await expect.poll(() => readiness().at(-1), WAIT).toMatchObject({ services: [{ healthy: false, ready: false }] });
  });

  it('of a pair without services behind its addresses is sent, too', async () => {
    const { stage } = await paired();
    await expect.poll(() => stage.orders, WAIT).toContain('{"order":"ready","services":[]}');
  });
});

const LINKS = [{ ifname: 'eth0', flags: ['UP'], addr_info: [{ family: 'inet', local: '192.0.2.1', prefixlen: 24 }] }];
