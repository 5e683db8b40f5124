import { existsSync } from 'node:fs';
import { create } from '@bufbuild/protobuf';
import { reportSchema } from '@flotilla/ha';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PairedAgent, PairOfAgents, SHARED } from '../testing/pair-of-agents.ts';

const WAIT = { interval: 50 };
const SECOND = '192.0.2.11';

let stage: PairOfAgents;
let first: PairedAgent;
let second: PairedAgent;
let rev = 0n;

beforeAll(() => {
  stage = new PairOfAgents();
  [first, second] = stage.agents;
  for (const agent of stage.agents) agent.start();
});
afterAll(() => stage?.close());

/** A change of the pair that is newer than all before it. */
function change(what: Parameters<PairOfAgents['want']>[1] = {}): void {
  rev += 1n;
  stage.want(rev, what);
}

async function untilServing(active: PairedAgent, standby: PairedAgent, held: readonly string[] = [SHARED]) {
  await expect.poll(() => [active.held, standby.held], WAIT).toEqual([held, []]);
  await expect
    .poll(() => [active.report, standby.report], WAIT)
    .toMatchObject([
      { role: 'active', peer_role: 'standby', daemon: 'running', config_rev_applied: Number(rev) },
      { role: 'standby', peer_role: 'active', daemon: 'running', config_rev_applied: Number(rev) },
    ]);
}

async function command(agent: PairedAgent, subType: string, payload: object = {}) {
  const id = agent.command(subType, payload);
  await expect.poll(() => agent.resultOf(id), WAIT).toBeDefined();
  return agent.resultOf(id);
}

// The cases follow each other: each begins with what the one before has left.
describe('two agents', () => {
  it('find the addresses for heartbeats, and are able to share addresses', async () => {
    const facts = (n: number) => ({
      facts: { dataAddress: `192.0.2.${n}`, dataPrefix: '192.0.2.0/24', mgmtAddress: `198.51.100.${n}` },
      capability: true,
    });
    await expect.poll(() => stage.agents.map(({ lines }) => lines[0]), WAIT).toEqual([facts(1), facts(2)]);
  });

  it('become a pair by their desired states, of which one has the address, and report so', async () => {
    change();
    await untilServing(first, second);
    expect(first.config).toMatchObject({ slot: 0, addresses: [{ address: SHARED, interface: 'eth0' }] });
    for (const { lines } of stage.agents)
      for (const { report } of lines.filter((line) => 'report' in line))
        expect(reportSchema.safeParse(report).error).toBeUndefined();
    expect(first.report).toMatchObject({ pair_id: stage.pairId, vips: [{ vip: SHARED, held: true, holder: 'self' }] });
  });

  it('change it while it serves, and an older state that arrives late changes nothing', async () => {
    const pids = stage.agents.map(({ daemonPid }) => daemonPid);
    change({ addresses: [{ address: SHARED }, { address: SECOND }] });
    await untilServing(first, second, [SHARED, SECOND]);
    stage.want(rev - 1n, { addresses: [] });
    await expect
      .poll(() => first.report?.alarms, WAIT)
      .toContainEqual(expect.objectContaining({ code: 'config_older' }));
    expect(first.held).toEqual([SHARED, SECOND]);
    change();
    await untilServing(first, second);
    expect(stage.agents.map(({ daemonPid }) => daemonPid)).toEqual(pids);
  });

  it('obey commands, and refuse them with a reason', async () => {
    const done = { outcome: fleet.Outcome.DONE };
    const refused = (errorMessage: string) => ({
      outcome: fleet.Outcome.REFUSED,
      errorCode: 'ha.refused',
      errorMessage,
    });
    expect(await command(first, 'SUB_STATUS')).toMatchObject({
      ...done,
      result: { role: 'active', daemon: 'running' },
    });
    expect(await command(first, 'SUB_HA_RESEND_GARP')).toMatchObject(done);
    expect(await command(second, 'SUB_HA_RESEND_GARP')).toMatchObject(refused('not_active'));
    expect(await command(second, 'SUB_HA_CLEAR')).toMatchObject(done);
    expect(await command(second, 'SUB_FAILOVER', { force: true })).toMatchObject(refused('not_active'));
    expect(await command(second, 'SUB_MAINTENANCE', { enabled: true, force: false })).toMatchObject(done);
    await expect.poll(() => first.report?.peer_role, WAIT).toBe('maintenance');
    expect(await command(first, 'SUB_FAILOVER', { force: false })).toMatchObject(refused('peer_in_maintenance'));
    expect(await command(second, 'SUB_MAINTENANCE', { enabled: false, force: false })).toMatchObject(done);
    await untilServing(first, second);
    expect(await command(first, 'SUB_FAILOVER', { force: false })).toMatchObject(done);
    await untilServing(second, first);
  });

  it('that are killed leave a pair that goes on and fails over, and find it again', async () => {
    const pids = stage.agents.map(({ daemonPid }) => daemonPid);
    for (const agent of stage.agents) await agent.kill();
    expect(second.held).toEqual([SHARED]);
    second.killDaemon();
    await expect.poll(() => [first.held, second.held], WAIT).toEqual([[SHARED], []]);
    for (const agent of stage.agents) agent.start();
    // Neither has heard of a controller: their files decide.
    await untilServing(first, second);
    expect(first.daemonPid).toBe(pids[0]);
    expect(second.daemonPid).not.toBe(pids[1]);
  });

  it('give the address up when the pair is gone, and end their daemons', async () => {
    const pids = stage.agents.map(({ daemonPid }) => daemonPid);
    for (const agent of stage.agents) agent.want(create(fleet.DesiredStateSchema, { revision: rev + 1n }));
    await expect.poll(() => [first.held, second.held], WAIT).toEqual([[], []]);
    await expect.poll(() => first.report, WAIT).toMatchObject({ role: 'unpaired', pair_id: null });
    for (const pid of pids) await expect.poll(() => existsSync(`/proc/${pid}`), WAIT).toBe(false);
    expect(await command(first, 'SUB_HA_CLEAR')).toMatchObject({
      outcome: fleet.Outcome.REFUSED,
      errorCode: 'ha.unpaired',
    });
    expect(await command(first, 'SUB_STATUS')).toMatchObject({ result: { role: 'unpaired', daemon: 'absent' } });
  });

  it('serve alone when an operator says so, without the long wait for a peer', async () => {
    rev += 2n;
    first.want(stage.stateOf(0, rev));
    await expect.poll(() => first.report, WAIT).toMatchObject({ role: 'init', config_rev_applied: Number(rev) });
    expect(await command(first, 'SUB_HA_START_ALONE')).toMatchObject({ outcome: fleet.Outcome.DONE });
    // The configuration says 30 s.
    await expect.poll(() => first.held).toEqual([SHARED]);
    await expect.poll(() => first.report, WAIT).toMatchObject({ role: 'active', reason: 'start_alone' });
  });
});
