import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readEntries } from '../../../platform/http/testing/record.ts';
import { createTestController, type TestController } from '../../../testing/controller.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t?.close());

const RAW = 'a-raw-key-of-somebody-77';
const DIGEST = createHash('sha256').update(RAW).digest('hex');
const policy = (subject: string, more = '', keys = `{ key: ${RAW}, subject: ${subject} }`) => `# of the shop
apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: shop }
spec:
  domains:
    - hosts: [shop.example.com]
      policy: { engines: { api_key: { keys: [${keys}] }${more} } }
`;
const item = () => `/api/v3/shield/policies/shop?project=${t.project}`;

async function recordOf(work: () => ReturnType<TestController['owner']['call']>) {
  const answer = await work();
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  const [entry] = await readEntries(t, answer.headers['x-request-id']);
  return entry?.changes as { diff: object[]; total: number };
}

it('the audit entry of a policy change lists the differences and none of the keys', async () => {
  const list = `/api/v3/shield/policies?project=${t.project}`;
  const made = await recordOf(() => t.owner.call('POST', list, { name: 'shop', text: policy('ann') }));
  expect(made).toMatchObject({ revision: 1, total: 1, diff: [{ path: '', change: 'added' }] });
  const limit = ', rate_limit: { key: ip, requests_per_second: 5 }';
  const keys = `{ sha256: "${DIGEST}", subject: bob }, { key: ${RAW}-2, subject: eve }`;
  const text = policy('', limit, keys);
  const changed = await recordOf(() => t.owner.call('PUT', item(), { text, description: 'of bob' }));
  const engines = 'document.spec.domains[0].policy.engines';
  expect(changed).toMatchObject({
    revision: 2,
    total: 4,
    diff: [
      { path: 'description', change: 'changed', before: null, after: 'of bob' },
      { path: `${engines}.api_key.keys[0].subject`, change: 'changed', before: 'ann', after: 'bob' },
      { path: `${engines}.api_key.keys[1]`, change: 'added', after: { sha256: '[secret]', subject: 'eve' } },
      { path: `${engines}.rate_limit`, change: 'added', after: { key: 'ip', requests_per_second: 5 } },
    ],
  });
  const other = text.replace(DIGEST, 'b'.repeat(64));
  const rotated = await recordOf(() => t.owner.call('PATCH', item(), { text: other }));
  expect(rotated.diff).toEqual([
    { path: `${engines}.api_key.keys[0].sha256`, change: 'changed', before: '[secret]', after: '[secret]' },
  ]);
  const back = await recordOf(() =>
    t.owner.call('POST', `/api/v3/shield/policies/shop/restore?project=${t.project}`, { revision: 1 }),
  );
  expect(back.total).toBe(5);
  for (const secret of [RAW, DIGEST, 'bbbb'])
    expect(JSON.stringify([made, changed, rotated, back])).not.toContain(secret);
});

it('a change of only a comment is recorded by its digest', async () => {
  const { body } = await t.owner.call('GET', item());
  const text = body.text.replace('# of the shop', '# of the other shop');
  const record = await recordOf(() => t.owner.call('PATCH', item(), { text }));
  expect(record).toMatchObject({ diff: [], total: 0, digest: { before: body.digest } });
});
