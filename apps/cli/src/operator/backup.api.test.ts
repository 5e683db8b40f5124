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

it('a backup is created, downloaded, uploaded, inspected and restored', async () => {
  const created = json(await terminal.run(['backup', 'create', '--description', 'by hand', '--json']));
  expect(created).toMatchObject({ status: 'ready', protection: 'installation', description: 'by hand' });
  const file = join(dir, 'one.flotbk');
  expect((await terminal.run(['backup', 'download', created.id, file])).code).toBe(EXIT.ok);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(file)).size).toBe(created.bytes);
  const uploaded = json(await terminal.run(['backup', 'upload', file, '--json']));
  expect(uploaded.sha256).toBe(created.sha256);
  for (const other of [join(dir, 'none'), dir])
    expect(await terminal.run(['backup', 'upload', other])).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining(`${other}: `),
    });
  const inspected = await terminal.run(['backup', 'inspect', uploaded.id]);
  expect([inspected.code, inspected.out]).toEqual([EXIT.ok, expect.stringContaining('(this installation)')]);
  const preview = json(await terminal.run(['backup', 'restore', uploaded.id, '--dry-run', '--json']));
  expect(preview).toMatchObject({ dry_run: true, counts: { refused: 0, created: 0 } });
  const restored = await terminal.run(['backup', 'restore', uploaded.id, '--json']);
  expect(json(restored).summary.counts).toEqual(preview.counts);
  expect((await terminal.run(['backup', 'delete', uploaded.id])).code).toBe(EXIT.ok);
  expect((await terminal.run(['backup', 'get', uploaded.id])).code).toBe(EXIT.notFound);
});

it('a restore replaces existing records on request, and a dry run shows refusals', async () => {
  const policies = `/api/v3/shield/policies?project=${t.project}`;
  const text = (host: string) => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: guard }
spec: { domains: [{ hosts: [${host}], policy: { engines: { rate_limit: { key: ip, requests_per_second: 1 } } } }] }
`;
  const created = await t.owner.call('POST', policies, { name: 'guard', text: text('a.example.com') });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
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

it('a backup of the installation reads its passphrase from standard input and does not print it', async () => {
  const passphrase = 'a passphrase for the safe';
  const created = await terminal.run(['backup', 'create', '--installation', '--passphrase-stdin', '--json'], {
    stdin: `${passphrase}\n`,
  });
  expect(json(created)).toMatchObject({ project: null, protection: 'passphrase' });
  const { id } = json(created);
  const wrong = await terminal.run(['backup', 'inspect', id, '--installation', '--passphrase-stdin'], {
    stdin: 'another passphrase',
  });
  expect(wrong.code).toBe(EXIT.failed);
  const right = await terminal.run(['backup', 'inspect', id, '--installation', '--passphrase-stdin'], {
    stdin: passphrase,
  });
  expect([right.code, right.out]).toEqual([EXIT.ok, expect.stringContaining('of the installation')]);
  expect(`${created.out}${created.err}${wrong.err}${right.out}`).not.toContain(passphrase);
});
