import { expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { createTestTerminal } from './testing/terminal.ts';

it.each([
  [['--project', 'shop', 'services'], true],
  [['users', '--project', 'shop', 'list'], true],
  [['count', '--projekt', 'shop'], false],
  [['servces'], false],
])('an option before its command is refused with a hint: %j', async (argv, hasHint) => {
  const terminal = await createTestTerminal();
  const { code, err } = await terminal.run(argv);
  await terminal.close();
  expect(code).toBe(EXIT.usage);
  expect(err.includes('Options follow the command')).toBe(hasHint);
});
