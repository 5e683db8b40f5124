import type { LogEntry, LogPage } from '@flotilla/contract';
import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { type OwnersTerminal, openOwnersTerminal } from './testing/terminal.ts';

let t: TestFleet;
let terminal: OwnersTerminal;
const asked: Array<{ name: string; type: string; payload: Record<string, unknown> }> = [];

const entry = (more: Partial<LogEntry>): LogEntry => ({
  timestamp: '2026-02-03T04:05:06.000Z',
  level: 'info',
  source: 'envoy',
  component: 'main',
  message: 'hello',
  file: 'envoy.log',
  ...more,
});
const LINES: Readonly<Record<string, readonly LogEntry[]>> = {
  'edge-1': [entry({}), entry({ timestamp: null, message: 'two\nlines \u001b[2J', level: 'error', component: '' })],
  'edge-2': [entry({ timestamp: '2026-02-03T04:05:05.000Z', message: 'earlier' })],
};

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
  const clients: string[] = [];
  for (const name of ['edge-1', 'edge-2']) {
    const id = await t.createClient(name);
    clients.push(id);
    const agent = await t.connect(id);
    agent.react = ({ type, subType, payloadJson }) => {
      if (subType !== 'SUB_LOGS' && !type.endsWith('_LOGS')) return { outcome: fleet.Outcome.DONE };
      const payload = JSON.parse(Buffer.from(payloadJson).toString());
      asked.push({ name, type, payload });
      const page: LogPage = {
        logs: payload.cursor === undefined ? (LINES[name] ?? []) : [],
        older_cursor: null,
        newer_cursor: 'eyJ4Ijox',
        complete: true,
        gap: false,
        notes: name === 'edge-2' ? ['A note.'] : [],
      };
      return { outcome: fleet.Outcome.DONE, resultJson: Buffer.from(JSON.stringify(page)) };
    };
  }
  await t.createService({ name: 'shop', clients: clients.map((client_id) => ({ client_id, addresses: [] })) });
  expect((await terminal.run(['deploy', 'shop'])).code).toBe(EXIT.ok);
});
afterAll(async () => {
  await terminal?.close();
  await t?.close();
});

describe('flotilla logs', () => {
  it('prints the lines of all clients of a service by time, and no character that a terminal obeys', async () => {
    const answer = await terminal.run(['logs', 'service', 'shop']);
    expect(answer).toMatchObject({ code: EXIT.ok, err: 'edge-2: A note.\n' });
    expect(answer.out).toContain('edge-2  2026-02-03T04:05:05.000Z info     main earlier\nedge-1  2026-02-03T04:05:06');
    expect(answer.out).toContain('error    envoy two\n    lines \ufffd[2J\n');
    expect(answer.out).not.toContain('\u001b');
  });

  it('passes what to read', async () => {
    const args = [
      '--level',
      'warn',
      '--search',
      '$(id) "x"',
      '--count',
      '5',
      '--component',
      'main',
      '--log-type',
      'ENVOY',
    ];
    const time = ['--since', '2026-01-01T00:00:00Z', '--until', '1h'];
    expect((await terminal.run(['logs', 'service', 'shop', '--client', 'edge-1', ...args, ...time])).code).toBe(
      EXIT.ok,
    );
    expect(asked.at(-1)).toMatchObject({
      name: 'edge-1',
      payload: {
        level: 'warn',
        search: '$(id) "x"',
        count: 5,
        components: ['main'],
        log_type: 'ENVOY',
        since: '2026-01-01T00:00:00.000Z',
        until: expect.any(String),
      },
    });
  });

  it('reads the agent and the journal of a client as JSON', async () => {
    const answer = await terminal.run(['logs', 'client', 'edge-1', '--log-type', 'HOST', '--json']);
    expect(JSON.parse(answer.out)).toMatchObject([{ client: 'edge-1', message: 'hello' }, { level: 'error' }]);
    expect(asked.at(-1)).toMatchObject({ type: 'CLIENT_LOGS', payload: { log_type: 'HOST' } });
    expect((await terminal.run(['logs', 'routing', 'edge-1'])).code).toBe(EXIT.ok);
    expect(asked.at(-1)).toMatchObject({ type: 'ROUTING_LOGS' });
  });

  it.each([
    [['service', 'shop', '--follow'], 'edge-1, edge-2'],
    [['client', 'edge-1', '--follow', '--until', '1h'], 'exclude'],
    [['client', 'edge-1', '--count', '0'], '10000'],
    [['client', 'edge-1', '--since', 'soon'], 'neither a time'],
    [['client', 'edge-1', '--level', 'loud'], 'loud'],
    [['client', 'edge-1', '--log-type', 'ACCESS'], 'ACCESS'],
  ])('refuses %j', async (args, reason) => {
    const answer = await terminal.run(['logs', ...args]);
    expect(answer.code).toBe(EXIT.usage);
    expect(answer.err).toContain(reason);
  });

  it('follows a log, and ends when the client refuses to be read', async () => {
    const unknown = await t.createClient('capable');
    const agent = await t.connect(unknown);
    let n = 0;
    agent.react = () => {
      n += 1;
      if (n > 1) return { outcome: fleet.Outcome.REFUSED, errorCode: 'logs.cursor', errorMessage: 'no more' };
      const page = {
        logs: [entry({ message: 'first' })],
        older_cursor: null,
        newer_cursor: 'eyJ4Ijox',
        complete: true,
      };
      return {
        outcome: fleet.Outcome.DONE,
        resultJson: Buffer.from(JSON.stringify({ ...page, gap: false, notes: [] })),
      };
    };
    const answer = await terminal.run(['logs', 'client', 'capable', '--follow', '--json']);
    expect(answer).toMatchObject({ code: EXIT.failed, err: 'no more\n' });
    expect(JSON.parse(answer.out)).toMatchObject({ message: 'first' });
  });
});
