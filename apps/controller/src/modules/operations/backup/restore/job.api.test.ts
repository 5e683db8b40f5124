import { formatNodeId } from '@flotilla/proto';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { openController } from '../../../../testing/controller.ts';
import { TEST_FLEET_ENV, TEST_VERSION } from '../../../../testing/fleet.ts';
import { lockDocuments } from '../../../configuration/documents/index.ts';
import { BASE, endOfRestore } from '../testing/restore.ts';
import { stageProjects } from '../testing/stage.ts';

const WAIT = { interval: 20 };

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

/** While `work` runs, no restore point can be recorded, so that running jobs wait before their writes. */
async function beforeWrites(work: () => Promise<void>): Promise<void> {
  await here.t.database.owner.transaction().execute(async (tx) => {
    await sql`lock table backups in share mode`.execute(tx);
    await work();
  });
}

/** Returns the PostgreSQL process that waits for the lock of the documents. */
async function findWaitingBackend(): Promise<number> {
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

it('a restore whose worker dies during its writes has no effect, and the next worker completes it once', async () => {
  const { id: backup } = await here.makeBackup({}, { by: here.admin });
  await setPort(18_500);
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun: Parameters<typeof endOfRestore>[2] | undefined;
  let holding: Promise<void> | undefined;
  await beforeWrites(async () => {
    begun = (await begin(backup)).body;
    holding = here.t.database.db.transaction().execute(async (tx) => {
      await lockDocuments(tx, { project: here.project, version: TEST_VERSION });
      locked.resolve();
      await released.promise;
    });
    await locked.promise;
  });
  if (!begun) throw new Error('the restore was not started');
  await sql`select pg_terminate_backend(${await findWaitingBackend()})`.execute(here.t.database.owner);
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

it('a second restore of a project is refused until the first has ended', async () => {
  const { id: backup } = await here.makeBackup({}, { by: here.admin });
  await setPort(18_500);
  let first: Parameters<typeof endOfRestore>[2] | undefined;
  await beforeWrites(async () => {
    first = (await begin(backup)).body;
    const second = await begin(backup);
    expect([second.status, second.body.code]).toEqual([409, 'job.busy']);
  });
  if (!first) throw new Error('the restore was not started');
  expect((await endOfRestore(here.admin, here.query, first)).job.status).toBe('done');
  await setPort(18_600);
  const again = await here.restore(order(backup), { by: here.admin });
  expect(again.job.status).toBe('done');
  expect(await portOf()).toBe(18_000);
});

it('a restore that is refused after its request was accepted writes nothing, reports the reason and is not retried', async () => {
  const { id: backup } = await here.makeBackup({}, { by: here.admin });
  await here.send('DELETE', documentsPath('listeners', 'web'), undefined, { more: `&version=${TEST_VERSION}` });
  let begun: Parameters<typeof endOfRestore>[2] | undefined;
  await beforeWrites(async () => {
    begun = (await begin(backup)).body;
    // Gives a document another type: a restore cannot change the type of a document.
    await here.t.database.owner
      .updateTable('documents')
      .set({ type: 'envoy.config.core.v3.Node' })
      .where('project_id', '=', here.project)
      .where('collection', '=', 'bootstrap')
      .execute();
  });
  if (!begun) throw new Error('the restore was not started');
  const { job, body } = await endOfRestore(here.admin, here.query, begun);
  expect([job.status, job.error.code]).toEqual(['failed', 'document.identity']);
  expect([body.summary, body.ended_at]).toEqual([null, null]);
  const gone = await here.owner.call('GET', documentsUrl('listeners', 'web'));
  expect(gone.status).toBe(404);
});

it('a restore checks the role of its creator again and fails for a former admin', async () => {
  const { id: backup } = await here.makeBackup({}, { by: here.admin });
  await setPort(18_500);
  let begun: Parameters<typeof endOfRestore>[2] | undefined;
  await beforeWrites(async () => {
    begun = (await begin(backup)).body;
    await here.t.database.owner
      .updateTable('memberships')
      .set({ role: 'viewer' })
      .where('user_id', '=', here.admin.userId)
      .where('project_id', '=', here.project)
      .execute();
  });
  if (!begun) throw new Error('the restore was not started');
  const { job } = await endOfRestore(here.owner, here.query, begun);
  expect([job.status, job.error.code]).toEqual(['failed', 'job.forbidden']);
  expect(await portOf()).toBe(18_500);
});

it('a restore by an admin refuses documents that only owners may write, and so does its dry run', async () => {
  const pipe = { address: { pipe: { path: '/run/flotilla/host.sock' } } };
  const cluster = {
    name: 'host',
    version: TEST_VERSION,
    resource: {
      type: 'STATIC',
      load_assignment: { cluster_name: 'host', endpoints: [{ lb_endpoints: [{ endpoint: pipe }] }] },
    },
  };
  const created = await here.owner.call('POST', `/api/v3/xds/clusters${here.query}`, cluster);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  const { id: backup } = await here.makeBackup({}, { by: here.admin });
  await here.owner.call('DELETE', documentsUrl('clusters', 'host'));
  const preview = await here.dryRun(order(backup), { by: here.admin });
  expect([preview.counts.refused, preview.results[0].name]).toEqual([1, `${TEST_VERSION}/clusters/host`]);
  expect((await begin(backup)).status).toBe(403);
  const done = await here.restore(order(backup));
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
});

it('a restore from the oldest restore point keeps that restore point', async () => {
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

it('a restore updates the snapshots of running services', async () => {
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

it('a restore runs on the controller that has the file, even if another takes the job first', async () => {
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

it('a restore does not store or return its passphrase', async () => {
  const passphrase = 'a passphrase for the restore';
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
