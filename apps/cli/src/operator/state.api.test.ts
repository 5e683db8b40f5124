import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { createId } from '@flotilla/kit';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
let t: TestFleet;
let terminal: TestTerminal;

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

const run: TestTerminal['run'] = (argv, options) => terminal.run(argv, options);
const readJson = async (...argv: string[]) => JSON.parse((await run([...argv, '--json'])).out);
const apply = async (stdin: string) => expect(await run(['apply', '-f', '-'], { stdin })).toMatchObject({ err: '' });

const cluster = (timeout: string) =>
  `collection: clusters\nname: web\nversion: ${VERSION}\nresource:\n  type: STATIC\n  connect_timeout: ${timeout}\n`;
const policy = (burst: number) => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: shop }
spec:
  domains:
    - hosts: ["shop.example.com"]
      policy: { engines: { rate_limit: { requests_per_second: 5, burst: ${burst} } } }
`;
const service = (listener: string) =>
  `kind: Service\nname: shop\nversion: ${VERSION}\nbootstrap: boot\nlisteners: [${listener}]\n`;

describe('the history', () => {
  it.each([
    ['clusters', 'web', cluster('1s'), cluster('2s'), 'connect_timeout: 1s'],
    ['policies', 'shop', policy(10), policy(20), 'burst: 10'],
    ['services', 'shop', service('one'), service('two'), '- one'],
  ])(
    'of %s is listed, printed in the form that apply accepts, and reverted to',
    async (kind, name, first, second, text) => {
      await apply(first);
      await apply(second);
      expect((await run(['history', kind, name])).out).toMatch(/^REVISION[^\n]*\n +2 +admin [^\n]*\n +1 +admin /);
      const before = await run(['history', kind, name, '--revision', '1']);
      expect(before.out).toContain(text);
      expect((await run(['diff', '-f', '-'], { stdin: before.out })).code).toBe(EXIT.differs);
      expect((await run(['revert', kind, name, '1', '--dry-run'])).out).toBe(
        `${kind}/${name} can be restored to revision 1\n`,
      );
      expect((await run(['diff', '-f', '-'], { stdin: before.out })).code).toBe(EXIT.differs);
      expect((await run(['revert', kind, name, '1'])).out).toBe(`${kind}/${name} was restored to revision 1\n`);
      expect((await run(['diff', '-f', '-'], { stdin: before.out })).code).toBe(EXIT.ok);
      expect((await readJson('history', kind, name)).items).toHaveLength(3);
      expect((await run(['history', kind, name, '--revision', '9'])).code).toBe(EXIT.notFound);
      expect((await run(['revert', kind, name, '9'])).code).toBe(EXIT.notFound);
      expect((await run(['__complete', '--', 'revert', kind, name.slice(0, 2)])).out.split('\n')).toContain(name);
    },
  );

  it('of an unknown record is not found, and a revision must be a number', async () => {
    expect((await run(['history', 'clusters', 'nothing'])).code).toBe(EXIT.notFound);
    expect((await run(['history', 'services', 'nothing'])).code).toBe(EXIT.notFound);
    expect((await run(['revert', 'clusters', 'web', 'last'])).code).toBe(EXIT.usage);
    expect((await run(['history', 'clients', 'edge'])).code).toBe(EXIT.usage);
  });
});

describe('the progress of a change', () => {
  it('is reported by the exit code, and can be waited for', async () => {
    expect(await run(['rollout', 'listeners', 'admin'])).toMatchObject({
      code: EXIT.ok,
      out: 'Revision 1 is unreached\n',
    });
    await t.createClient('edge-1');
    const created = await t.createService({ name: 'waits', listeners: ['admin'] });
    await run(['deploy', created.name, '--client', 'edge-1', '--wait', '0']);
    const shown = await run(['rollout', 'services', 'waits', '--wait', '1']);
    expect(shown).toMatchObject({ code: EXIT.unfinished, out: expect.stringMatching(/^waits +edge-1 +offline/m) });
    expect((await readJson('rollout', 'listeners', 'admin', '--revision', '1')).counts).toMatchObject({ total: 1 });
    expect((await run(['rollout', 'listeners', 'admin', '--revision', 'x'])).code).toBe(EXIT.usage);
    expect((await run(['rollout', 'listeners', 'nothing'])).code).toBe(EXIT.notFound);
  });

  it('includes the list of sent commands', async () => {
    const { items } = await readJson('commands', 'list', '--service', 'waits', '--client', 'edge-1');
    expect(items).toMatchObject([{ type: 'DEPLOY', client_name: 'edge-1' }]);
    expect((await run(['commands', 'list'])).out).toMatch(/^DEPLOY +waits +edge-1 +\w+ +admin /m);
    expect((await readJson('commands', 'list', '--outcome', 'failed')).items).toEqual([]);
    expect((await run(['commands', 'list', '--outcome', 'lost'])).code).toBe(EXIT.failed);
    expect((await run(['commands', 'list', '--client', 'nobody'])).code).toBe(EXIT.notFound);
  });
});

describe('configuration errors', () => {
  const add = async (serviceId: string, name: string) => {
    const now = new Date();
    await t.database.db
      .insertInto('config_errors')
      .values({
        id: createId(),
        project_id: t.project,
        service_id: serviceId,
        client_id: null,
        node_id: 'n',
        source: 'node',
        severity: 'error',
        resource_type: 'cluster',
        resource_name: name,
        message: 'does not resolve\n',
        raw_message: 'does not resolve',
        suggested_fix: null,
        status: 'active',
        first_seen: now,
        last_seen: now,
        occurrences: 3,
        resolved_by: null,
      })
      .execute();
  };

  it('are counted by service, listed, resolved and deleted', async () => {
    const { id } = await t.createService({ name: 'broken' });
    await add(id, 'a');
    expect((await run(['overview'])).out).toMatch(
      /^errors {8}0 critical, 1 error, 0 warnings\n {2}broken: does not resolve\ncert/m,
    );
    await add(id, 'b');
    expect((await run(['errors', 'list'])).out).toMatch(/^broken +Error +2$/m);
    expect((await run(['errors', 'list', 'broken'])).out).toMatch(/^error +active +cluster a +does not resolve +3 /m);
    const [first] = (await readJson('errors', 'list', 'broken')).items;
    expect((await run(['errors', 'resolve', 'broken'])).code).toBe(EXIT.usage);
    expect((await run(['errors', 'resolve', 'broken', first.id])).out).toBe('1 resolved\n');
    expect((await readJson('errors', 'list', 'broken')).items).toHaveLength(1);
    expect((await readJson('errors', 'list', 'broken', '--all')).items).toHaveLength(2);
    expect((await run(['errors', 'resolve', 'broken', '--all'])).out).toBe('1 resolved\n');
    expect((await run(['errors', 'clear', 'broken', '--all'])).out).toBe('2 deleted\n');
    expect((await run(['errors', 'list', 'nothing'])).code).toBe(EXIT.notFound);
  });
});

describe('the views of a project', () => {
  it('include an overview of problems and recent changes', async () => {
    const shown = await run(['overview']);
    expect(shown).toMatchObject({ code: EXIT.ok });
    expect(shown.out).toMatch(/^services {6}0 live, /);
    expect(shown.out).toContain('\n  edge-1 never connected\n');
    expect(shown.out).toMatch(/^certificates {2}0 ended, 0 end within 30 days$/m);
    expect((await readJson('overview')).clients).toMatchObject({ total: 1 });
  });

  it('include a search by name and the versions in use', async () => {
    expect((await run(['search', 'shop'])).out).toMatch(/^service +shop /m);
    expect((await readJson('search', 'shop', '--kind', 'policy')).items).toMatchObject([
      { kind: 'policy', name: 'shop' },
    ]);
    expect((await run(['search', 'x', '--kind', 'weather'])).code).toBe(EXIT.usage);
    expect((await run(['versions'])).out).toMatch(/^1\.40\.0 +\d+ +\d+ +its Envoy, on the controller$/m);
  });

  it('include the counters of the filters', async () => {
    const counted = await run(['counters', '--since', '2h', '--policy', 'shop', '--client', 'edge-1']);
    expect(counted.out).toMatch(/^20\S+ to 20\S+\n0 allowed, 0 blocked, 0 detected, 0 engine errors\n$/);
    expect((await readJson('counters')).counters).toEqual([]);
    expect((await run(['counters', '--since', 'lately'])).code).toBe(EXIT.usage);
  });
});
