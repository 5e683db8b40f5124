import { createId } from '@flotilla/kit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestFleet } from '../../../testing/fleet.ts';
import { on, payloadOf, TestCommands } from './testing/commands.ts';

let t: TestFleet;
const commands = new TestCommands();
const { connect, send, deploy } = commands;
beforeAll(async () => {
  t = await commands.open();
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

const MIB = 'x'.repeat(1024 * 1024);
const NASTY = ['\n', '\u0000', '"', "'", '$(id)', '`id`', '../../etc/passwd', '--help', '\ud800'];

/** Each command that reads logs, for a client and a service on it. */
const KINDS = [
  { type: 'SERVICE', sub_type: 'SUB_LOGS', isOfService: true },
  { type: 'CLIENT_LOGS', sub_type: '', isOfService: false },
  { type: 'ROUTING_LOGS', sub_type: '', isOfService: false },
] as const;

async function open() {
  const client = await t.createClient(`logs-${createId()}`);
  const agent = await connect(client);
  const { service } = await deploy(client);
  const ask = (
    { isOfService, ...kind }: (typeof KINDS)[number],
    command: Record<string, unknown> = {},
    by: Parameters<typeof send>[1] = {},
  ) =>
    send({ ...kind, clients: on(client), command: { ...(isOfService && { service_id: service.id }), ...command } }, by);
  const sent = () => agent.commands.filter(({ type, subType }) => type !== 'DEPLOY' && subType !== 'SUB_START');
  return { client, agent, service, ask, sent };
}

describe.each(KINDS)('$type $sub_type', (kind) => {
  it('passes what to read to the agent, with levels in lower case', async () => {
    const { ask, sent } = await open();
    const query = {
      count: 10_000,
      since: '2026-01-01T00:00:00Z',
      until: '2026-01-01T00:00:00Z',
      level: 'WARN',
      levels: ['ERROR', 'warn'],
      components: ['main'],
      search: '$(id) "x"\n',
      cursor: 'eyJ0Ijoi',
      max_bytes: 65_536,
      wait_ms: 10_000,
    };
    const { body } = await ask(kind, query);
    expect(body.results).toMatchObject([{ outcome: 'done' }]);
    expect(payloadOf(sent().at(-1))).toMatchObject({ ...query, level: 'warn', levels: ['error', 'warn'] });
  });

  it.each([
    ['count', [0, -1, 1.5, 10_001, '7', null]],
    ['max_bytes', [0, 65_535, 1024 * 1024 + 1, '65536']],
    ['wait_ms', [-1, 10_001, 'x']],
    ['since', ['yesterday', '2026-01-01', 'x', 7, MIB, ...NASTY]],
    ['until', ['', MIB, ...NASTY]],
    ['level', ['loud', '', 7, MIB, ...NASTY]],
    ['levels', [[], ['x'], 'info', [MIB], Array(7).fill('info')]],
    ['components', [[], [''], [MIB], 'main', Array(33).fill('a')]],
    ['search', ['', 'x'.repeat(1025), 7]],
    ['cursor', ['a'.repeat(8193), 7, ...NASTY]],
    ['log_type', ['', 'all', 'EVERYTHING', 7, ['ALL'], ...NASTY]],
    ['file', ['envoy.log']],
  ] as const)('refuses an invalid %s and names it', async (member, values) => {
    const { ask, sent } = await open();
    for (const value of values) {
      const { status, body } = await ask(kind, { [member]: value });
      // Bodies have a limit of their own.
      expect([400, 413], `${member} ${JSON.stringify(value).slice(0, 40)}`).toContain(status);
      if (status === 400 && body.details) expect(body.details[0].path).toContain('command');
    }
    expect(sent()).toEqual([]);
  });

  it('refuses a range that ends before it begins', async () => {
    const { ask } = await open();
    const { status, body } = await ask(kind, { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' });
    expect([status, body.code, body.details[0].path]).toEqual([400, 'command.invalid', 'command.until']);
  });

  it('reads from at most 16 clients', async () => {
    const { ask: _, service } = await open();
    const { isOfService, ...rest } = kind;
    const clients = Array.from({ length: 17 }, () => ({ client_id: createId() }));
    const { body } = await send({ ...rest, clients, command: isOfService ? { service_id: service.id } : {} });
    expect(body).toMatchObject({ code: 'command.invalid', details: [{ path: 'clients' }] });
  });

  it('is open to viewers, and shows nothing of another project', async () => {
    const { ask, client, service } = await open();
    const viewer = await t.createMember('viewer');
    expect((await ask(kind, {}, { by: viewer })).body.results).toMatchObject([{ outcome: 'done' }]);
    const stranger = await t.createMember('owner', await t.createProject(`strange-${createId()}`));
    const { isOfService, ...rest } = kind;
    const command = isOfService ? { service_id: service.id } : {};
    const hidden = await stranger.call('POST', '/api/op/clients', { ...rest, clients: on(client), command });
    expect(hidden.body.results).toMatchObject([{ command_id: null, error: { code: 'client.not_found' } }]);
    expect((await ask(kind, {}, { by: stranger })).status).toBe(403);
  });

  it('leaves no entry in the audit log', async () => {
    const { ask } = await open();
    const by = await t.createMember('admin');
    await ask(kind, {}, { by });
    const entries = t.database.db.selectFrom('audit_log').select('action').where('actor_id', '=', by.userId);
    expect((await entries.execute()).filter(({ action }) => action === 'command.dispatch')).toEqual([]);
  });
});

describe('the journal of a host', () => {
  const journal = KINDS[1];

  it('is for owners and admins only, however the log is named', async () => {
    const { ask, sent } = await open();
    for (const role of ['viewer', 'editor'] as const) {
      const by = await t.createMember(role);
      const refused = await ask(journal, { log_type: 'HOST' }, { by });
      expect([refused.status, refused.body.code]).toEqual([403, 'command.forbidden']);
      for (const command of [
        { log_type: ['HOST'] },
        { log_type: 'host' },
        { log_type: 'HOST ' },
        { operation: 'HOST' },
        { log_type: 'AGENT', operation: 'HOST' },
      ])
        expect((await ask(journal, command, { by })).status, JSON.stringify(command)).toBe(400);
    }
    expect(sent()).toEqual([]);
    const by = await t.createMember('admin');
    expect((await ask(journal, { log_type: 'HOST' }, { by })).body.results).toMatchObject([{ outcome: 'done' }]);
    expect(payloadOf(sent().at(-1))).toEqual({ log_type: 'HOST' });
  });
});
