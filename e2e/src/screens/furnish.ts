import {
  alertChannelRoutes,
  alertRoutes,
  alertRuleRoutes,
  apiTokenRoutes,
  auditRoutes,
  backupRoutes,
  commandRoutes,
  discoveryTokenRoutes,
  enrolmentRoutes,
  groupRoutes,
  jobRoutes,
  policyRoutes,
  projectRoutes,
  serviceRoutes,
  versionRoutes,
  xdsRoutes,
  zoneSecretRoutes,
} from '@flotilla/contract';
import { Owner } from './owner.ts';
import type { Stage } from './stage.ts';

/** IDs and names of the records in the furnished project. */
export interface Places {
  readonly owner: Owner;
  readonly version: string;
  readonly service: string;
  readonly client: string;
  readonly user: string;
  readonly token: string;
  readonly group: string;
  readonly alertRule: string;
  /** Number of a job that has ended. */
  readonly job: string;
  readonly command: string;
  /** A configuration error of the service: Envoy has refused its routes. */
  readonly error: string;
  /** The audit entry of a policy change. */
  readonly auditEntry: string;
  /** Passwords of an editor and a viewer. */
  readonly passwords: { readonly ann: string; readonly victor: string };
  readonly emptyProject: { readonly id: string; readonly name: string };
}

/** This zone has two secrets. */
export const ZONE = 'lb.example.com';

const KEY = { 'x-api-key': 'demo-key-for-loopback-only' };

/** Gives every screen something to show: people, tokens, commands, histories, counted requests and a refused change. */
export async function furnish(stage: Stage): Promise<Places> {
  const owner = await Owner.of(stage);
  const query = { project: owner.project };
  const ann = await owner.addUser('ann', 'editor', 'ann@example.org');
  const victor = await owner.addUser('victor', 'viewer');
  const emptyProject = await owner.call(projectRoutes.create, {
    query: {},
    body: { name: 'empty', description: 'Nothing in it yet', starters: [] },
  });
  await deleteGroups(owner, emptyProject.id);
  const token = await owner.call(apiTokenRoutes.create, { query, body: { name: 'deploy-bot', role: 'editor' } });
  const group = await owner.call(groupRoutes.create, {
    query,
    body: { name: 'on-call', description: 'Who is called at night' },
  });
  await owner.call(groupRoutes.putMember, { params: { group_id: group.id, user_id: ann.id }, query });
  const alertRule = await addAlerts(owner);
  await owner.call(discoveryTokenRoutes.generate, { query, body: {} });
  await owner.call(discoveryTokenRoutes.generate, { query, body: { overlap_s: 3600 } });
  await owner.call(zoneSecretRoutes.create, { query, body: { zone: ZONE } });
  await owner.call(zoneSecretRoutes.rotate, { params: { zone: ZONE }, query, body: {} });
  await owner.call(enrolmentRoutes.createToken, { query, body: { note: 'rack 4' } });
  for (const path of ['/', '/hello', '/api/hello', '/.env']) {
    await stage.fleet.request(path, KEY);
    await stage.fleet.request(path);
  }

  const { items: services } = await owner.call(serviceRoutes.list, { query });
  const service = services[0]?.id ?? '';
  const { clientId: client } = await stage.fleet.state();
  const { results } = await owner.call(commandRoutes.dispatch, {
    query,
    body: { type: 'SERVICE', sub_type: 'SUB_STATUS', clients: [{ client_id: client }], command: { name: 'demo' } },
  });
  const { items: versions } = await owner.call(versionRoutes.list, { query });
  const version = versions.find(({ documents }) => documents > 0)?.version ?? '';
  const job = await leaveJob(stage, owner);
  await editPolicy(owner);
  const error = await poisonRoutes(stage, owner, { service, version });
  await stage.fleet.until(
    async () => (await owner.call(alertRoutes.summary, { query })).firing > 0,
    'the refusal causes an alert',
  );
  const { items: changes } = await owner.call(auditRoutes.list, {
    query: { ...query, action: policyRoutes.replace.audit ?? '' },
  });
  const command = results[0]?.command_id;
  const auditEntry = changes[0]?.id;
  if (!command || !auditEntry) throw new Error('the command or its entry in the audit log is missing');
  return {
    owner,
    version,
    service,
    client,
    user: ann.id,
    token: token.id,
    group: group.id,
    alertRule,
    job,
    command,
    error,
    auditEntry,
    passwords: { ann: ann.password, victor: victor.password },
    emptyProject,
  };
}

