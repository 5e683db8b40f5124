import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { createId } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

let t: TestFleet;
let terminal: TestTerminal;
let reportEvent: (path: string, more?: object) => Promise<void>;

const KEY = 'a-key-that-nobody-prints';
const policy = (open = '/open') => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: shop }
spec:
  domains:
    - hosts: [shop.example.com]
      policy:
        engines:
          api_key: { keys: [{ sha256: ${createHash('sha256').update(KEY).digest('hex')}, subject: partner }] }
      routes: [{ match: { path_prefix: ${open} }, policy: { engines: { api_key: null } } }]
`;

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
  expect((await run(['apply', '-f', '-'], { stdin: policy() })).code).toBe(EXIT.ok);
  const client = await t.createClient('edge-1');
  const service = await t.createService({ name: 'web', clients: [{ client_id: client }], policies: ['shop'] });
  const agent = await t.connect(client);
  reportEvent = async (path, more = {}) => {
    const event = {
      seq: 1n,
      timeMs: BigInt(Date.now()),
      host: 'shop.example.com',
      method: 'GET',
      path,
      policy: 'shop',
      engine: 'api_key',
      reason: 'apikey.missing',
      severity: 'high',
      verdict: fleet.ShieldVerdict.BLOCKED,
      status: 403,
      sourceIp: '203.0.113.7',
      ...more,
    };
    const request = { serviceId: service.id, epoch: createId(), events: [event] };
    const stored = agent.session.shieldEvents(create(fleet.ShieldEventsSchema, request));
    await t.controller.fleet.shieldEvents.flush();
    expect(await stored).toBe(true);
  };
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

const run: TestTerminal['run'] = (argv, options) => terminal.run(argv, options);

describe('events', () => {
  it('are listed, filtered and printed as JSON', async () => {
    await reportEvent('/listed/one');
    await reportEvent('/listed/two', { reason: 'apikey.unknown', sourceIp: '198.51.100.1' });
    const all = await run(['events', '--path', '/listed']);
    expect(all).toMatchObject({ code: EXIT.ok, err: '' });
    expect(all.out.split('\n')[0]).toMatch(/^TIME +VERDICT +REASON/);
    expect(all.out.split('\n')[1]).toContain('/listed/two');
    const narrow = ['--client', 'edge-1', '--service', 'web', '--source', '198.51.100.0/24', '--since', '5m'];
    const json = await run(['events', '--path', '/listed', ...narrow, '--json']);
    expect(JSON.parse(json.out).items).toMatchObject([{ path: '/listed/two', reason: 'apikey.unknown' }]);
    expect((await run(['events', '--limit', '1', '--path', '/listed', '--json'])).out.match(/"id"/g)).toHaveLength(1);
    expect((await run(['events', '--until', '2020-01-01'])).err).toContain('Nothing found');
  });

  it('are counted by their common values', async () => {
    for (const path of ['/counted/one', '/counted/one', '/counted/two']) await reportEvent(path);
    const summary = await run(['events', 'summary', '--path', '/counted', '--top', '1']);
    expect(summary).toMatchObject({ code: EXIT.ok, err: '' });
    expect(summary.out).toContain('\n3 findings: 3 blocked, 0 detected, 0 engine errors\n');
    expect(summary.out).toMatch(/^ +3 +3 +0 +\d+s +web$/m);
    expect(summary.out).toMatch(/^ +2 +2 +0 +\d+s +\/counted\/one\n1 of others$/m);
    const json = await run(['events', 'summary', '--path', '/counted', '--service', 'web', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ totals: { events: 3 }, by_engine: { groups: [{ name: 'api_key' }] } });
    expect((await run(['events', 'summary', '--top', '51'])).code).toBe(EXIT.usage);
  });

  it('are followed without duplicates until Ctrl-C', async () => {
    const abort = new AbortController();
    const argv = ['events', '--follow', '--path', '/followed', '--since', '1m'];
    const following = terminal.follow(argv, abort.signal);
    await reportEvent('/followed/first');
    await expect.poll(() => following.out()).toContain('/followed/first');
    await reportEvent('/followed/\u001b[2Jsecond', { method: 'a\u202eb' });
    await expect.poll(() => following.out()).toContain('second');
    abort.abort();
    expect(await following.code).toBe(EXIT.ok);
    expect(following.out().match(/\/followed\/first/g)).toHaveLength(1);
    for (const active of ['\u001b', '\u202e']) expect(following.out()).not.toContain(active);
  });

  it('report an invalid filter', async () => {
    expect(await run(['events', '--since', 'yesterday'])).toMatchObject({ code: EXIT.usage });
    expect(await run(['events', '--limit', '0'])).toMatchObject({ code: EXIT.usage });
    expect(await run(['events', '--verdict', 'allowed'])).toMatchObject({ code: EXIT.failed });
    expect(await run(['events', '--service', 'nothing'])).toMatchObject({ code: EXIT.notFound });
  });
});

describe('a secret file of a policy', () => {
  it('is read from the folder of the policy, and the stored one is kept if the file is missing', async () => {
    const secret = 'a-shared-secret-of-32-bytes-or-more';
    const text = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: tokens }
spec:
  domains:
    - hosts: [tokens.example.com]
      policy: { engines: { jwt: { algorithms: [HS256], hmac_secret_file: shared.key } } }
`;
    const file = join(terminal.folder, 'tokens.yaml');
    await writeFile(file, text);
    const alone = await run(['apply', '-f', file]);
    expect(alone).toMatchObject({ code: EXIT.failed, err: expect.stringContaining('shared.key') });
    await writeFile(join(terminal.folder, 'shared.key'), secret);
    expect((await run(['apply', '-f', file])).code).toBe(EXIT.ok);
    await rm(join(terminal.folder, 'shared.key'));
    expect(await run(['apply', '-f', file])).toMatchObject({
      code: EXIT.ok,
      out: expect.stringContaining('unchanged'),
    });
    const url = ['https://tokens.example.com/', '--expect', 'blocked'];
    expect((await run(['try', ...url, '--policy', 'tokens'])).code).toBe(EXIT.ok);
    expect((await run(['try', ...url, '--file', file])).code).toBe(EXIT.ok);
    const shown = await run(['policies', 'tokens', '--json']);
    expect(JSON.parse(shown.out).files).toEqual([expect.objectContaining({ path: 'shared.key', secret: true })]);
  });
});

