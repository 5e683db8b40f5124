import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { TEST_VERSION } from '../../../test-fleet.ts';
import { fetchFile } from '../test-restore.ts';
import { stageProjects } from '../test-stage.ts';

const here = stageProjects({ documents: true });

const UNNAMED =
  'they stay away, and this backup, of an earlier version, does not name them: look them up where it was made';
const ABSENT = new Set(['clients', 'clients of services', 'tokens']);
const absentOf = (planned: { not_taken: { kind: string; count: number; reason: string }[] }) =>
  planned.not_taken.filter(({ kind }) => ABSENT.has(kind));

/** A service on two clients, an API token, and the tokens of zones and of discovery. */
async function fill() {
  const clients = await Promise.all(['edge-2', 'edge-1'].map((name) => here.t.createClient(name, here.project)));
  const service = { name: 'shop', version: TEST_VERSION, bootstrap: 'boot', listeners: ['web'] };
  await here.ask('POST', '/api/op/services', { ...service, clients: clients.map((client_id) => ({ client_id })) });
  const { token } = await here.ask('POST', '/api/v3/setting/tokens', { name: 'deploy', role: 'editor' });
  await here.ask('POST', '/api/v3/setting/zone-secrets', { zone: 'a.example' });
  return { clients, token: String(token) };
}

it('a plan names what does not come back, with what to do about it, and no secret of it is in the backup', async () => {
  const { token } = await fill();
  const { id: backup } = await here.makeBackup({ secret_free: true });
  const { there, far } = await here.createFar();
  const carried = await here.carry(backup, far);
  const planned = await here.plan({ backup: carried }, { of: far });
  expect(absentOf(planned)).toEqual([
    { kind: 'clients', count: 2, reason: 'a machine comes back by enrolling in this project: edge-1, edge-2' },
    {
      kind: 'clients of services',
      count: 1,
      reason: 'services that are made anew run nowhere until they are given clients: shop (edge-1, edge-2)',
    },
    {
      kind: 'tokens',
      count: 2,
      reason: 'a backup of a project has no secrets of tokens, make new ones: deploy, zone a.example',
    },
  ]);
  const file = await fetchFile(here.t, here.owner, here.query, backup);
  expect(file.includes(Buffer.from(token))).toBe(false);
  const done = await here.restore({ backup: carried, digest: planned.digest }, { of: far });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  const db = here.t.database.owner;
  for (const table of ['clients', 'api_tokens', 'service_tokens'] as const)
    expect(await db.selectFrom(table).select('id').where('project_id', '=', there).execute(), table).toEqual([]);
});

it('what is here still is not named, nor are the clients of a service that keeps them', async () => {
  const { clients } = await fill();
  const { id: backup } = await here.makeBackup({});
  expect(absentOf(await here.plan({ backup }))).toEqual([]);
  await here.t.database.owner
    .deleteFrom('service_targets')
    .where('client_id', '=', clients[0] ?? '')
    .execute();
  await here.t.database.owner
    .deleteFrom('clients')
    .where('id', '=', clients[0] ?? '')
    .execute();
  await here.t.database.owner.deleteFrom('api_tokens').where('project_id', '=', here.project).execute();
  expect(absentOf(await here.plan({ backup })).map(({ kind, reason }) => [kind, reason.split(': ')[1]])).toEqual([
    ['clients', 'edge-2'],
    ['tokens', 'deploy'],
  ]);
});

it('a backup of before these names were in it says that it has none', async () => {
  const planned = await here.plan({ backup: await here.forge({}) });
  expect(absentOf(planned)).toEqual([
    { kind: 'clients', count: 0, reason: UNNAMED },
    { kind: 'tokens', count: 0, reason: UNNAMED },
  ]);
});