/** Runs the job of a backup, and deletes the backup, so that only the job is left. */
async function leaveJob(stage: Stage, owner: Owner): Promise<string> {
  const query = { project: owner.project };
  const { backup, job } = await owner.call(backupRoutes.export, { query, body: { secret_free: true } });
  await stage.fleet.until(
    async () => (await owner.call(jobRoutes.get, { params: { job_id: job.id }, query })).ended_at !== null,
    'the backup is made',
  );
  await owner.call(backupRoutes.delete, { params: { backup_id: backup.id }, query });
  return String(job.number);
}

/** A channel, and a rule that fires when Envoy refuses the routes. Returns the id of the rule. */
async function addAlerts(owner: Owner): Promise<string> {
  const query = { project: owner.project };
  const target = { kind: 'email' as const, recipients: ['on-call@example.org'] };
  const channel = await owner.call(alertChannelRoutes.create, { query, body: { name: 'on-call', target } });
  const rule = await owner.call(alertRuleRoutes.create, {
    query,
    body: {
      name: 'refused-at-once',
      condition: { kind: 'configuration_refused', severities: ['critical', 'error'] },
      for_s: 0,
      severity: 'critical',
      channels: [channel.id],
      quiet_hours: { time_zone: 'Europe/Berlin', weekdays: ['sat', 'sun'], from: '22:00', to: '07:00' },
    },
  });
  return rule.id;
}

async function editPolicy(owner: Owner): Promise<void> {
  const at = { params: { name: 'demo-policy' }, query: { project: owner.project } };
  const { text, files } = await owner.call(policyRoutes.get, at);
  await owner.call(policyRoutes.replace, {
    ...at,
    body: { text: `# A second revision.\n${text}`, files, description: 'Keys and limits' },
  });
}

/** Stores routes that Envoy refuses: our checks do not compile regular expressions; Envoy does. */
async function poisonRoutes(stage: Stage, owner: Owner, at: { service: string; version: string }): Promise<string> {
  const place = {
    params: { collection: 'routes' as const, name: 'demo-routes' },
    query: { project: owner.project, version: at.version },
  };
  const { resource } = await owner.call(xdsRoutes.get, place);
  const [host] = resource.virtual_hosts as { routes: object[] }[];
  const route = { match: { safe_regex: { regex: '(' } }, route: { cluster: 'demo-upstream' } };
  const poisoned = { ...resource, virtual_hosts: [{ ...host, routes: [route, ...(host?.routes ?? [])] }] };
  await owner.call(xdsRoutes.replace, { ...place, body: { resource: poisoned } });
  let error: string | undefined;
  await stage.fleet.until(async () => {
    const { errors } = await owner.call(serviceRoutes.detail, {
      params: { service_id: at.service },
      query: { project: owner.project },
    });
    // Fleets of other tests on this machine may hold the admin port, which is also an error.
    error = errors.find(({ resource }) => resource.name === 'demo-routes')?.id;
    return error !== undefined;
  }, 'Envoy has refused the routes');
  return error ?? '';
}

/** Deletes the group that every new project has, so that the project is completely empty. */
async function deleteGroups(owner: Owner, project: string): Promise<void> {
  const { items } = await owner.call(groupRoutes.list, { query: { project } });
  for (const { id } of items) await owner.call(groupRoutes.delete, { params: { group_id: id }, query: { project } });
}
