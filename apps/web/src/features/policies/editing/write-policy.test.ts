import { afterEach, expect, it, vi } from 'vitest';
import { writePolicy } from './write-policy.ts';

afterEach(() => vi.unstubAllGlobals());

const CONTENT = { text: 'kind: SecurityPolicy', description: '', files: [] };

function answerWith(etag: string) {
  const fetched = vi.fn<typeof fetch>(async () => Response.json({ name: 'a', revision: 4 }, { headers: { etag } }));
  vi.stubGlobal('fetch', fetched);
  return () => {
    const [url, init] = fetched.mock.calls.at(-1) ?? [];
    return [init?.method, String(url).split('?', 1)[0], new Headers(init?.headers).get('if-match')];
  };
}

it('a policy is replaced with the ETag that it was read with, and the answer has the next ETag', async () => {
  const asked = answerWith('"4.0123456789ab"');
  const target = { project: 'p', name: 'a', ifMatch: '"3.0123456789ab"' };
  const { etag } = await writePolicy(target, CONTENT, { dryRun: false });
  expect(asked()).toEqual(['PUT', '/api/v3/shield/policies/a', '"3.0123456789ab"']);
  expect(etag).toBe('"4.0123456789ab"');
});

it('a policy without an ETag is created', async () => {
  const asked = answerWith('"1.0123456789ab"');
  await writePolicy({ project: 'p', name: 'a', ifMatch: undefined }, CONTENT, { dryRun: false });
  expect(asked()).toEqual(['POST', '/api/v3/shield/policies', null]);
});
