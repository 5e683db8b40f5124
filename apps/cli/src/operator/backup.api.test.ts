import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

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

it('a backup is made, downloaded, uploaded, inspected and restored', async () => {
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
  const preview = json(await terminal.run(['backup', 'restore', brought.id, '--dry-run', '--json']));
  expect(preview).toMatchObject({ dry_run: true, counts: { refused: 0, created: 0 } });
  const restored = await terminal.run(['backup', 'restore', brought.id, '--json']);
  expect(json(restored).summary.counts).toEqual(preview.counts);
  expect((await terminal.run(['backup', 'delete', brought.id])).code).toBe(EXIT.ok);
  expect((await terminal.run(['backup', 'get', brought.id])).code).toBe(EXIT.notFound);
});

it('a restore replaces what exists on request, and a dry run shows what would be refused', async () => {
  const policies = `/api/v3/shield/policies?project=${t.project}`;
  const text = (host: string) => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: guard }
spec: { domains: [{ hosts: [${host}], policy: { engines: { rate_limit: { key: ip, requests_per_second: 1 } } } }] }
`;
  const made = await t.owner.call('POST', policies, { name: 'guard', text: text('a.example.com') });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { id } = json(await terminal.run(['backup', 'create', '--json']));
  const url = `/api/v3/shield/policies/guard?project=${t.project}`;
  await t.owner.call('PUT', url, { text: text('b.example.com') });
  const skipped = await terminal.run(['backup', 'restore', id]);
  expect([skipped.code, skipped.out]).toEqual([EXIT.ok, expect.stringContaining('skipped policies guard')]);
  const shown = await terminal.run(['backup', 'restore', id, '--replace', '--dry-run']);
  expect([shown.code, shown.out]).toEqual([EXIT.ok, expect.stringContaining('changed policies guard')]);
  expect((await t.owner.call('GET', url)).body.text).toContain('b.example.com');
  const replaced = await terminal.run(['backup', 'restore', id, '--replace']);
  expect([replaced.code, replaced.out]).toEqual([EXIT.ok, expect.stringContaining('before the restore is backup')]);
  expect((await t.owner.call('GET', url)).body.text).toContain('a.example.com');
  await t.database.owner.updateTable('policies').set({ text: 'kind: Other' }).where('name', '=', 'guard').execute();
  const broken = json(await terminal.run(['backup', 'create', '--json']));
  const refused = await terminal.run(['backup', 'restore', broken.id, '--replace', '--dry-run']);
  expect([refused.code, refused.out]).toEqual([EXIT.failed, expect.stringContaining('refused policies guard')]);
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
