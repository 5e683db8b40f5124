import type { CommandKind } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestFleet } from '../../../testing/fleet.ts';
import { selectCommands } from './store.ts';
import { on, TestCommands } from './testing/commands.ts';
import { isOfKind } from './views.ts';

let t: TestFleet;
const commands = new TestCommands();
const { connect, send, deploy } = commands;
beforeAll(async () => {
  t = await commands.open();
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

const list = (query = '', by = t.owner) => by.call('GET', `/api/op/commands?project=${t.project}${query}`);
const idsOf = ({ body }: { body: { items: { id: string }[] } }) => body.items.map(({ id }) => id);

describe('the history of commands', () => {
  it('has every command, newest first and page by page, without its result', async () => {
    const client = await t.createClient('busy');
    await connect(client, () => ({ outcome: fleet.Outcome.DONE, resultJson: Buffer.from('{"secret":1}') }));
    const { result } = await deploy(client);
    const ids = [result.command_id];
    for (let i = 0; i < 4; i += 1) {
      const { body } = await send({ type: 'CLIENT_STATS', clients: on(client), command: { count: 1 } });
      ids.unshift(body.results[0].command_id);
    }
    const first = await list(`&client_id=${client}&limit=2`);
    expect(idsOf(first)).toEqual(ids.slice(0, 2));
    expect(first.body.items[0]).toMatchObject({ type: 'CLIENT_STATS', outcome: 'done', client_name: 'busy' });
    expect(JSON.stringify(first.body)).not.toContain('secret');
    const second = await list(`&client_id=${client}&limit=2&cursor=${first.body.next_cursor}`);
    const third = await list(`&client_id=${client}&limit=2&cursor=${second.body.next_cursor}`);
    expect([...idsOf(second), ...idsOf(third)]).toEqual(ids.slice(2));
    expect(third.body.next_cursor).toBeNull();
    expect(idsOf(await list())).toEqual(expect.arrayContaining(ids));
  });

  it('can be filtered by service, type and outcome, with the outcome that a single command shows', async () => {
    const [here, away] = [await t.createClient('here'), await t.createClient('away')];
    await connect(here, ({ subType }) =>
      subType === 'SUB_RELOAD'
        ? { outcome: fleet.Outcome.FAILED, errorCode: 'envoy.gone', errorMessage: 'not there' }
        : { outcome: fleet.Outcome.DONE },
    );
    const { service, result: done } = await deploy(here);
    const reload = { type: 'SERVICE', sub_type: 'SUB_RELOAD', clients: on(here), command: { name: service.name } };
    const failed = (await send(reload)).body.results[0];
    const pending = (await send({ type: 'DEPLOY', clients: on(away), command: { name: service.name } })).body
      .results[0];
    const mine = `&service_id=${service.id}`;
    const expected = { done, failed, pending };
    for (const [outcome, command] of Object.entries(expected)) {
      expect(command.outcome).toBe(outcome);
      expect(idsOf(await list(`${mine}&outcome=${outcome}`)), outcome).toEqual([command.command_id]);
      const one = await t.owner.call('GET', `/api/op/commands/${command.command_id}`);
      expect(one.body.outcome).toBe(outcome);
    }
    expect(idsOf(await list(`${mine}&outcome=running`))).toEqual([]);
    expect(idsOf(await list(`${mine}&outcome=done&outcome=failed`))).toHaveLength(2);
    expect(idsOf(await list(`${mine}&type=SERVICE`))).toEqual([failed.command_id]);
    expect(idsOf(await list(`${mine}&client_id=${away}`))).toEqual([pending.command_id]);
    // A command for a connected client will be sent at once, so it counts as running.
    const reader = await connect(away, () => 'silent');
    await reader.settled();
    expect(idsOf(await list(`${mine}&outcome=running`))).toEqual([pending.command_id]);
    expect(idsOf(await list(`${mine}&outcome=pending`))).toEqual([]);
  });

  it('separates commands of people from questions of screens', async () => {
    const client = await t.createClient('asked');
    await connect(client, () => ({ outcome: fleet.Outcome.DONE }));
    const { service, result: desired } = await deploy(client);
    const command = { name: service.name };
    const sent = async (type: string, sub_type: string) =>
      (await send({ type, sub_type, clients: on(client), command: type === 'CLIENT_STATS' ? {} : command })).body
        .results[0].command_id;
    const action = await sent('SERVICE', 'SUB_RESTART');
    const status = await sent('SERVICE', 'SUB_STATUS');
    const stats = await sent('CLIENT_STATS', '');
    const mine = `&client_id=${client}`;
    expect(idsOf(await list(`${mine}&kind=query`))).toEqual([stats, status]);
    expect(idsOf(await list(`${mine}&kind=action`))).toEqual([action]);
    expect(idsOf(await list(`${mine}&kind=action&kind=desired`))).toEqual([action, desired.command_id]);
    expect(idsOf(await list(`${mine}&kind=query&kind=desired`))).toEqual([stats, status, desired.command_id]);
    expect(idsOf(await list(mine))).toHaveLength(4);
    const { items } = (await list(mine)).body;
    expect(items.map(({ kind }: { kind: string }) => kind)).toEqual(['query', 'query', 'action', 'desired']);
    expect((await list('&kind=else')).status).toBe(400);
  });

  it('finds commands of people without reading the questions in between', async () => {
    const project = await t.createProject(`large-${createId()}`);
    const { db } = t.database;
    await sql`
      insert into commands (id, project_id, client_id, client_name, type, sub_type, operation, kind, fence, payload, status,
        timeout_ms, created_by, created_at, finished_at)
      select gen_random_uuid(), ${project}, ${createId()}, 'c', 'CLIENT_STATS', '', '', case when i % 5000 = 0 then 'desired'
        else 'query' end, 1, '{}', 'done', 1, 'test', now() - i * interval '1 ms', now() from generate_series(1, 20000) i
    `.execute(db);
    await sql`analyze commands`.execute(t.database.owner);
    const planOf = async (kinds: readonly CommandKind[]) => {
      const query = selectCommands(db).where('commands.project_id', '=', project).where(isOfKind(kinds));
      const page = query.orderBy('commands.created_at', 'desc').orderBy('commands.id', 'desc').limit(51);
      return JSON.stringify(await page.explain('json'));
    };
    expect(await planOf(['action', 'desired'])).toContain('commands_done');
    expect(await planOf(['query'])).toContain('commands_asked');
    expect((await t.owner.call('GET', `/api/op/commands?project=${project}&kind=desired`)).body.items).toHaveLength(4);
  });

  it('is visible to everybody in the project and nobody else', async () => {
    const client = await t.createClient('mine');
    const { result } = await deploy(client);
    const viewer = await t.createMember('viewer');
    expect(idsOf(await list('', viewer))).toContain(result.command_id);
    const other = await t.createProject(`other-${createId()}`);
    const elsewhere = `/api/op/commands?project=${other}&client_id=${client}`;
    expect((await t.owner.call('GET', elsewhere)).body.items).toEqual([]);
    expect((await list('&cursor=rubbish')).status).toBe(400);
    expect((await list('&colour=red')).status).toBe(400);
  });
});
