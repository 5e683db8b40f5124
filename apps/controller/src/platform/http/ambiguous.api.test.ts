import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../testing/controller.ts';

/** The controller refuses ambiguous input instead of choosing a meaning. */
let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t?.close());

it('a repeated parameter is refused as such, whatever its values are', async () => {
  const twice = { rule: 'repeated', message: 'is given more than once, and can be given once' };
  const other = await t.createProject('twice');
  const clients = `/api/op/clients?project=${t.project}`;
  for (const [url, path] of [
    [`${clients}&project=${other}`, 'project'],
    [`${clients}&project=${t.project}`, 'project'],
    [`/api/v3/audit/logs?project=${t.project}&project=${other}`, 'project'],
    [`/api/v3/custom/available_versions?project=${t.project}&project=${other}`, 'project'],
    [`${clients}&limit=2&limit=2`, 'limit'],
    [`${clients}&with_total=true&with_total=false`, 'with_total'],
    [`${clients}&q=a&q=b`, 'q'],
    [`/api/v3/shield/events?project=${t.project}&source_ip=192.0.2.1&source_ip=192.0.2.2`, 'source_ip'],
  ] as const) {
    const { status, body } = await t.owner.call('GET', url);
    expect([status, body.code, body.details], url).toEqual([400, 'request.invalid', [{ path, ...twice }]]);
  }
  expect((await t.owner.call('GET', `${clients}&status=Live&status=Offline`)).status).toBe(200);
  const word = await t.owner.call('GET', `${clients}&status=Live&status=live`);
  expect(word.body.details).toMatchObject([{ path: 'status[1]', rule: 'invalid_value' }]);
});

it.each(['{"name": "a", "description": null, "name": "b"}', '{"name": "a", "na\\u006de": "b", "description": null}'])(
  'an object with a repeated member is malformed: %s',
  async (payload) => {
    const headers = { authorization: `Bearer ${t.owner.token}`, 'content-type': 'application/json' };
    const answer = await t.app.inject({ method: 'POST', url: '/api/v3/setting/projects', headers, payload });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      code: 'request.malformed',
      message: expect.stringContaining('an object has the member "name" twice'),
    });
  },
);
