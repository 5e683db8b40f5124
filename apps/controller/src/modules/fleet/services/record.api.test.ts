import { afterAll, beforeAll, expect, it } from 'vitest';
import { readEntries } from '../../../platform/http/testing/record.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t?.close());

async function recordOf(method: string, path: string, body: object) {
  const answer = await t.owner.call(method, `/api/op/services${path}?project=${t.project}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  const [entry] = await readEntries(t, answer.headers['x-request-id']);
  return { id: answer.body.id as string, changes: entry?.changes };
}

it('the audit entry of a service change lists the differences of the document', async () => {
  const client = await t.createClient();
  const document = { name: 'shop', version: TEST_VERSION, bootstrap: 'boot', listeners: ['web'] };
  const made = await recordOf('POST', '', document);
  expect(made.changes).toMatchObject({
    revision: 1,
    total: 1,
    diff: [{ path: '', change: 'added', after: { name: 'shop', listeners: ['web'], clients: [] } }],
  });
  const clients = [{ client_id: client, addresses: ['127.0.0.1'] }];
  const changed = await recordOf('PATCH', `/${made.id}`, { clients, shield: { threads: 2 } });
  expect(changed.changes).toEqual({
    revision: 2,
    version: TEST_VERSION,
    clients: 1,
    total: 2,
    diff: [
      { path: 'shield.threads', change: 'changed', before: 1, after: 2 },
      { path: 'clients[0]', change: 'added', after: clients[0] },
    ],
  });
  const replaced = await recordOf('PUT', `/${made.id}`, { ...document, name: 'store', clients });
  expect(replaced.changes).toMatchObject({
    total: 2,
    diff: [
      { path: 'name', change: 'changed', before: 'shop', after: 'store' },
      { path: 'shield.threads', change: 'changed', before: 2, after: 1 },
    ],
  });
  const back = await recordOf('POST', `/${made.id}/restore`, { revision: 2 });
  expect(back.changes).toMatchObject({ revision: 4, total: 2 });
});
