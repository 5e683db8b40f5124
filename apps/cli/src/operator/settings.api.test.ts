import { expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { shareOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

const SECRET = 'hush-hush-271828';

const stage = shareOwnersTerminal();

const run: TestTerminal['run'] = (argv, options) => stage.terminal.run(argv, options);
const read = async (...argv: string[]) => JSON.parse((await run(['settings', 'get', ...argv])).out);

it('settings are listed, changed field by field, and read without their secrets', async () => {
  expect((await run(['settings', 'list'])).out).toContain('syslog');
  const set = await run(['settings', 'set', 'smtp', 'host=mail.example', 'port=2525', 'username=42@x']);
  expect(set).toMatchObject({ code: EXIT.ok, err: expect.stringContaining('revision 1') });
  expect((await run(['settings', 'set', 'smtp', '--secret-stdin', 'password'], { stdin: SECRET })).code).toBe(EXIT.ok);
  const shown = await run(['settings', 'get', 'smtp']);
  expect(JSON.parse(shown.out)).toMatchObject({
    value: { host: 'mail.example', port: 2525, username: '42@x' },
    private: [{ path: 'password', set: true }],
    revision: 2,
  });
  expect(shown.out).not.toContain(SECRET);
  expect((await run(['settings', 'set', 'smtp', 'password='])).code).toBe(EXIT.ok);
  expect((await read('smtp')).private).toEqual([]);
});

it('nested fields and whole objects are merged', async () => {
  await run(['settings', 'set', 'api_discovery', 'policy.raw_sample_rate=0.25', 'detection.detect_pii=false']);
  const stdin = JSON.stringify({ policy: { hash_source_ip: false } });
  await run(['settings', 'set', 'api_discovery', '--stdin'], { stdin });
  expect((await read('api_discovery')).value).toMatchObject({
    policy: { raw_sample_rate: 0.25, hash_source_ip: false },
    detection: { detect_pii: false },
  });
});

it('wrong input has its own exit code and message', async () => {
  expect(await run(['settings', 'get', 'weather'])).toMatchObject({ code: EXIT.notFound });
  expect(await run(['settings', 'get', 'cloud'])).toMatchObject({ code: EXIT.usage });
  expect(await run(['settings', 'set', 'smtp', 'port'])).toMatchObject({ code: EXIT.usage });
  expect(await run(['settings', 'set', 'smtp', '__proto__.x=1'])).toMatchObject({ code: EXIT.usage });
  expect((await run(['settings', 'set', 'smtp', 'port=99999'])).err).toContain('port');
  const secret = await run(['settings', 'set', 'smtp', '--stdin'], { stdin: `{"password": "${SECRET}"` });
  expect(secret).toMatchObject({ code: EXIT.usage });
  expect(secret.err + secret.out).not.toContain(SECRET);
});

it('a test prints its steps and ends with exit code 1 if one fails', async () => {
  await run(['settings', 'set', 'syslog', 'enabled=false', 'host=127.0.0.1', 'port=1', 'connect_timeout_ms=1000']);
  const tried = await run(['settings', 'test', 'syslog']);
  expect(tried).toMatchObject({ code: EXIT.failed, out: expect.stringContaining('FAIL') });
  expect(await run(['settings', 'test', 'general'])).toMatchObject({ code: EXIT.notFound });
});

it('the size of the database is shown, and kinds are completed', async () => {
  expect((await run(['storage'])).out).toMatch(/^database {2}\d+\.\d MiB/);
  expect(JSON.parse((await run(['storage', '--json'])).out).database.total_bytes).toBeGreaterThan(0);
  expect((await run(['__complete', '--', 'settings', 'get', 'sys'])).out.trim()).toBe('syslog');
  expect((await run(['__complete', '--', 'settings', 'set', 'smt'])).out.trim()).toBe('smtp');
});

it('a change of settings that are switched off tells how to switch them on (fault L17)', async () => {
  const off = await run(['settings', 'set', 'syslog', 'enabled=false', 'host=log.example']);
  expect(off.err).toContain('It is off: turn it on with `flotilla settings set syslog enabled=true`.');
  expect((await run(['settings', 'set', 'syslog', 'enabled=true'])).err).not.toContain('It is off');
});

it('an empty list of Envoy binaries names the searched folder (fault L17)', async () => {
  const none = await run(['envoy', 'list', '--cache', `${stage.terminal.folder}/none`], {
    env: { PATH: '', ENVOY_BIN: '' },
  });
  expect(none).toMatchObject({ code: EXIT.ok, err: expect.stringContaining(`${stage.terminal.folder}/none`) });
});
