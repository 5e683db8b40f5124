import { formatNodeId } from '@flotilla/proto';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { openController } from '../../../../testing/controller.ts';
import { TEST_FLEET_ENV, TEST_VERSION } from '../../../../testing/fleet.ts';
import { lockDocuments } from '../../../configuration/documents/index.ts';
import { BASE, endOfRestore } from '../testing/restore.ts';
import { stageProjects } from '../testing/stage.ts';

const WAIT = { timeout: 30_000, interval: 20 };

const here = stageProjects({ documents: true });

const documentsPath = (collection: string, name: string) => `/api/v3/xds/${collection}/${name}`;
const documentsUrl = (collection: string, name: string) =>
  `${documentsPath(collection, name)}${here.query}&version=${TEST_VERSION}`;
const listener = (port: number) => ({
  resource: { address: { socket_address: { address: '127.0.0.1', port_value: port } } },
});
const setPort = async (port: number) =>
  expect((await here.owner.call('PUT', documentsUrl('listeners', 'web'), listener(port))).status).toBe(200);
const portOf = async () =>
  (await here.owner.call('GET', documentsUrl('listeners', 'web'))).body.resource.address.socket_address.port_value;
const countPoints = async () =>
  (await here.admin.call('GET', `${BASE}/backups${here.query}`)).body.items.filter(
    ({ origin }: { origin: string }) => origin === 'restore_point',
  ).length;
const order = (backup: string) => ({ backup, on_conflict: 'replace' });
const begin = async (backup: string) => here.admin.call('POST', `${BASE}/backup/import${here.query}`, order(backup));

/** While `work` runs, no restore point can be noted: jobs that have begun stay before their writes. */
async function beforeTheirWrites(work: () => Promise<void>): Promise<void> {
  await here.t.database.owner.transaction().execute(async (tx) => {
    await sql`lock table backups in share mode`.execute(tx);
    await work();
  });
}

/** The backend of whoever waits for the documents of the project. */
async function findWaiting(): Promise<number> {
  return vi.waitFor(async () => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`.execute(
      here.t.database.owner,
    );
    expect(rows).toHaveLength(1);
    return rows[0]?.pid ?? 0;
  }, WAIT);
}

it('whose worker dies in the middle of its writes leaves nothing of them, and is done once by whoever comes next', async () => {
  const { id: backup } = await here.makeBackup({}, { by: here.admin });
  await setPort(18_500);
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun: Parameters<typeof endOfRestore>[2] | undefined;
  let holding: Promise<void> | undefined;
  await beforeTheirWrites(async () => {
    begun = (await begin(backup)).body;
    holding = here.t.database.db.transaction().execute(async (tx) => {
      await lockDocuments(tx, { project: here.project, version: TEST_VERSION });
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
  });
  if (!begun) throw new Error('it has begun');
  await sql`select pg_terminate_backend(${await findWaiting()})`.execute(here.t.database.owner);
  await vi.waitFor(async () => {
    const { rows } = await sql`select from job_events e join jobs j on j.id = e.job_id
      where j.project_id = ${here.project} and e.kind = 'retry'`.execute(here.t.database.owner);
    expect(rows.length).toBeGreaterThan(0);
  }, WAIT);
  expect(await portOf()).toBe(18_500);
  released.resolve();
  await holding;
  const { job, body } = await endOfRestore(here.admin, here.query, begun);
  expect(job.status, JSON.stringify(job)).toBe('done');
  expect(body.summary.counts).toMatchObject({ refused: 0, changed: 1 });
  expect(await portOf()).toBe(18_000);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from audit_log
    where project_id = ${here.project} and action = 'backup.restore'`.execute(here.t.database.owner);
  expect(rows[0]?.count).toBe(1);
});

it('of two in one project the second is refused, and may come when the first has ended', async () => {
  const { id: backup } = await here.makeBackup({}, { by: here.admin });
  await setPort(18_500);
  let first: Parameters<typeof endOfRestore>[2] | undefined;
  await beforeTheirWrites(async () => {
    first = (await begin(backup)).body;
    const second = await begin(backup);
    expect([second.status, second.body.code]).toEqual([409, 'job.busy']);
  });
  if (!first) throw new Error('it has begun');
  expect((await endOfRestore(here.admin, here.query, first)).job.status).toBe('done');
  await setPort(18_600);
  const again = await here.restore(order(backup), { by: here.admin });
  expect(again.job.status).toBe('done');
  expect(await portOf()).toBe(18_000);
});

it('writes nothing where something is refused that was not when it was asked for, says so, and is not tried again', async () => {
  const { id: backup } = await here.makeBackup({}, { by: here.admin });
  await here.ask('DELETE', documentsPath('listeners', 'web'), undefined, { more: `&version=${TEST_VERSION}` });
  let begun: Parameters<typeof endOfRestore>[2] | undefined;
  await beforeTheirWrites(async () => {
    begun = (await begin(backup)).body;
    // Another type of the same name: documents keep their type.
    await here.t.database.owner
      .updateTable('documents')
      .set({ type: 'envoy.config.core.v3.Node' })
      .where('project_id', '=', here.project)
      .where('collection', '=', 'bootstrap')
      .execute();
  });
  if (!begun) throw new Error('it has begun');
  const { job, body } = await endOfRestore(here.admin, here.query, begun);
  expect([job.status, job.error.code]).toEqual(['failed', 'document.identity']);
  expect([body.summary, body.ended_at]).toEqual([null, null]);
  const gone = await here.owner.call('GET', documentsUrl('listeners', 'web'));
  expect(gone.status).toBe(404);
});

