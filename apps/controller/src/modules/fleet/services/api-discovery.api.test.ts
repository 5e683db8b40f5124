import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFleet, type TestFleet } from '../../../testing/fleet.ts';
import { toNodeInput } from '../snapshots/node-input.ts';
import { listServiceNodes } from './index.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t?.close());

const url = (path = '', query = '') => `/api/op/services${path}?project=${t.project}${query}`;
const document = (name: string, more: object = {}) => ({
  name,
  version: '1.40.0',
  bootstrap: 'boot',
  listeners: ['web'],
  ...more,
});

describe('API discovery of a service', () => {
  it('is off until somebody turns it on', async () => {
    const { body } = await t.owner.call('POST', url(), document('quiet'));
    expect(body.api_discovery).toBe(false);
    const patched = await t.owner.call('PATCH', url(`/${body.id}`), { api_discovery: true });
    expect(patched.body).toMatchObject({ api_discovery: true, revision: 2 });
    const replaced = await t.owner.call('PUT', url(`/${body.id}`), document('quiet'));
    expect(replaced.body).toMatchObject({ api_discovery: false, revision: 3 });
    const wrong = await t.owner.call('PATCH', url(`/${body.id}`), { api_discovery: 'yes' });
    expect(wrong.body.code).toBe('request.invalid');
  });

  it('is in the history, from which it is restored', async () => {
    const { body } = await t.owner.call('POST', url(), document('restored', { api_discovery: true }));
    await t.owner.call('PATCH', url(`/${body.id}`), { api_discovery: false });
    const restored = await t.owner.call('POST', url(`/${body.id}/restore`), { revision: 1 });
    expect(restored.body, JSON.stringify(restored.body)).toMatchObject({ api_discovery: true });
  });

  it('is shown as a difference by a dry run', async () => {
    const { body } = await t.owner.call('POST', url(), document('planned'));
    const planned = await t.owner.call('PATCH', url(`/${body.id}`, '&dry_run=true'), { api_discovery: true });
    expect(planned.body.diff).toEqual([expect.objectContaining({ path: 'api_discovery' })]);
    expect((await t.owner.call('GET', url(`/${body.id}`))).body.api_discovery).toBe(false);
  });

  it('gives its nodes the access log with the socket of their agent', async () => {
    const client = await t.createClient('edge');
    const { body } = await t.owner.call('POST', url(), document('logged', { clients: [{ client_id: client }] }));
    const inputOf = async () => {
      const [node] = await listServiceNodes(t.database.db, { serviceId: body.id, includeListed: true });
      if (!node) throw new Error('no node');
      return toNodeInput(node, undefined);
    };
    expect((await inputOf()).accessLogSocket).toBeUndefined();
    await t.owner.call('PATCH', url(`/${body.id}`), { api_discovery: true });
    expect((await inputOf()).accessLogSocket).toMatch(/\/als\.sock$/);
  });
});
