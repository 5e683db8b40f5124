import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyBatches, createDelta } from '@flotilla/controller/testing/inventory';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { shareOwnersTerminal } from './testing/terminal.ts';

const stage = shareOwnersTerminal();
let folder: string;

const run = (argv: string) => stage.terminal.run(argv.replaceAll('FILES', folder).split(' '));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'api-documents-'));
  const deltas = [
    createDelta('GET a.example/orders', { queryNames: ['debug'] }),
    createDelta('GET a.example/\u001b[31mshadow'),
  ];
  const batch = { projectId: stage.t.project, clientId: createId(), serviceId: createId(), epoch: 'e', sequence: 1 };
  await applyBatches(stage.t.database.db, [{ ...batch, deltas, now: new Date() }]);
  const document = (paths: object) =>
    JSON.stringify({
      openapi: '3.0.3',
      info: { title: 'Shop', version: '1' },
      servers: [{ url: 'https://a.example' }],
      paths,
    });
  const get = { get: { responses: { default: {} } } };
  await writeFile(join(folder, 'orders.json'), document({ '/orders': get, '/old': get }));
  await writeFile(join(folder, 'next.json'), document({ '/orders': get }));
  await writeFile(join(folder, 'bad.yaml'), 'openapi: 3.0.3\npaths: {\n');
  await writeFile(
    join(folder, 'rules.yaml'),
    'rules:\n  - name: orders\n    match: {path_prefixes: [/orders]}\n    set: {team: shop}\n',
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('flotilla api-documents', () => {
  it('checks a file for a pipeline', async () => {
    const all = await run('api-documents check FILES/orders.json');
    expect(all.code, all.err).toBe(EXIT.differs);
    expect(all.out).toMatch(/unused +GET +- +\/old/);
    expect(all.out).not.toContain('\u001b[31m');
    const chosen = await run('api-documents check FILES/orders.json --kind undeclared_status');
    expect([chosen.code, chosen.err]).toEqual([EXIT.ok, expect.stringContaining('Scope: a.example')]);
    expect((await run('api-documents check FILES/orders.json --host b.example --kind undocumented')).code).toBe(
      EXIT.ok,
    );
    const bad = await run('api-documents check FILES/bad.yaml');
    expect([bad.code, bad.err]).toEqual([EXIT.failed, expect.stringContaining('line 2')]);
  });

  it('imports versions, shows differences and finds what breaks', async () => {
    expect((await run('api-documents import shop FILES/orders.json')).out).toContain('version 1 with 2 operations');
    expect((await run('api-documents import shop FILES/next.json')).out).toContain('version 2 with 1 operations');
    expect((await run('api-documents list')).out).toMatch(/shop +2 +Shop/);
    const breaking = await run('api-documents breaking shop');
    expect([breaking.code, breaking.out]).toEqual([EXIT.differs, expect.stringContaining('operation_removed')]);
    expect((await run('api-documents differences --document shop')).out).toContain('undeclared_parameter');
    expect((await run('api-documents patch shop --format json')).out).toContain('"debug"');
    expect((await run('api-documents set-scope shop --host b.example')).out).toContain('b.example');
    expect((await run('api-documents preview-scope --host a.example')).out).toContain('2 of 2 operations');
    expect((await run('api-documents download shop 1')).out).toContain('/old');
    expect((await run('api-documents delete-version shop 2')).code).toBe(EXIT.ok);
    expect((await run('api-documents versions shop')).out).toMatch(/1 +yes/);
    expect((await run('api-documents delete shop')).code).toBe(EXIT.ok);
  });
});

it('flotilla api-owners sets rules and shows teams', async () => {
  expect((await run('api-owners preview -f FILES/rules.yaml')).out).toMatch(/orders +1 +1/);
  const set = await run('api-owners set-rules -f FILES/rules.yaml');
  expect(set.code, set.err).toBe(EXIT.ok);
  expect((await run('api-owners teams')).out).toMatch(/shop +1/);
  expect((await run('api-owners rules')).out).toContain('team: shop');
  const { out } = await run('api-owners list --team shop --json');
  const [{ operation_id: id }] = JSON.parse(out).items;
  expect((await run(`api-owners override ${id} --owner ann --criticality none`)).code).toBe(EXIT.ok);
  expect((await run('api-owners export')).out).toMatch(/\/orders,.*,shop,ann,/);
  expect((await run('api-owners overrides')).out).toContain('ann');
  expect((await run(`api-owners clear-override ${id}`)).code).toBe(EXIT.ok);
});
