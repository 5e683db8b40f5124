import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';

let t: TestController;
beforeAll(async () => {
  // The test observes the analysis process itself, not one that handles large requests.
  t = await createTestController({}, { largeRequests: false });
});
afterAll(() => t?.close());

const list = () => `/api/v3/shield/policies?project=${t.project}`;
const item = (name: string) => `/api/v3/shield/policies/${name}?project=${t.project}`;
const policy = (name: string) => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: ${name} }
spec:
  defaults: { inspect_request_body: true, max_request_body_bytes: 65536 }
  domains:
    - hosts: [${name}.example.com]
      policy: { engines: { graphql: { trusted_documents_file: files/${name}.json, max_operations: 10 } } }
`;
const digests = Array.from({ length: 5000 }, (_, n) => createHash('sha256').update(`{a${n}}`).digest('hex'));
const filesOf = (name: string, content: unknown) => [
  { path: `files/${name}.json`, content_base64: Buffer.from(JSON.stringify(content)).toString('base64') },
];

/** Pid of the process that analyses large policies, if it runs. */
const readingProcess = () => t.controller.configuration.policies.reader.pid;

it('other requests are answered while a policy with a long list is checked, and the policy is stored like any other', async () => {
  const order: string[] = [];
  const write = t.owner
    .call('POST', list(), { name: 'large', text: policy('large'), files: filesOf('large', digests) })
    .finally(() => order.push('large'));
  while (readingProcess() === undefined) await setImmediate();
  const pid = readingProcess() ?? 0;
  // Stopped before it answers, so that later answers cannot have waited for it.
  process.kill(pid, 'SIGSTOP');
  for (let n = 0; n < 3; n++) {
    expect(await t.owner.call('GET', list())).toMatchObject({ status: 200 });
    order.push('other');
  }
  // The waiting write holds neither a lock nor a connection: other policies of the project can be written.
  const small = {
    name: 'small',
    text: `${policy('small').split('defaults')[0]}domains: [{ hosts: [small.example.com] }]`,
  };
  expect(await t.owner.call('POST', list(), small)).toMatchObject({ status: 201 });
  order.push('small');
  process.kill(pid, 'SIGCONT');
  const made = await write;
  expect(made.status, JSON.stringify(made.body).slice(0, 500)).toBe(201);
  expect(order).toEqual(['other', 'other', 'other', 'small', 'large']);
  expect(made.body).toMatchObject({ hosts: ['large.example.com'], warnings: expect.any(Array), services: [] });
  expect(made.body.digest).toMatch(/^[0-9a-f]{64}$/);
  const read = await t.owner.call('GET', item('large'));
  expect(read.body).toMatchObject({ digest: made.body.digest, files: filesOf('large', digests) });
});

it('a mistake in a long list is reported like one in a short list', async () => {
  const refusalOf = async (content: unknown) => {
    const answer = await t.owner.call('POST', list(), {
      name: 'wrong',
      text: policy('wrong'),
      files: filesOf('wrong', content),
    });
    const { request_id: _, ...body } = answer.body;
    return { status: answer.status, body };
  };
  const short = await refusalOf(['{a}', ...digests.slice(0, 1)]);
  expect(short).toMatchObject({ status: 400, body: { code: 'policy.invalid', problems: [{ line: 8 }] } });
  expect(await refusalOf(['{a}', ...digests])).toEqual(short);
});

it('if the analysis process dies, only its write fails and the next one succeeds', async () => {
  const body = { name: 'again', text: policy('again'), files: filesOf('again', digests) };
  let isDone = false;
  const write = t.owner.call('POST', list(), body).finally(() => {
    isDone = true;
  });
  // The process of the previous write may still run.
  while (!isDone) {
    const pid = readingProcess();
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await setImmediate();
  }
  expect((await write).status).toBe(500);
  expect((await t.owner.call('GET', item('again'))).status).toBe(404);
  expect((await t.owner.call('POST', list(), body)).status).toBe(201);
});
