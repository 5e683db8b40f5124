import type { SimulatedPair } from '@flotilla/agent/testing/simulated-pair';
import { type Appliance, createHaFleet, type HaFleet } from '@flotilla/controller/testing/ha-fleet';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { readDesired, simulateMembers } from './testing/simulated-members.ts';
import { type OwnersTerminal, openOwnersTerminal } from './testing/terminal.ts';

let t: HaFleet;
let terminal: OwnersTerminal;
let name: string;
let members: [Appliance, Appliance];
let simulation: SimulatedPair;
beforeAll(async () => {
  t = await createHaFleet();
  terminal = await openOwnersTerminal(t);
  await terminal.run(['use', t.project]);
});
beforeEach(async () => {
  const made = await t.createPair({ fence_targets: ['192.0.2.254'] });
  ({ name } = made.pair);
  ({ members } = made);
  simulation = await simulateMembers(members);
  await untilStatus('live');
});
afterAll(async () => {
  await terminal?.close();
  await t?.close();
});

const run = (argv: string) => terminal.run(['ha', 'pairs', ...argv.split(' ')]);
const read = async (argv: string) => JSON.parse((await run(`${argv} --json`)).out);
const untilStatus = (status: string) => vi.waitFor(async () => expect((await read(`get ${name}`)).status).toBe(status));

describe('flotilla ha pairs failover', () => {
  it('says with --dry-run who would take the addresses, and sends nothing', async () => {
    const [one, two] = members;
    const { code, out } = await run(`failover ${name} --dry-run`);
    expect(code).toBe(EXIT.ok);
    expect(out).toContain(`${name}: ${one.name} (active), ${two.name} (standby).`);
    expect(out).toContain(`${two.name} would take the addresses.`);
    expect(one.agent.commands.filter(({ type }) => type === 'HA')).toEqual([]);
  });

  it('prints what the members report: roles, term, gap and the check', async () => {
    const [one, two] = members;
    const { code, out, err } = await run(`failover ${name}`);
    expect(code, err).toBe(EXIT.ok);
    expect(out).toContain(`${name}: ${one.name} (standby), ${two.name} (active). Status: failed_over.`);
    expect(out).toContain(`${two.name} took the addresses in term 2. They had no holder for 120 ms.`);
    expect(out).toContain('Both members may have them for at most 3000 ms: kept.');
    expect(await read(`history ${name} --limit 10`)).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({
          client: two.name,
          role: 'active',
          failover: expect.objectContaining({ gap_ms: 120 }),
        }),
      ]),
    });
    expect((await run(`history ${name}`)).out).toMatch(
      /AGE +CLIENT +FROM +TO +TERM[\s\S]*standby +active +2 +handover/,
    );
  });

  it('reports a refusal with its reason and the way to force it', async () => {
    const [, two] = members;
    simulation.setReady(1, false);
    const refused = await run(`failover ${name}`);
    expect(refused.code).toBe(EXIT.conflict);
    expect(refused.err).toBe(
      `flotilla: failover refused by the active member\n  reason: peer_not_ready\n  To risk a short outage: flotilla ha pairs failover ${name} --force\n`,
    );
    const forced = await run(`failover ${name} --force`);
    expect(forced.code, forced.err).toBe(EXIT.ok);
    expect(forced.out).toContain(`${two.name} (active)`);
  });

  it('ends with 7 while the other member has not taken the addresses', async () => {
    simulation.isSlow = true;
    const { code, out } = await run(`failover ${name} --wait 0`);
    expect([code, out]).toEqual([EXIT.unfinished, expect.stringContaining('No take-over is reported yet.')]);
    expect(out).toContain('(demoting)');
    simulation.finishHandover();
  });

  it('says that the outcome is unknown if the active member does not answer', async () => {
    members[0].agent.react = () => 'silent';
    const { code, err } = await run(`failover ${name}`);
    expect(code).toBe(EXIT.unreachable);
    expect(err).toContain("no answer from the active member; the failover's outcome is unknown");
    expect(err).toContain(`Look before you try again: flotilla ha pairs get ${name}`);
  });
});

describe('flotilla ha pairs', () => {
  it('begins and ends the maintenance of a member, and then refuses a failover', async () => {
    const [, two] = members;
    const begun = await run(`maintenance ${name} ${two.name} on`);
    expect(begun.code, begun.err).toBe(EXIT.ok);
    expect(begun.out).toContain(`${two.name} (maintenance). Status: degraded.`);
    expect(await run(`failover ${name}`)).toMatchObject({
      code: EXIT.conflict,
      err: 'flotilla: the other member is in maintenance\n',
    });
    expect((await run(`maintenance ${name} ${two.name} off`)).out).toContain(`${two.name} (standby)`);
    expect((await run(`maintenance ${name} nobody on`)).code).toBe(EXIT.notFound);
    expect((await run(`maintenance ${name} ${two.name} perhaps`)).code).toBe(EXIT.usage);
  });

  it('lists the services with their holder, and sends the configuration again', async () => {
    const [one, two] = members;
    const service = await t.load(one, '192.0.2.200');
    await readDesired(simulation, members);
    await vi.waitFor(async () => expect((await run(`services ${name}`)).out).toContain('192.0.2.200'));
    const { out } = await run(`services ${name}`);
    expect(out).toMatch(
      new RegExp(`SERVICE +VERSION +ADDRESSES +HOLDER[\\s\\S]*${service.name} +\\S+ +192.0.2.200 +${one.name}`),
    );
    expect(out).toContain(`${two.name}: `);
    expect((await run(`push ${name}`)).out).toMatch(/^Revision \d+ was sent again\./);
    expect((await run(`sync ${name}`)).code).not.toBe(EXIT.failed);
  });
});
