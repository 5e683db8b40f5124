import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from '../exit-codes.ts';
import { createTestTerminal, type TestTerminal } from '../testing/terminal.ts';

/** A file that exists, because a missing file would be refused first. */
const FILE = fileURLToPath(import.meta.url);

let terminal: TestTerminal;
beforeAll(async () => {
  terminal = await createTestTerminal({ SVC_URL: 'http://127.0.0.1:9', SVC_TOKEN: 'x', SVC_PROJECT: 'shop' });
});
afterAll(() => terminal.close());

const COMMANDS = [
  'jobs list',
  'jobs get 3',
  'jobs watch 3',
  'jobs cancel 3',
  'jobs retry 3',
  'backup list',
  'backup create',
  'backup get b',
  `backup download b ${FILE}.new`,
  `backup upload ${FILE}`,
  'backup inspect b',
  'backup delete b',
].map((line) => line.split(' '));

it.each(COMMANDS)('flotilla %s %s refuses a project together with the installation', async (...argv) => {
  const both = await terminal.run([...argv, '--project', 'shop', '--installation']);
  expect(both).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('--project or --installation') });
});

it.each(COMMANDS)(
  'flotilla %s %s --installation is accepted if only the environment names a project',
  async (...argv) => {
    const one = await terminal.run([...argv, '--installation']);
    expect(one).toMatchObject({ code: EXIT.unreachable });
  },
);
