import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

const MASTER = '31'.repeat(32);
let t: TestController;
let terminal: TestTerminal;
beforeAll(async () => {
  t = await createTestController({ SVC_MASTER_KEY: MASTER });
  terminal = await openOwnersTerminal(t);
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

const run: TestTerminal['run'] = (argv, options) => terminal.run(argv, options);

it('a data key is created, and the command ends when all secrets are encrypted with it', async () => {
  expect((await run(['keys', 'list'])).out).toMatch(
    /^data 1 +sealing +20\S+Z +-\nmaster +from environment +20\S+Z +-$/m,
  );
  const rotated = await run(['keys', 'rotate', 'data']);
  expect(rotated).toMatchObject({
    code: EXIT.ok,
    out: 'All secrets are encrypted with data key 2; the previous one is deleted.\n',
    err: expect.stringContaining('reseal'),
  });
  const { data_keys } = JSON.parse((await run(['keys', 'list', '--json'])).out);
  expect(data_keys).toMatchObject([{ id: 2, state: 'sealing' }]);
}, 120_000);

it('the job that encrypts all secrets again can be watched with the printed command', async () => {
  const started = await run(['keys', 'rotate', 'data', '--no-wait']);
  const [, argv] = /: flotilla (jobs watch \d+ --installation)$/m.exec(started.out) ?? [];
  const watched = await run(argv?.split(' ') ?? []);
  expect(watched).toMatchObject({ code: EXIT.ok, out: expect.stringMatching(/^Job \d+ /) });
  const [, watch, number = ''] = argv?.split(' ') ?? [];
  expect(watch).toBe('watch');
  expect((await run(['jobs', 'get', number])).code).toBe(EXIT.notFound);
  expect((await run(['jobs', 'cancel', number, '--installation'])).code).toBe(EXIT.conflict);
}, 120_000);

it('a master key is read from standard input and cannot be an argument', async () => {
  const next = 'a passphrase of more than thirty-two characters';
  expect((await run(['keys', 'rotate', 'master'])).code).toBe(EXIT.failed);
  expect((await run(['keys', 'rotate', 'master', next])).code).toBe(EXIT.usage);
  const argv = ['keys', 'rotate', 'master', '--master-key-stdin', '--overlap', '1d'];
  const changed = await run(argv, { stdin: `${next}\n` });
  expect(changed).toMatchObject({ code: EXIT.ok, out: 'The master key is changed.\n' });
  expect(JSON.stringify(changed)).not.toContain(next);
  expect((await run(['keys', 'list'])).out).toMatch(/^master +previous +20\S+Z +20\S+Z$/m);
  expect((await run(['keys', 'rotate', 'data'])).code).toBe(EXIT.conflict);
  expect((await run(['keys', 'rotate', 'both'])).code).toBe(EXIT.usage);
  expect((await run(['keys', 'rotate', 'data', '--overlap', '1d'])).code).toBe(EXIT.usage);
});
