import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { createTestTerminal, type TestTerminal } from './testing/terminal.ts';

let t: TestController;
let terminal: TestTerminal;

beforeAll(async () => {
  t = await createTestController();
  const url = await t.app.listen({ host: '127.0.0.1', port: 0 });
  terminal = await createTestTerminal();
  const stdin = `${t.controller.firstOwner?.password}\n`;
  await terminal.run(['login', '--url', url, '--username', 'admin', '--password-stdin'], { stdin });
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

it('audit verify accepts an unchanged log, and ends with exit code 10 and the first bad entry of a changed one', async () => {
  for (const name of ['a', 'b'])
    await t.owner.call('POST', `/api/v3/setting/tokens?project=${t.project}`, { name, role: 'viewer' });
  await vi.waitFor(async () => {
    const whole = await terminal.run(['audit', 'verify']);
    expect(whole.code).toBe(EXIT.ok);
    expect(whole.out).toMatch(/^2 entries are unchanged \(up to number 2, [0-9a-f]{64}\); 0 not sealed yet/);
  });
  const { entry_id: id } = await t.database.db
    .selectFrom('audit_chain')
    .select('entry_id')
    .where('project_key', '=', t.project)
    .where('seq', '=', 2)
    .executeTakeFirstOrThrow();
  await t.database.owner.deleteFrom('audit_log').where('id', '=', id).execute();
  const cut = await terminal.run(['audit', 'verify']);
  expect(cut.code).toBe(EXIT.differs);
  expect(cut.out).toContain(`missing: Entry ${id} was sealed and is gone. 1 entries before it`);
  const json = JSON.parse((await terminal.run(['audit', 'verify', '--json'])).out);
  expect(json).toMatchObject({ ok: false, items: [{ project: t.project, first_bad: { kind: 'missing', seq: 2 } }] });
});

it('owners see the entries of all projects, and those without a project, with --all-projects', async () => {
  const list = async (...more: string[]) => {
    const { out } = await terminal.run(['audit', 'list', '--action', 'session.login', '--json', ...more]);
    return JSON.parse(out).items.length;
  };
  expect(await list()).toBe(0);
  expect(await list('--all-projects')).toBeGreaterThan(0);
  expect((await terminal.run(['audit', 'verify', '--all-projects'])).out).toMatch(
    /^no project: \d+ entries are unchanged/m,
  );
  const both = await terminal.run(['audit', 'stats', '--all-projects', '--project', t.project]);
  expect(both).toMatchObject({ code: EXIT.usage, out: '' });
});

it('audit export writes to standard output or to a new private file, and never overwrites a file', async () => {
  const lines = (await terminal.run(['audit', 'export', '--action', 'api_token.create'])).out.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { action: 'api_token.create', resource: { name: expect.stringMatching(/^[ab]$/) } },
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-export-'));
  try {
    const file = join(folder, 'audit.csv');
    const again = ['audit', 'export', '--format', 'csv', '--out', file];
    expect(await terminal.run(again)).toMatchObject({ code: EXIT.ok, out: '' });
    expect(await readFile(file, 'utf8')).toMatch(/^at,project,[\s\S]*,api_token\.create,done,201,/);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await terminal.run(again)).code).not.toBe(EXIT.ok);
    expect((await terminal.run(['audit', 'export', '--format', 'xml'])).err).toContain('format');
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('holds of one or all projects are created with a reason, listed and released', async () => {
  const added = await terminal.run(['audit', 'holds', 'add', '--reason', 'case 7', '--since', '2026-01-01T00:00:00Z']);
  expect(added).toMatchObject({ code: EXIT.ok });
  expect(added.out).toContain(`keeps the entries of project ${t.project}, from 2026-01-01T00:00:00.000Z: case 7.`);
  const all = await terminal.run(['audit', 'holds', 'add', '--reason', 'case 8', '--all-projects', '--json']);
  const { id, project } = JSON.parse(all.out);
  expect(project).toBeNull();
  expect((await terminal.run(['audit', 'holds', 'list'])).out).toMatch(/case 8[\s\S]*case 7|case 7[\s\S]*case 8/);
  expect(await terminal.run(['audit', 'holds', 'release', id])).toMatchObject({
    code: EXIT.ok,
    out: `Hold ${id} is released.\n`,
  });
  const held = JSON.parse((await terminal.run(['audit', 'holds', 'list', '--json'])).out).items;
  expect(held.map(({ reason }: { reason: string }) => reason)).toEqual(['case 7']);
  const ever = JSON.parse((await terminal.run(['audit', 'holds', 'list', '--all', '--json'])).out).items;
  expect(ever).toHaveLength(2);
  expect((await terminal.run(['audit', 'holds', 'release', id])).code).toBe(EXIT.conflict);
  expect((await terminal.run(['audit', 'holds', 'release', t.project])).code).toBe(EXIT.notFound);
  expect((await terminal.run(['audit', 'holds', 'add'])).code).toBe(EXIT.usage);
  const both = ['audit', 'holds', 'add', '--reason', 'x', '--all-projects', '--project', 'default'];
  expect((await terminal.run(both)).code).toBe(EXIT.usage);
});

it('audit sinks ends with exit code 7 while a sink fails', async () => {
  const off = await terminal.run(['audit', 'sinks']);
  expect(off.code).toBe(EXIT.ok);
  expect(off.out).toMatch(/^SINK +STATE +POSITION +BEHIND[^\n]*\nsyslog +off [\s\S]*\nwebhook +off /);
  const closed = createServer();
  await new Promise<void>((resolve) => {
    closed.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/`;
  await new Promise((resolve) => closed.close(resolve));
  await t.owner.call('PUT', '/api/v3/setting/documents/webhook', { enabled: true, url, secret: 'shared' });
  await vi.waitFor(
    async () => {
      await t.owner.call('POST', `/api/v3/setting/tokens?project=${t.project}`, {
        name: `s-${performance.now()}`,
        role: 'viewer',
      });
      const failing = await terminal.run(['audit', 'sinks', '--json']);
      expect(failing.code).toBe(EXIT.unfinished);
      expect(JSON.parse(failing.out).items[1]).toMatchObject({
        name: 'webhook',
        state: 'failing',
        position: expect.any(Number),
        last_error: expect.stringContaining('fetch failed'),
      });
    },
    { interval: 500 },
  );
});
