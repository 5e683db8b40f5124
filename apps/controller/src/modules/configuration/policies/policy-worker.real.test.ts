import { createHash } from 'node:crypto';
import { isRunning } from '@flotilla/testkit';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { analyseHere } from './analysis/analyses.ts';
import { toBundleFiles } from './analysis/model.ts';
import type { OpenFile } from './analysis/policy-files.ts';
import { PolicyWorker, type PolicyWorkerOptions } from './policy-worker.ts';

const readers: PolicyWorker[] = [];
/** Shared by the tests that do not change it. */
const common = new PolicyWorker();
afterAll(() => common.close());
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()));
});

function open(options: Partial<PolicyWorkerOptions> = {}): PolicyWorker {
  const reader = new PolicyWorker({
    deadlineMs: 60_000,
    memoryMb: 512,
    jobsMax: 8,
    jobsPerPartyMax: 4,
    charsMax: 64 * 1024 * 1024,
    ...options,
  });
  readers.push(reader);
  return reader;
}

/** Makes any text too long for this thread. */
const LONG = `# ${'x'.repeat(70_000)}\n`;
const head = (name = 'p') =>
  `apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata: { name: ${name} }\nspec:\n  domains:\n`;
const domain = (host: string, engines: string) => `    - hosts: [${host}]\n      policy: { engines: { ${engines} } }\n`;
const LIMIT = 'rate_limit: { key: ip, requests_per_second: 5 }';
const policyOf = (domains: number) =>
  head() + Array.from({ length: domains }, (_, n) => domain(`h${n}.example.com`, LIMIT)).join('');
const keyed =
  head() + domain('a.example.com', 'api_key: { name: x-key, keys: [{ subject: ann, key: a-raw-key-1234 }] }');
const listed = `${head().replace('  domains', '  defaults: { inspect_request_body: true, max_request_body_bytes: 65536 }\n  domains')}${domain('a.example.com', 'graphql: { trusted_documents_file: files/a.json, max_operations: 10 }')}`;
const signed = head() + domain('a.example.com', 'jwt: { algorithms: [HS256], hmac_secret_file: keys/a.key }');
const file = (path: string, content: string): OpenFile => ({
  path,
  content_base64: Buffer.from(content).toString('base64'),
  wasSealed: false,
});
const documents = JSON.stringify(
  Array.from({ length: 2000 }, (_, n) => createHash('sha256').update(`{a${n}}`).digest('hex')),
);

