import { createTestFleet, type TestAgent, type TestFleet } from '@flotilla/controller/testing/fleet';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { type OwnersTerminal, openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

let t: TestFleet;
let terminal: OwnersTerminal;
let service: string;
const agents: TestAgent[] = [];
const run: TestTerminal['run'] = (argv, options) => terminal.run(argv, options);
const rollout = (...more: string[]) =>
  run(['commands', 'rollout', 'SERVICE', '--sub-type', 'SUB_RESTART', '--service', service, ...more]);
const restarts = () => agents.map(({ commands }) => commands.filter(({ subType }) => subType === 'SUB_RESTART').length);

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
  for (const name of ['edge-1', 'edge-2', 'edge-3']) agents.push(await t.connect(await t.createClient(name)));
  await t.createClient('edge-4');
  service = (await t.createService()).name;
  for (const name of ['edge-1', 'edge-2', 'edge-3']) await run(['deploy', service, '--client', name]);
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

it('a dry run shows the waves, and the rollout follows them to the end', async () => {
  const plan = await rollout('--first-wave', '1', '--wave', '2', '--dry-run');
  expect(plan.out).toBe('SERVICE SUB_RESTART\n  wave 1: edge-1\n  wave 2: edge-2, edge-3\n');
  expect(restarts()).toEqual([0, 0, 0]);
  const { code, out } = await rollout('--first-wave', '1', '--wave', '2', '--watch');
  expect(code).toBe(EXIT.ok);
  expect(out).toMatch(/done {2}100 % {2}3 of 3 done, 0 failed/);
  expect(restarts()).toEqual([1, 1, 1]);
});

it('a rollout that stops says for which clients, and its exit code says so', async () => {
  const [first] = agents;
  if (first)
    first.react = () => ({ outcome: fleet.Outcome.FAILED, errorCode: 'x', errorMessage: 'It \u001b[2Jbroke.' });
  const { code, out } = await rollout('--wave', '1', '--stop-at', '1', '--stop-at', '50%', '--watch');
  expect(code).toBe(EXIT.differs);
  expect(out).toContain('  edge-2: The rollout stopped before its wave. (not tried)');
  expect(out).toMatch(/ edge-1: It .*broke\./);
  expect(out).not.toContain('\u001b');
});

it('says which clients are offline before it starts, and without --watch how to follow the job', async () => {
  const { out, err } = await run([
    'commands',
    'rollout',
    'DATAPLANE_VERSION',
    '--body',
    '{"operation":"REMOVE_VERSION","version":"1.36.4"}',
    '--client',
    'edge-4',
  ]);
  expect(out).toContain('wave 1: edge-4 (offline)');
  expect(err).toMatch(/Job \d+ has started\. Follow it with: flotilla jobs watch \d+/);
});

it.each([
  [['--wave', 'ten'], '"ten" is not a number or a share such as 10%'],
  [['--first-wave', '10%'], '--first-wave is a number of clients'],
])('%j is refused', async (argv, message) => {
  const { code, err } = await rollout(...argv);
  expect(code).toBe(EXIT.usage);
  expect(err).toContain(message);
});
