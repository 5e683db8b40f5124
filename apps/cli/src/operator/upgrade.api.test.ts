import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { type OwnersTerminal, openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

let t: TestFleet;
let terminal: OwnersTerminal;
let service: string;
const sent: Array<Record<string, unknown>> = [];

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
  const ids = [await t.createClient('edge-1'), await t.createClient('edge-2')];
  for (const id of ids) {
    const agent = await t.connect(id);
    agent.react = ({ type, payloadJson }) => {
      if (type !== 'UPGRADE_LISTENER') return { outcome: fleet.Outcome.DONE };
      const { from_version, to_version, port, drain_time_seconds } = JSON.parse(Buffer.from(payloadJson).toString());
      sent.push({ id, from_version, to_version, port, drain_time_seconds });
      if (id === ids[0]) return { outcome: fleet.Outcome.DONE };
      const errorMessage = 'no such filter \u001b[2J';
      return { outcome: fleet.Outcome.FAILED, errorCode: 'upgrade.not_live', errorMessage };
    };
  }
  service = (await t.createService()).name;
  await t.owner.call('POST', `/api/op/clients?project=${t.project}`, {
    type: 'DEPLOY',
    clients: ids.map((client_id) => ({ client_id })),
    command: { name: service },
  });
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

const run: TestTerminal['run'] = (argv, options) => terminal.run(argv, options);
const upgrade = (...more: string[]) => ['services', 'upgrade', service, '--from', '1.40.0', '--to', '1.39.3', ...more];

it('services upgrade moves named clients, with a drain time', async () => {
  const { code, out } = await run(upgrade('--client', 'edge-1', '--drain', '60'));
  expect([code, out]).toEqual([EXIT.ok, 'edge-1 runs Envoy 1.39.3\n']);
  expect(sent.splice(0)).toMatchObject([{ from_version: '1.40.0', to_version: '1.39.3', drain_time_seconds: 60 }]);
});

it('services upgrade with --all reaches every client of the service, and names those that went back', async () => {
  const { code, out, err } = await run(upgrade('--all'));
  expect([code, out]).toEqual([EXIT.failed, 'edge-1 runs Envoy 1.39.3\n']);
  expect(err).toContain('edge-2: failed: no such filter');
  expect(err).toContain('goes back to Envoy 1.40.0.');
  expect(err).not.toContain('\u001b');
  expect(sent.splice(0)).toHaveLength(2);
});

it.each([
  [[]],
  [['--all', '--client', 'edge-1']],
  [['--all', '--drain', '0']],
  [['--all', '--drain', '1h']],
  [['--all', '--port', '70000']],
])('services upgrade refuses the options %j', async (more) => {
  expect((await run(upgrade(...more))).code).toBe(EXIT.usage);
  expect(sent).toEqual([]);
});

it('services upgrade needs both versions, and services still lists and shows', async () => {
  expect((await run(['services', 'upgrade', service, '--to', '1.39.3', '--all'])).code).toBe(EXIT.usage);
  expect((await run(['services'])).out).toContain(service);
  expect((await run(['services', service])).out).toContain('edge-1');
});