it('asks again what its person may do: who is no admin any more restores nothing', async () => {
  const { id: backup } = await here.makeBackup({}, { by: here.admin });
  await setPort(18_500);
  let begun: Parameters<typeof endOfRestore>[2] | undefined;
  await beforeTheirWrites(async () => {
    begun = (await begin(backup)).body;
    await here.t.database.owner
      .updateTable('memberships')
      .set({ role: 'viewer' })
      .where('user_id', '=', here.admin.userId)
      .where('project_id', '=', here.project)
      .execute();
  });
  if (!begun) throw new Error('it has begun');
  const { job } = await endOfRestore(here.owner, here.query, begun);
  expect([job.status, job.error.code]).toEqual(['failed', 'job.forbidden']);
  expect(await portOf()).toBe(18_500);
});

it('of an admin takes no document that only owners may write, as the dry run says', async () => {
  const pipe = { address: { pipe: { path: '/run/flotilla/host.sock' } } };
  const cluster = {
    name: 'host',
    version: TEST_VERSION,
    resource: {
      type: 'STATIC',
      load_assignment: { cluster_name: 'host', endpoints: [{ lb_endpoints: [{ endpoint: pipe }] }] },
    },
  };
  const made = await here.owner.call('POST', `/api/v3/xds/clusters${here.query}`, cluster);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { id: backup } = await here.makeBackup({}, { by: here.admin });
  await here.owner.call('DELETE', documentsUrl('clusters', 'host'));
  const preview = await here.dryRun(order(backup), { by: here.admin });
  expect([preview.counts.refused, preview.results[0].name]).toEqual([1, `${TEST_VERSION}/clusters/host`]);
  expect((await begin(backup)).status).toBe(403);
  const done = await here.restore(order(backup));
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
});

it('keeps the restore point that it restores from, though it is the oldest of those that are kept', async () => {
  const { id: backup } = await here.makeBackup({}, { by: here.admin });
  const points: string[] = [];
  for (let i = 0; i < 5; i += 1)
    points.push((await here.restore(order(backup), { by: here.admin })).body.restore_point);
  expect(new Set(points).size).toBe(5);
  const [oldest = ''] = points;
  await setPort(18_500);
  const back = await here.restore(order(oldest), { by: here.admin });
  expect(back.job.status, JSON.stringify(back.job)).toBe('done');
  expect(await portOf()).toBe(18_000);
  expect(await countPoints()).toBe(6);
});

it('is followed by what it says at the proxies: the snapshot of a running service is the restored one', async () => {
  const own = `?project=${here.t.project}`;
  const clientId = await here.t.createClient();
  const service = await here.t.createService({ clients: [{ client_id: clientId, addresses: ['127.0.0.1'] }] });
  const node = formatNodeId({ service: service.name, project: here.t.project, clientId });
  const snapshot = async () =>
    JSON.stringify((await here.owner.call('GET', `/api/v3/bridge/nodes/${encodeURIComponent(node)}/snapshot`)).body);
  await vi.waitFor(async () => expect(await snapshot()).toContain('18000'), WAIT);
  const { id: backup } = await here.makeBackup({}, { of: own });
  const url = `/api/v3/xds/listeners/web${own}&version=${TEST_VERSION}`;
  expect((await here.owner.call('PUT', url, listener(18_900))).status).toBe(200);
  await vi.waitFor(async () => expect(await snapshot()).toContain('18900'), WAIT);
  const done = await here.restore(order(backup), { of: own });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  await vi.waitFor(async () => expect(await snapshot()).toContain('18000'), WAIT);
});

it('is done by the controller that has the file, whichever takes the job first', async () => {
  const { id: backup } = await here.makeBackup({}, { by: here.admin });
  const other = await openController(here.t.database, TEST_FLEET_ENV);
  try {
    for (let i = 0; i < 6; i += 1) {
      const { job } = await here.restore(order(backup), { by: here.admin });
      expect(job.status, JSON.stringify(job)).toBe('done');
    }
  } finally {
    await other.close();
  }
});

it('shows its pass phrase nowhere', async () => {
  const passphrase = 'what the sea keeps to itself';
  const { id: backup } = await here.makeBackup({ passphrase });
  await here.dryRun({ ...order(backup), passphrase });
  const done = await here.restore({ ...order(backup), passphrase });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  const rows = [
    await here.t.database.owner.selectFrom('jobs').selectAll().where('project_id', '=', here.project).execute(),
    await here.t.database.owner.selectFrom('audit_log').selectAll().where('project_id', '=', here.project).execute(),
    await here.t.database.owner.selectFrom('restores').selectAll().execute(),
  ];
  expect(JSON.stringify([rows, done])).not.toContain(passphrase);
});
