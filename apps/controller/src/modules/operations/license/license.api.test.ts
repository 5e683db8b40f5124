import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';

const URL = '/api/v3/setting/license';
let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

it('everybody in a project learns that no licence is needed, with the clients of that project only', async () => {
  const viewer = await t.createMember('viewer');
  const { body } = await viewer.call('GET', `${URL}?project=${t.project}`);
  expect(body).toMatchObject({ valid: true, plan: 'community', client_limit: 0, current_clients: 0, offline: true });
  // Members that API clients look for, without a value.
  expect(body).toMatchObject({ license_key: null, api_key_configured: false, last_checked_at: null, last_error: null });
  expect((await viewer.call('GET', URL)).body.code).toBe('project.missing');
});

it('a submitted key is accepted, and stored nowhere', async () => {
  const answer = await t.owner.call('POST', `${URL}/activate`, { license_key: 'KEY-9137', api_key: 'API-9137' });
  expect(answer).toMatchObject({ status: 200, body: { reason: 'no licence is needed' } });
  expect(JSON.stringify(answer)).not.toContain('9137');
  const records = await t.database.db
    .selectFrom('audit_log')
    .selectAll()
    .where('action', '=', 'license.activate')
    .execute();
  expect(records).toHaveLength(1);
  expect(JSON.stringify(records)).not.toContain('9137');
  expect((await t.owner.call('POST', `${URL}/check`)).body.valid).toBe(true);
  expect((await t.owner.call('DELETE', URL)).status).toBe(204);
});
