import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestController, type TestController } from '@flotilla/controller/test-controller';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { createTestTerminal, type TestTerminal } from './test-terminal.ts';

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

it('says that the record is as it was written, and ends with 10 and the first bad entry where it is not', async () => {
  for (const name of ['a', 'b'])
    await t.owner.call('POST', `/api/v3/setting/tokens?project=${t.project}`, { name, role: 'viewer' });
  await vi.waitFor(async () => {
    const whole = await terminal.run(['audit', 'verify']);
    expect(whole.code).toBe(EXIT.ok);
    expect(whole.out).toMatch(/^2 entries are as they were written \(up to number 2, [0-9a-f]{64}\); 0 not sealed yet/);
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

it('exports to the terminal or to a new file of its owner alone, and never over one that is there', async () => {
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
