import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../test-fleet.ts';

/** An address that a controller has named is one to call: with the project and the version that it needs. */
let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
}, 60_000);
afterAll(() => t?.close());

it('whoever goes to where a new record is said to be finds it there', async () => {
  const admin = await t.createMember('admin');
  const secret = { generic_secret: { secret: { inline_string: 'x' } } };
  const password = 'wL9v2nTq0xYbEoHj';
  const memberships = [{ project: t.project, role: 'viewer' }];
  const auth = {
    auth_url: 'https://k.example/v3',
    application_credential_id: 'i',
    application_credential_secret: 's',
  };
  for (const [path, body, name] of [
    ['/api/v3/setting/groups', { name: 'night' }, 'name'],
    ['/api/v3/setting/tokens', { name: 'robot', role: 'viewer' }, 'name'],
    ['/api/v3/setting/users', { username: 'newcomer', password, memberships }, 'username'],
    ['/api/v3/setting/clouds/www', { auth, region_name: 'n' }, 'name'],
    ['/api/v3/xds/secrets', { name: 'marker', version: TEST_VERSION, resource: secret }, 'name'],
  ] as const) {
    const made = await admin.call('POST', `${path}?project=${t.project}`, body);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const location = String(made.headers.location);
    const found = await admin.call('GET', location);
    expect([found.status, found.body[name]], location).toEqual([200, made.body[name]]);
    // Once, and once more where the answer was stored.
    expect(new URL(location, 'http://controller.example').searchParams.getAll('project'), location).toEqual([
      t.project,
    ]);
  }
});

it('a thing of no project is named without one', async () => {
  const made = await t.owner.call('POST', '/api/v3/setting/projects', { name: 'elsewhere' });
  expect(made.headers.location).toBe(`/api/v3/setting/project/${made.body.id}`);
});