describe('a policy that is refused', () => {
  const refuse = async (text: string) => {
    const file = join(terminal.folder, 'refused.yaml');
    await writeFile(file, text);
    const { code, err } = await run(['apply', '-f', file]);
    expect(code).toBe(EXIT.failed);
    return err.replaceAll(file, 'refused.yaml');
  };

  it('is reported with one line for each mistake and its place in the file', async () => {
    const text = policy().replace('sha256:', 'sha265:').replace('api_key: null', 'jwtt: null');
    const lines = (await refuse(`# a comment\n---\n${text}`)).trimEnd().split('\n');
    expect(lines).toEqual([
      'flotilla: Nothing was changed:',
      'refused.yaml:11:29: spec.domains[0].policy.engines.api_key.keys[0]: needs sha256 or key',
      'refused.yaml:11:31: spec.domains[0].policy.engines.api_key.keys[0].sha265: is not a field of this document; did you mean sha256?',
      'refused.yaml:12:70: spec.domains[0].routes[0].policy.engines.jwtt: is not an engine; did you mean jwt?',
    ]);
  });

  it('is reported with the line of an invalid name', async () => {
    expect(await refuse(`# a comment\n${policy().replace('shop', 'Shop Bad')}`)).toBe(
      'flotilla: Nothing was changed:\nrefused.yaml:4:13: metadata.name: letters, digits, dot, dash and underscore; starts and ends with a letter or digit\n',
    );
  });
});

