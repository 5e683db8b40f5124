import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRestrictedWorld, type RestrictedWorld } from '../../identity/permissions/testing/listed-world.ts';
import { applyBatches } from '../inventory/index.ts';
import { createDelta } from '../inventory/testing/deltas.ts';
import { createSample } from './testing/sample.ts';

const ROOT = '/api/v3/inventory';
let w: RestrictedWorld;
let documentId: string;

beforeAll(async () => {
  w = await createRestrictedWorld();
  const { db } = w.t.database;
  const project = w.t.project;
  for (const [sequence, { service, client }] of [w.shown, w.hidden].entries()) {
    const name = service === w.shown.service ? 'shown' : 'hush';
    const deltas = [createDelta(`GET www.example/${name}`, { services: [service], clients: [client] })];
    const batch = { projectId: project, clientId: client, serviceId: service, epoch: 'one', sequence: sequence + 1 };
    await applyBatches(db, [{ ...batch, deltas, now: new Date() }]);
  }
  const make = async () => ({});
  ({ document_id: documentId = '' } = await createSample({ db: w.t.database.owner, project, marker: 'doc', make }));
}, 120_000);
afterAll(() => w?.t.close());

it.each([
  '/documents/differences?kind=undocumented&kind=unused',
  '/documents/scope-preview?host_prefix=www.example',
  '/ownership/teams?',
  '/ownership/operations?',
])('a member of a restricted project sees in %s only operations of services that permissions name', async (path) => {
  const { status, body } = await w.editor.call('GET', `${ROOT}${path}&project=${w.t.project}`);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(JSON.stringify(body)).not.toContain('hush');
  expect(body.operation_count ?? body.items.length).toBe(1);
});

it.each(['/documents/{id}/patch?format=json', '/ownership/export?'])(
  'a download of %s has only these operations, too',
  async (path) => {
    const url = `${ROOT}${path.replace('{id}', documentId)}&project=${w.t.project}`;
    const answer = await w.t.app.inject({ url, headers: { authorization: `Bearer ${w.editor.token}` } });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('shown');
    expect(answer.body).not.toContain('hush');
  },
);

it('nothing is called unused by a member who does not see everything', async () => {
  const url = `${ROOT}/documents/differences?kind=unused&project=${w.t.project}`;
  expect((await w.editor.call('GET', url)).body).toMatchObject({ items: [], restricted: true, counts: { unused: 0 } });
  expect((await w.admin.call('GET', url)).body).toMatchObject({ restricted: false, counts: { unused: 1 } });
});
