import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ChildProgram } from './child-program.ts';

it('is given up where its log cannot be opened', async () => {
  const logFile = join(import.meta.dirname, 'missing', 'agent.log');
  const child = new ChildProgram({ name: 'agent', command: ['true'], args: [], env: {}, logFile }, () => undefined);
  expect(await child.gaveUp).toMatch(/^the agent cannot be started: ENOENT.*agent\.log/);
  await child.stop();
});