describe('try', () => {
  const url = 'https://shop.example.com/items';

  it('shows the verdict on a request and its reasons, without the key', async () => {
    const blocked = await run(['try', url, '--policy', 'shop', '--expect', 'blocked']);
    expect(blocked).toMatchObject({ code: EXIT.ok, err: '' });
    expect(blocked.out).toMatch(/domain +shop\.example\.com of policy shop\n/);
    expect(blocked.out).toMatch(/answer +403\n/);
    expect(blocked.out).toMatch(/api_key +headers +shop .*apikey\.missing/);
    const argv = ['try', url, '--service', 'web', '-H', `X-Api-Key: ${KEY}`, '--expect', 'blocked'];
    const allowed = await run(argv);
    expect(allowed.code).toBe(EXIT.failed);
    expect(allowed.out).toContain('partner');
    expect(allowed.out).not.toContain(KEY);
    const json = await run(['try', '/items', '--host', 'shop.example.com', '--policy', 'shop', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ verdict: 'blocked' });
  });

  it('accepts a policy that is not stored, and reports its problems', async () => {
    const file = join(terminal.folder, 'draft.yaml');
    await writeFile(file, policy('/items'));
    expect(await run(['try', url, '-f', file, '--expect', 'allowed'])).toMatchObject({ code: EXIT.ok });
    await writeFile(file, policy().replace('hosts:', 'host:'));
    const refused = await run(['try', url, '-f', file]);
    expect(refused).toMatchObject({ code: EXIT.failed, err: expect.stringContaining(`${file}:6: `) });
    for (const argv of [
      ['try', url],
      ['try', url, '--policy', 'a', '--service', 'b'],
      ['try', url, '--policy', 'shop', '-H', 'x'],
    ])
      expect(await run(argv)).toMatchObject({ code: EXIT.usage });
    expect(await run(['try', url, '--policy', 'none'])).toMatchObject({ code: EXIT.notFound });
    const pathless = await run(['try', 'shop.example.com/items', '--policy', 'shop']);
    expect(pathless).toMatchObject({ code: EXIT.failed, out: '' });
    expect(pathless.err).toContain('url needs a scheme or a leading slash: write https://');
  });
});

describe('replay', () => {
  const records = [
    { method: 'GET', url: 'https://shop.example.com/items', headers: [], status: 200 },
    { method: 'GET', url: 'https://shop.example.com/open', headers: [], status: 200 },
  ];

  it('reports which verdicts would change, also by its exit code', async () => {
    const stdin = records.map((record) => JSON.stringify(record)).join('\n');
    const changed = await run(['replay', '-', '--policy', 'shop'], { stdin });
    expect(changed).toMatchObject({ code: EXIT.differs, err: '' });
    expect(changed.out).toMatch(/^1 of 2 verdicts would differ\n +allowed, would be blocked +1\n/);
    expect(changed.out).toMatch(/allow to block +GET +shop\.example\.com +\/items/);
    const same = await run(['replay', '-', '--policy', 'shop', '--baseline', 'shop', '--json'], { stdin });
    expect(same.code).toBe(EXIT.ok);
    expect(JSON.parse(same.out).totals).toMatchObject({ requests: 2, flips: 0 });
    expect(await run(['replay', '-', '--policy', 'shop', '--format', 'odd'], { stdin })).toMatchObject({
      code: EXIT.failed,
    });
  });

  it('accepts findings of the filters', async () => {
    await reportEvent('/items/replayed');
    const file = join(terminal.folder, 'shop.yaml');
    await writeFile(file, policy('/items'));
    const answer = await run(['replay', '--events', '--since', '1h', '-f', file, '--json']);
    expect(answer.code).toBe(EXIT.differs);
    expect(JSON.parse(answer.out).samples).toContainEqual(expect.objectContaining({ path: '/items/replayed' }));
    // The recorded responses show whether requests were blocked, but not detections.
    const unknown = await run(['replay', '--events', '--since', '1h', '-f', file]);
    expect(unknown.out).toMatch(/\ndetected {4}before unknown, after \d+\n/);
    const compared = await run(['replay', '--events', '--since', '1h', '-f', file, '--baseline', 'shop']);
    expect(compared.out).toMatch(/\ndetected {4}before \d+, after \d+\n/);
    expect(await run(['replay', '-f', file])).toMatchObject({ code: EXIT.usage });
  });
});