describe('a large policy', () => {
  it.each<[string, string, readonly OpenFile[]]>([
    ['that is good', policyOf(1000), []],
    ['with raw keys', LONG + keyed, []],
    ['with a shared limit', LONG + policyOf(1).replace('key: ip', 'key: ip, share: fleet'), []],
    ['with a mistake', `${LONG}${policyOf(2)}      x: 1\n`, []],
    ['with a mistake that is YAML of its own kind', `${LONG}&a ${policyOf(2)}`, []],
    ['with another name', LONG + policyOf(1).replace('name: p', 'name: q'), []],
    ['with a host twice', policyOf(1000) + domain('h7.example.com', LIMIT), []],
    ['that is no YAML', `${LONG}{`, []],
    ['with a long list of documents', listed, [file('files/a.json', documents)]],
    ['with an invalid list', listed, [file('files/a.json', documents.replace('[', '[1,'))]],
    ['with a file that is not named', LONG + policyOf(1), [file('files/a.json', '{}')]],
    ['with a file that is missing', LONG + listed, []],
    ['with a secret', LONG + signed, [file('keys/a.key', 'x'.repeat(64))]],
    ['with a secret that is too short', LONG + signed, [file('keys/a.key', 'x')]],
  ])('gives the same result in another process as here: %s', async (_, text, files) => {
    const reader = common;
    const ofOne = [{ name: 'p', text, files }];
    const paths = files.map(({ path }) => path);
    const compared = { description: null, text, files: paths };
    const before = { ...compared, text: text.replace('example.com', 'example.org') };
    expect(await reader.read('a', 'check', 'p', { text, files })).toEqual(analyseHere('check', ['p', { text, files }]));
    expect(reader.pid).toBeDefined();
    expect(await reader.read('a', 'problems', ofOne)).toEqual(analyseHere('problems', [ofOne]));
    const bundle = toBundleFiles(ofOne);
    expect(await reader.read('a', 'guarded', bundle)).toEqual(analyseHere('guarded', [bundle]));
    expect(await reader.read('a', 'isShared', { name: 'p', text })).toBe(
      analyseHere('isShared', [{ name: 'p', text }]),
    );
    expect(await reader.read('a', 'names', text)).toEqual(analyseHere('names', [text]));
    expect(await reader.read('a', 'bodyCap', text)).toEqual(analyseHere('bodyCap', [text]));
    expect(await reader.read('a', 'hosts', 'p', text)).toEqual(analyseHere('hosts', ['p', text]));
    expect(await reader.read('a', 'warnings', { name: 'p', text, paths })).toEqual(
      analyseHere('warnings', [{ name: 'p', text, paths }]),
    );
    expect(await reader.read('a', 'differences', 'p', before, compared)).toEqual(
      analyseHere('differences', ['p', before, compared]),
    );
  });

  it('in the form of an object becomes the same text', async () => {
    const document = { a: Array.from({ length: 10_000 }, (_, n) => ({ [`n${n}`]: 'yes' })) };
    const reader = open();
    expect(await reader.read('a', 'text', document)).toBe(analyseHere('text', [document]));
    expect(reader.pid).toBeDefined();
  });

  it('does not block anything while it is analysed', async () => {
    const reader = open();
    let isDone = false;
    const read = reader.read('a', 'check', 'p', { text: policyOf(5000), files: [] }).finally(() => {
      isDone = true;
    });
    let turns = 0;
    while (!isDone) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    expect(await read).toMatchObject({ ok: true });
    expect(turns).toBeGreaterThan(100);
  });

  it('that takes too long is cancelled, and the next one is analysed', async () => {
    const reader = open({ deadlineMs: 5000 });
    const slow = reader.read('a', 'check', 'p', { text: `&a ${policyOf(100_000)}`, files: [] });
    const next = reader.read('a', 'hosts', 'p', policyOf(700));
    await expect(slow).rejects.toMatchObject({ code: 'policy.too_slow', httpStatus: 422 });
    expect(await next).toHaveLength(700);
  });

  it('that needs too much memory is cancelled, and the next one is analysed', async () => {
    const reader = open({ memoryMb: 40 });
    const large = reader.read('a', 'check', 'p', { text: policyOf(60_000), files: [] });
    const next = reader.read('a', 'hosts', 'p', policyOf(700));
    await expect(large).rejects.toMatchObject({ code: 'policy.too_large', httpStatus: 422 });
    expect(await next).toHaveLength(700);
  });

  it('is refused while too many wait, and accepted afterwards', async () => {
    const reader = open({ jobsPerPartyMax: 2 });
    const read = (project: string) => reader.read(project, 'hosts', 'p', policyOf(700));
    const taken = [read('a'), read('a'), read('b')];
    await expect(read('a')).rejects.toMatchObject({ code: 'policy.busy', httpStatus: 503 });
    for (const hosts of await Promise.all(taken)) expect(hosts).toHaveLength(700);
    expect(await read('a')).toHaveLength(700);
  });

  it('fails alone if its process is killed, and the next one is analysed', async () => {
    const reader = open();
    const read = reader.read('a', 'check', 'p', { text: policyOf(20_000), files: [] });
    const { pid = 0 } = reader;
    process.kill(pid, 'SIGKILL');
    await expect(read).rejects.toThrow('the process was ended by SIGKILL');
    expect(await isRunning(pid)).toBe(false);
    expect(await reader.read('a', 'hosts', 'p', policyOf(700))).toHaveLength(700);
  });
});

it('a small policy is analysed without a process', async () => {
  const reader = open();
  const text = policyOf(100);
  expect(await reader.read('a', 'check', 'p', { text, files: [] })).toMatchObject({ ok: true });
  expect(await reader.read('a', 'hosts', 'p', text)).toHaveLength(100);
  expect(reader.pid).toBeUndefined();
});
