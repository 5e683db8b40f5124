import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: shop }
spec: { domains: [{ hosts: [shop.example.com] }] }
`;

let t: TestFleet;
let terminal: TestTerminal;
beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
  expect((await run(['apply', '-f', '-'], { stdin: POLICY })).code).toBe(EXIT.ok);
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

const run: TestTerminal['run'] = (argv, options) => terminal.run(argv, options);
const complete = async (...words: string[]) => (await run(['__complete', '--', ...words])).out.trim().split('\n');

it('dependencies are listed in both directions, for documents, services and policies', async () => {
  const { name } = await t.createService({ policies: ['shop'] });
  const own = await run(['dependencies', 'services', name]);
  expect(own).toMatchObject({ code: EXIT.ok, err: '' });
  expect(own.out).toMatch(/^WHAT +NEEDS +AT\n/);
  expect(own.out).toMatch(new RegExp(`^services/${name} +policies/shop +policies\\[0\\]$`, 'm'));
  expect(own.out).toMatch(new RegExp(`^services/${name} +listeners/web +`, 'm'));
  const above = await run(['dependencies', 'listeners', 'web', '--json']);
  expect(JSON.parse(above.out).edges).toContainEqual(
    expect.objectContaining({ from: `services/${name}`, to: 'listeners/web' }),
  );
  // A policy has no version, so the only version of the services is used.
  expect((await run(['dependencies', 'policies', 'shop'])).out).toContain(`services/${name}`);
});

it('a record without dependencies is reported, and an unknown record is not found', async () => {
  const alone = `collection: clusters\nname: alone\nversion: ${VERSION}\nresource: { type: STATIC }\n`;
  await run(['apply', '-f', '-'], { stdin: alone });
  const expected = { code: EXIT.ok, out: '', err: 'clusters/alone needs nothing, and nothing needs it.\n' };
  expect(await run(['dependencies', 'clusters', 'alone'])).toEqual(expected);
  expect(await run(['dependencies', 'clusters', 'nothing'])).toMatchObject({
    code: EXIT.notFound,
    err: 'flotilla: There is no nothing among the clusters of this project.\n',
  });
  expect((await run(['dependencies', 'services', 'nothing'])).code).toBe(EXIT.notFound);
  expect((await run(['dependencies', 'policies', 'nothing'])).code).toBe(EXIT.notFound);
  expect((await run(['dependencies', 'hosts', 'alone'])).code).toBe(EXIT.usage);
  expect(await complete('dependencies', 'clusters', 'alo')).toEqual(['alone']);
});

it('documents are counted by collection, for all versions or one', async () => {
  const counts = JSON.parse((await run(['count', '--json'])).out);
  expect(counts).toMatchObject({ clusters: expect.any(Number), policies: 1 });
  expect((await run(['count'])).out).toMatch(new RegExp(`^clusters +${counts.clusters}$`, 'm'));
  expect(JSON.parse((await run(['count', '--version', '1.2.3', '--json'])).out)).toMatchObject({ clusters: 0 });
});

it('the snapshot of a service is shown for each of its clients', async () => {
  const { name: idle } = await t.createService();
  expect(await run(['snapshot', idle])).toMatchObject({
    code: EXIT.notFound,
    err: expect.stringContaining('no client'),
  });
  const [one, other] = [await t.createClient('edge-1'), await t.createClient('edge-2')];
  const { name } = await t.createService({ clients: [{ client_id: one }] });
  const shown = await run(['snapshot', name]);
  expect(shown).toMatchObject({ code: EXIT.ok, err: '' });
  expect(shown.out).toContain('type: envoy.config.listener.v3.Listener\n');
  const { name: wide } = await t.createService({ clients: [{ client_id: one }, { client_id: other }] });
  const several = await run(['snapshot', wide]);
  expect(several).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('--client: edge-1, edge-2') });
  const chosen = JSON.parse((await run(['snapshot', wide, '--client', 'edge-2', '--json'])).out);
  expect(chosen).toMatchObject({ node_id: expect.stringContaining(other), version: VERSION });
  expect((await run(['snapshot', wide, '--client', 'edge-3'])).code).toBe(EXIT.notFound);
  expect((await run(['snapshot', 'nothing'])).code).toBe(EXIT.notFound);
});
