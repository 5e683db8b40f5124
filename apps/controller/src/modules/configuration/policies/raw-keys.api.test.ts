import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, createTestController, type TestController } from '../../../testing/controller.ts';

const RAW = `raw-key-${randomBytes(12).toString('hex')}`;
const SECRET = `secret-${randomBytes(24).toString('hex')}`;

let t: TestController;
let folder: string;
const answers: Answer[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-log-'));
  const logger = createLogger({ name: 'test', level: 'trace', destination: join(folder, 'log') });
  t = await createTestController({}, { logger });
});
afterAll(async () => {
  await t.close();
  await rm(folder, { recursive: true, force: true });
});

async function call(method: string, url: string, body: unknown): Promise<Answer> {
  const answer = await t.owner.call(method, url, body);
  answers.push(answer);
  return answer;
}

const policy = (key: string) => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: raw }
spec:
  domains:
    - hosts: [raw.example.com]
      policy: { engines: { api_key: { keys: [{ key: ${key}, subject: somebody }] } } }
      routes:
        - match: { path_prefix: /t }
          policy: { engines: { api_key: null, jwt: { algorithms: [HS256], hmac_secret_file: k/s } } }
`;

it('raw keys and secrets in drafts, dry runs, refused writes and tried requests are neither returned nor logged', async () => {
  const files = [{ path: 'k/s', content_base64: Buffer.from(SECRET).toString('base64') }];
  const list = `/api/v3/shield/policies?project=${t.project}`;
  const item = `/api/v3/shield/policies/raw?project=${t.project}`;
  const text = policy(RAW);
  const bodies = [
    { text, files },
    { document: { apiVersion: RAW, kind: SECRET }, files },
    { text: text.replace('subject', 'topic'), files },
    { text: text.replace('hosts:', 'hosts'), files },
    { text: text.replace('[HS256]', '[HS512]'), files },
    { text: text.replace(`key: ${RAW}`, `key: &k ${RAW}`).replace('somebody', '*k'), files },
    { text: text.replace(`key: ${RAW}`, `key: " ${RAW}"`), files },
    { text: text.replace('HS256', 'HS512'), files: [{ path: 'k/s', content_base64: 'c2hvcnQ=' }] },
    { text, files: [{ path: 'k/s', content_base64: `${SECRET}!` }] },
    { text, files: [{ path: 'k/s', content_base64: { [SECRET]: SECRET } }] },
    { text, files: [...files, { path: 'k/other', content_base64: files[0]?.content_base64 }] },
  ];
  for (const body of bodies) await call('POST', `${list}&dry_run=true`, { name: 'raw', ...body });
  expect(answers[0]).toMatchObject({ status: 200, body: { dry_run: true, replaced_keys: 1 } });
  expect(answers.slice(1).map(({ status }) => status)).toEqual(expect.arrayContaining([400]));
  await call('POST', list, { name: 'raw', text, files });
  for (const body of bodies) {
    await call('PUT', `${item}&dry_run=true`, body);
    await call('PATCH', `${item}&dry_run=true`, body);
  }
  const request = {
    method: 'POST',
    url: `https://raw.example.com/t?token=${RAW}`,
    headers: [
      ['x-api-key', RAW],
      ['authorization', `Bearer ${SECRET}`],
    ],
    body: SECRET,
  };
  for (const body of bodies) {
    for (const path of ['/', '/t']) {
      const tried = { ...request, url: `https://raw.example.com${path}` };
      await call('POST', `/api/v3/shield/try?project=${t.project}`, { policies: { draft: body }, request: tried });
    }
  }
  const sample = answers.at(-2 * bodies.length);
  expect(sample?.status, JSON.stringify(sample?.body)).toBe(200);
  const record = {
    method: 'GET',
    url: `https://raw.example.com/?key=${RAW}`,
    headers: [['x-api-key', RAW]],
    status: 200,
  };
  const records = { source: 'text', text: `${JSON.stringify(record)}\n${SECRET}\n` };
  const candidate = { draft: { text, files } };
  const replay = await call('POST', `/api/v3/shield/replay?project=${t.project}`, { candidate, records });
  expect(replay.status, JSON.stringify(replay.body)).toBe(200);
  // Provokes a logged failure with a secret that cannot be decrypted.
  const stored = await t.database.db.selectFrom('policies').select('files').executeTakeFirstOrThrow();
  // Changes the bytes after the key id: the database refuses values without the id of one of its keys.
  const spoiled = JSON.stringify(stored.files).replace(/(sealed_base64":".{40}).{8}/, '$1AAAABBBB');
  await t.database.db.updateTable('policies').set({ files: spoiled }).execute();
  const failed = await call('POST', `/api/v3/shield/try?project=${t.project}`, {
    policies: { policy: 'raw' },
    request,
  });
  expect(failed.status).toBe(500);
  const log = await readFile(join(folder, 'log'), 'utf8');
  expect(log).toContain('http.failed');
  for (const canary of [RAW, SECRET, Buffer.from(SECRET).toString('base64')]) {
    for (const [index, answer] of answers.entries())
      expect(JSON.stringify(answer), `answer ${index}`).not.toContain(canary);
    expect(log).not.toContain(canary);
  }
});
