import { ADMINS } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import * as z from 'zod';
import { describeHost } from '../../modules/edge/ha/testing/ha-fleet.ts';
import { memberReport, sendReport } from '../../modules/edge/ha/testing/reports.ts';
import type { JobType } from '../../platform/jobs/index.ts';
import { addDocuments, TEST_VERSION, type TestFleet } from '../fleet.ts';
import { createSamples } from './sample.ts';

/** A job type that ends at once. */
export const WORK: JobType<Record<string, never>> = {
  type: 'test.tenant',
  title: 'A job of a project',
  params: z.strictObject({}),
  route: { access: { kind: 'roles', roles: ADMINS }, family: 'jobs' },
  steps: [{ name: 'only', effects: 'repeatable', run: async () => ({ kind: 'done' }) }],
};

/** A project with one of everything, under the same names in each. */
export interface TestTenant {
  readonly project: string;
  /** The id of each resource by path parameter. */
  readonly ids: Readonly<Record<string, string>>;
  /** Part of every description. */
  readonly marker: string;
}

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: NAME }
spec:
  domains:
    - hosts: [www.example.com]
      policy: { engines: { rate_limit: { requests_per_second: 5 } } }
`;

/** `more`: names that only this project has. */
export async function fillProject(
  t: TestFleet,
  project: string,
  marker: string,
  more: readonly string[] = [],
): Promise<TestTenant> {
  const { owner } = t;
  const make = async (method: string, path: string, body: unknown) => {
    const url = `${path}?project=${project}`;
    const answer = await owner.call(method, url, body);
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  if (project !== t.project) await addDocuments(t, project);
  const auth = { auth_url: 'https://keystone.example:5000/v3', application_credential_id: marker };
  for (const name of ['www', ...more]) {
    const resource = { generic_secret: { secret: { inline_string: marker } } };
    await make('POST', '/api/v3/xds/secrets', { name, version: TEST_VERSION, description: marker, resource });
    await make('POST', '/api/v3/shield/policies', { name, description: marker, text: POLICY.replace('NAME', name) });
    await make('PUT', `/api/v3/setting/documents/cloud/${name}`, {
      auth: { ...auth, application_credential_secret: marker },
      region_name: marker,
    });
    await make('POST', '/api/v3/setting/zone-secrets', { zone: name });
  }
  const member = await t.createMember('editor', project);
  const samples = await createSamples({ db: t.database.db, project, marker, make });
  await make('PUT', `/api/v3/setting/groups/${samples.group_id}/members/${member.userId}`, {});
  const enrolment = await make('POST', '/api/v3/setting/enrolment-tokens', { note: marker });
  const client = await t.createClient('edge', project);
  const service = await make('POST', '/api/op/services', {
    name: 'shop',
    version: TEST_VERSION,
    bootstrap: 'boot',
    listeners: ['web'],
    policies: ['www'],
  });
  await (await t.connect(client)).settled();
  const pair = await makePair(t, project, make);
  const order = { type: 'CLIENT_STATS', clients: [{ client_id: client }] };
  const command = (await owner.call('POST', '/api/op/clients', order)).body.results[0];
  const schedule = await make('POST', '/api/v3/jobs/schedules', {
    name: 'yearly',
    type: WORK.type,
    cron: '0 3 1 1 *',
    params: {},
  });
  const job = await t.database.db.transaction().execute((tx) =>
    t.controller.jobs.enqueue(tx, WORK, {
      params: {},
      project,
      actor: { kind: 'user', id: owner.userId, name: owner.username },
    }),
  );
  const backup = await make('POST', '/api/v3/setting/maintenance/backup/export', {
    secret_free: true,
    description: marker,
  });
  const cleaned = await cleanUpOld(t, project, marker);
  const restore = createId();
  await t.database.db
    .insertInto('restores')
    .values({
      id: restore,
      project_id: project,
      backup_id: backup.backup.id,
      created_at: new Date(),
      created_by: marker,
    })
    .execute();
  const invitation = createId();
  await t.database.db
    .insertInto('invitations')
    .values({
      id: invitation,
      project_id: project,
      username: marker,
      user_id: null,
      role: 'viewer',
      invited_by: owner.userId,
      created_at: new Date(),
      expires_at: new Date(Date.now() + 3_600_000),
    })
    .execute();
  const alert = createId();
  await t.database.db
    .insertInto('alerts')
    .values({
      id: alert,
      project_id: project,
      rule_id: samples.rule_id ?? null,
      rule_name: marker,
      condition: 'client_offline',
      severity: 'warning',
      fingerprint: marker,
      state: 'firing',
      subject_kind: 'project',
      subject_id: null,
      subject_name: marker,
      summary: marker,
      since: new Date(),
      acknowledged_by: null,
      silenced_by: null,
    })
    .execute();
  const { items } = (await owner.call('GET', `/api/v3/audit/logs?project=${project}&limit=1`)).body;
  return {
    project,
    marker,
    ids: {
      ...samples,
      enrolment: enrolment.id,
      entry_id: items[0].id,
      backup_id: backup.backup.id,
      client_id: client,
      command_id: command.command_id,
      service_id: service.id,
      user_id: member.userId,
      schedule_id: schedule.id,
      job_id: job.id,
      clean_up_id: cleaned,
      restore_id: restore,
      invitation_id: invitation,
      alert_id: alert,
      pair_id: pair.id,
    },
  };
}

/** An HA pair with a member that reports. */
async function makePair(
  t: TestFleet,
  project: string,
  make: (method: string, path: string, body: unknown) => Promise<{ id: string }>,
): Promise<{ id: string }> {
  const clientId = await t.createClient('member', project);
  const agent = await t.connect(clientId);
  await agent.settled();
  await describeHost(t, clientId, { data: '192.0.2.7' });
  const pair = await make('POST', '/api/v3/ha/pairs', {
    name: 'pair',
    members: [{ client_id: clientId, priority: 200 }],
  });
  await sendReport({ agent }, memberReport({ pair_id: pair.id, role: 'active' }));
  // It is old from the start, so that nothing changes with time.
  await t.database.db
    .updateTable('ha_reports')
    .set({ reported_at: new Date(0) })
    .where('client_id', '=', clientId)
    .execute();
  return pair;
}

const RETIRED = '1.36.4';

/** Moves documents of a retired version to the trash, from which they can be restored. */
async function cleanUpOld({ owner }: TestFleet, project: string, marker: string): Promise<string> {
  const resource = { type: 'STATIC' };
  const document = { name: 'www', version: RETIRED, description: marker, resource };
  await owner.call('POST', `/api/v3/xds/clusters?project=${project}`, document);
  const url = `/api/v3/setting/maintenance/cleanup/versions/${RETIRED}?project=${project}`;
  const { digest } = (await owner.call('GET', url)).body;
  const { body } = await owner.call('DELETE', `${url}&digest=${digest}`);
  if (!body.clean_up) throw new Error(JSON.stringify(body));
  return body.clean_up;
}
