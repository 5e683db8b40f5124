import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestController, type TestController } from '@flotilla/controller/test-controller';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { openOwnersTerminal, type TestTerminal } from './test-terminal.ts';

let t: TestController;
let terminal: TestTerminal;
let dir: string;

beforeAll(async () => {
  t = await createTestController();
  dir = await mkdtemp(join(tmpdir(), 'backup-cli-'));
  terminal = await openOwnersTerminal(t);
});
afterAll(async () => {
  await terminal?.close();
  await t?.close();
  await rm(dir, { recursive: true, force: true });
});

const json = ({ out }: { out: string }) => JSON.parse(out);

it('a backup is made, fetched, brought again, looked at, planned and restored', async () => {
  const made = json(await terminal.run(['backup', 'create', '--description', 'by hand', '--json']));
  expect(made).toMatchObject({ status: 'ready', protection: 'installation', description: 'by hand' });
  const file = join(dir, 'one.flotbk');
  expect((await terminal.run(['backup', 'download', made.id, file])).code).toBe(EXIT.ok);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(file)).size).toBe(made.bytes);
  const brought = json(await terminal.run(['backup', 'upload', file, '--json']));
  expect(brought.sha256).toBe(made.sha256);
  for (const other of [join(dir, 'none'), dir])
    expect(await terminal.run(['backup', 'upload', other])).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining(`${other}: `),
    });
  const looked = await terminal.run(['backup', 'inspect', brought.id]);
  expect([looked.code, looked.out]).toEqual([EXIT.ok, expect.stringContaining('(this installation)')]);
  const plan = json(await terminal.run(['backup', 'plan', brought.id, '--json']));
  const restored = await terminal.run(['backup', 'restore', brought.id, '--digest', plan.digest, '--json']);
  expect(json(restored).restored).toEqual([]);
  const stale = await terminal.run(['backup', 'restore', brought.id, '--digest', '0'.repeat(64)]);
  expect([stale.code, stale.err]).toEqual([EXIT.conflict, expect.stringContaining('plan')]);
  expect((await terminal.run(['backup', 'delete', brought.id])).code).toBe(EXIT.ok);
  expect((await terminal.run(['backup', 'get', brought.id])).code).toBe(EXIT.notFound);
});

it('each record may have a choice of its own: one is brought beside what is here, by another name', async () => {
  const groups = `/api/v3/setting/groups?project=${t.project}`;
  const { body: team } = await t.owner.call('POST', groups, { name: 'team', description: 'of the backup' });
  const { id } = json(await terminal.run(['backup', 'create', '--json']));
  await t.owner.call('PATCH', `/api/v3/setting/groups/${team.id}?project=${t.project}`, { description: 'of later' });
  const choices = ['--replace', '--section', 'groups=skip', '--record', 'groups/team=rename:crew'];
  const told = await terminal.run(['backup', 'plan', id, ...choices]);
  expect([told.code, told.out]).toEqual([EXIT.ok, expect.stringContaining('creates team (groups) as crew')]);
  const { digest } = json(await terminal.run(['backup', 'plan', id, ...choices, '--json']));
  const other = await terminal.run(['backup', 'restore', id, '--digest', digest]);
  expect(other.code).toBe(EXIT.conflict);
  const restored = await terminal.run(['backup', 'restore', id, '--digest', digest, ...choices, '--json']);
  expect(json(restored).restored).toMatchObject([{ kind: 'groups', name: 'crew', from: team.id }]);
  const { body: all } = await t.owner.call('GET', groups);
  const described = all.items.map((one: { name: string; description: string }) => [one.name, one.description]);
  expect(described).toEqual(
    expect.arrayContaining([
      ['crew', 'of the backup'],
      ['team', 'of later'],
    ]),
  );
  for (const [wrong, code] of [
    [['--section', 'groups=both'], EXIT.usage],
    [['--record', 'groups/nobody=skip'], EXIT.failed],
    [['--record', 'groups/team=rename:crew'], EXIT.conflict],
  ] as const)
    expect((await terminal.run(['backup', 'plan', id, ...wrong])).code, wrong.join(' ')).toBe(code);
});

it('one of the installation takes its pass phrase from standard input, and says it nowhere', async () => {
  const passphrase = 'what lies in the safe';
  const made = await terminal.run(['backup', 'create', '--installation', '--passphrase-stdin', '--json'], {
    stdin: `${passphrase}\n`,
  });
  expect(json(made)).toMatchObject({ project: null, protection: 'passphrase' });
  const { id } = json(made);
  const wrong = await terminal.run(['backup', 'inspect', id, '--installation', '--passphrase-stdin'], {
    stdin: 'what lies elsewhere',
  });
  expect(wrong.code).toBe(EXIT.failed);
  const right = await terminal.run(['backup', 'inspect', id, '--installation', '--passphrase-stdin'], {
    stdin: passphrase,
  });
  expect([right.code, right.out]).toEqual([EXIT.ok, expect.stringContaining('of the installation')]);
  expect(`${made.out}${made.err}${wrong.err}${right.out}`).not.toContain(passphrase);
});
