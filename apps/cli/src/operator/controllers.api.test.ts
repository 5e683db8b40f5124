import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { createTestTerminal, type OwnersTerminal, openOwnersTerminal } from './testing/terminal.ts';

let t: TestFleet;
let terminal: OwnersTerminal;

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
  await t.controller.presence.takes('api', terminal.url);
});
afterAll(async () => {
  await terminal?.close();
  await t.close();
});

async function leaveGone(hostname: string): Promise<string> {
  const id = createId();
  const seen = new Date(Date.now() - 60_000);
  await t.database.db.insertInto('controllers').values({ id, started_at: seen, seen_at: seen, hostname }).execute();
  return id;
}

it('controllers are listed, and only those that are gone can be removed', async () => {
  const gone = await leaveGone('lost-host');
  const { out } = await terminal.run(['controllers', 'list']);
  expect(out).toMatch(/live\s+(yes|true)/);
  expect(out).toMatch(/lost-host\s+gone/);
  const alive = await terminal.run(['controllers', 'remove', t.controller.presence.controllerId]);
  expect(alive.code).toBe(EXIT.conflict);
  expect(alive.err).toContain('is alive');
  expect((await terminal.run(['controllers', 'remove', 'lost-host'])).code).toBe(EXIT.ok);
  const { items } = JSON.parse((await terminal.run(['controllers', 'list', '--json'])).out);
  expect(items).toMatchObject([{ id: t.controller.presence.controllerId, is_leader: true, live: true }]);
  expect((await terminal.run(['controllers', 'remove', gone])).code).not.toBe(EXIT.ok);
});

it('connected clients are listed with their controller, also for admins of their project', async () => {
  expect((await terminal.run(['controllers', 'clients'])).err).toContain('Nothing found');
  const agent = await t.connect(await t.createClient('edge-1'));
  const { hostname } = JSON.parse((await terminal.run(['controllers', 'list', '--json'])).out).items.find(
    ({ live }: { live: boolean }) => live,
  );
  expect((await terminal.run(['controllers', 'clients'])).out).toMatch(new RegExp(`^edge-1 +${hostname} +\\d+s `, 'm'));
  const admin = await t.createMember('admin');
  const other = await createTestTerminal();
  const login = ['login', '--url', terminal.url, '--username', admin.username, '--password-stdin'];
  await other.run(login, { stdin: admin.password });
  const json = await other.run(['controllers', 'clients', '--json']);
  expect(JSON.parse(json.out)).toMatchObject({ clients: [{ name: 'edge-1' }], clients_total: 1 });
  expect((await other.run(['controllers', 'clients', '--all-projects'])).code).toBe(EXIT.forbidden);
  await other.close();
  await t.disconnect(agent);
});

it('a host name with several controllers that are gone is ambiguous', async () => {
  await leaveGone('twins');
  await leaveGone('twins');
  const ended = await terminal.run(['controllers', 'remove', 'twins']);
  expect(ended).toMatchObject({ code: EXIT.failed });
  expect(ended.err).toContain('2 controllers of that host');
});
