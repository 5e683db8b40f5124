import { type Appliance, createHaFleet, type HaFleet } from '@flotilla/controller/testing/ha-fleet';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { EXIT } from './exit-codes.ts';
import { type OwnersTerminal, openMembersTerminal, openOwnersTerminal } from './testing/terminal.ts';

let t: HaFleet;
let terminal: OwnersTerminal;
beforeAll(async () => {
  t = await createHaFleet();
  terminal = await openOwnersTerminal(t);
  await terminal.run(['use', t.project]);
});
afterAll(async () => {
  await terminal?.close();
  await t?.close();
});

const run = (argv: string, more: readonly string[] = []) => terminal.run(['ha', 'pairs', ...argv.split(' '), ...more]);
async function read(argv: string) {
  const answer = await run(argv, ['--json']);
  expect(answer.code, answer.err).toBe(EXIT.ok);
  return JSON.parse(answer.out);
}
const newName = () => `pair-${createId().slice(-8)}`;
const appliances = async (): Promise<[Appliance, Appliance]> => [await t.createAppliance(), await t.createAppliance()];

describe('flotilla ha pairs', () => {
  it('creates a pair from two clients by name, lists it and reads it in three formats', async () => {
    const [one, two] = await appliances();
    const name = newName();
    const members = ['--member', one.name, '--member', `${two.name}=50,203.0.113.9`];
    const dry = await run(`create ${name} --dry-run`, members);
    expect(dry, dry.err).toMatchObject({ code: EXIT.ok, out: `HA pair ${name} can be created.\n` });
    expect((await run(`get ${name}`)).code).toBe(EXIT.notFound);
    const made = await run(`create ${name} --interval 100 --misses 3 --fence 192.0.2.254 --preempt`, members);
    expect(made.code, made.err).toBe(EXIT.ok);
    expect(made.out).toContain(`HA pair ${name} created: ${one.name} (no report), ${two.name} (no report).`);
    const pair = await read(`get ${name}`);
    expect(pair).toMatchObject({
      members: [{ priority: 200 }, { priority: 50, data_override: '203.0.113.9' }],
      hb: { interval_ms: 100, misses: 3 },
      fence_targets: ['192.0.2.254'],
      preempt: true,
    });
    expect(JSON.parse((await run(`get ${name} -o json`)).out)).toEqual(pair);
    expect(parse((await run(`get ${name} -o yaml`)).out)).toEqual(pair);
    expect(parse((await run(`get ${pair.id}`)).out)).toEqual(pair);
    expect((await run('list')).out).toMatch(
      new RegExp(`^NAME +STATUS +MEMBERS[\\s\\S]*${name} +unknown +${one.name} `),
    );
    const again = await run(`create ${name}`, ['--member', two.name]);
    expect(again).toMatchObject({ code: EXIT.conflict });
  });

  it('says which clients can join, and refuses wrong members before it calls anything', async () => {
    const [one] = await appliances();
    const other = await t.createAppliance({ isAppliance: false });
    const { out } = await run('eligible');
    expect(out).toMatch(new RegExp(`${one.name} +yes +0 +${one.data} +192.0.2.0/24 `));
    expect(out).toMatch(new RegExp(`${other.name} .*no +is not an appliance`));
    expect(await run(`create ${newName()} --member ${other.name}`)).toMatchObject({
      code: EXIT.failed,
      err: 'flotilla: HA pairs need appliance clients; this client is not one\n',
    });
    expect((await run(`create ${newName()} --member ${one.name}=high`)).code).toBe(EXIT.usage);
    expect((await run(`create ${newName()} --member nobody`)).code).toBe(EXIT.notFound);
    expect((await run(`create ${newName()} --interval fast --member ${one.name}`)).code).toBe(EXIT.usage);
    expect((await run(`create ${newName()}`)).code).toBe(EXIT.usage);
  });

  it('changes a pair and its members, and clears lists', async () => {
    const { pair, members } = await t.createPair({ fence_targets: ['192.0.2.254'] });
    const [one] = members;
    const name = newName();
    const changed = await run(`update ${pair.name} --name ${name} --misses 4 --preempt on --clear-fence`, [
      '--priority',
      `${one.name}=300`,
      '--data-address',
      `${one.name}=203.0.113.7`,
    ]);
    expect(changed, changed.err).toMatchObject({
      code: EXIT.ok,
      out: `HA pair ${name} changed. Its configuration has revision 2.\n`,
    });
    expect(await read(`get ${name}`)).toMatchObject({
      members: [{ priority: 300, data_override: '203.0.113.7' }, { priority: 100 }],
      hb: { interval_ms: 200, misses: 4 },
      fence_targets: [],
      preempt: true,
    });
    expect((await run(`update ${name} --data-address ${one.name}=`)).code).toBe(EXIT.ok);
    expect((await read(`get ${name}`)).members[0]).not.toHaveProperty('data_override');
    expect(await run(`update ${name}`)).toMatchObject({
      code: EXIT.failed,
      err: expect.stringContaining('nothing to change'),
    });
    expect((await run(`update ${name} --priority somebody=5`)).err).toContain('is not a member of');
    expect((await run(`update ${name} --fence 192.0.2.1 --clear-fence`)).code).toBe(EXIT.usage);
  });

  it('fills the vacant slot with the priority that it had', async () => {
    const [one, two] = await appliances();
    const name = newName();
    await run(`create ${name} --member ${one.name}`);
    expect((await run('list')).out).toMatch(new RegExp(`${name} +awaiting_peer +${one.name} .*vacant`));
    const joined = await run(`add-member ${name} ${two.name}`);
    expect(joined, joined.err).toMatchObject({ code: EXIT.ok, out: `${two.name} is a member of ${name}.\n` });
    expect((await read(`get ${name}`)).members).toMatchObject([{ priority: 200 }, { priority: 100 }]);
    const three = await t.createAppliance();
    expect(await run(`add-member ${name} ${three.name}`)).toMatchObject({
      code: EXIT.conflict,
      err: 'flotilla: the pair has no vacant slot\n',
    });
  });

  it('deletes a pair, and names the services that prevent it', async () => {
    const { pair, members } = await t.createPair();
    const service = await t.load(members[0]);
    const refused = await run(`delete ${pair.name}`);
    expect(refused.code).toBe(EXIT.conflict);
    expect(refused.err).toContain(`used by ${service.name}`);
    expect((await run(`delete ${pair.name} --force --dry-run`)).out).toBe(`HA pair ${pair.name} can be deleted.\n`);
    expect((await run(`delete ${pair.name} --force`)).out).toBe(`HA pair ${pair.name} deleted.\n`);
    expect((await run(`get ${pair.name}`)).code).toBe(EXIT.notFound);
  });

  it('is refused for editors', async () => {
    const editor = await openMembersTerminal(t, terminal.url, 'editor');
    expect((await editor.run(['ha', 'pairs', 'list'])).code).toBe(EXIT.forbidden);
    await editor.close();
  });
});

describe('the word after flotilla ha', () => {
  it('makes it a command of pairs, and an option makes it the daemon', async () => {
    const daemon = await terminal.run(['ha', '--help']);
    expect(daemon.out).toContain('--config FILE');
    expect(daemon.out).toContain('flotilla ha pairs --help');
    expect((await terminal.run(['ha'])).err).toContain('--config and --data are missing');
    const command = await terminal.run(['ha', 'pairs', '--help']);
    expect(command).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('failover [options] <pair>') });
    expect(await terminal.run(['ha', 'pair'])).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining('Did you mean pairs?'),
    });
  });
});
