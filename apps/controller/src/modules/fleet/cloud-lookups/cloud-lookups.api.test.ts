import { fleet } from '@flotilla/proto';
import { createServerCertificate } from '@flotilla/testkit';
import {
  CLOUD_PROJECT,
  CLOUD_REGION,
  CLOUD_USER,
  CREDENTIAL,
  createRecords,
  LAN_SUBNET,
  type OpenStackOptions,
  OpenStackServer,
  SERVER,
} from '@flotilla/testkit/openstack-server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, hostFacts, registerClient, type TestFleet } from '../../../testing/fleet.ts';

let t: TestFleet;
let client: string;
const open: OpenStackServer[] = [];

const OTHERS = 60;
const LOOPBACK = { allowed_networks: ['127.0.0.0/8', '::1/128'] };

beforeAll(async () => {
  t = await createTestFleet();
  await t.owner.call('PUT', '/api/v3/setting/documents/outgoing', LOOPBACK);
  client = await createCloudClient('edge');
});
afterAll(() => t?.close());
afterEach(async () => {
  for (const name of ['main', 'second']) await t.owner.call('DELETE', `${settingsOf(name)}?project=${t.project}`);
  await Promise.all(open.splice(0).map((server) => server.close()));
});

function createCloudClient(name: string, project = t.project): Promise<string> {
  const cloud = {
    detection: fleet.CloudDetection.FOUND,
    provider: { value: 'openstack', source: 'test' },
    serverId: { value: SERVER, source: 'test' },
  };
  return registerClient(t, hostFacts({ name, cloud }), project);
}

const settingsOf = (name: string) => `/api/v3/setting/clouds/${name}`;

async function startCloud(options: Partial<OpenStackOptions> = {}): Promise<OpenStackServer> {
  const server = await OpenStackServer.start({ records: createRecords(OTHERS), ...options });
  open.push(server);
  return server;
}

const AUTH = { application_credential_id: CREDENTIAL.id, application_credential_secret: CREDENTIAL.secret };

async function storeCloud(url: string, more: Record<string, unknown> = {}, name = 'main') {
  const { auth = AUTH, ...rest } = more;
  const body = { auth: { auth_url: url, ...(auth as object) }, region_name: CLOUD_REGION, ...rest };
  return t.owner.call('POST', `${settingsOf(name)}?project=${t.project}`, body);
}

const at = (id = client) => `/api/op/clients/${id}/iaas`;
const query = (more: Record<string, string> = {}) =>
  new URLSearchParams({ project: t.project, cloud_project: CLOUD_PROJECT, ...more });
const interfaces = (more: Record<string, string> = {}, id = client, caller: TestCaller = t.owner) =>
  caller.call('GET', `${at(id)}/interfaces?${query({ os_uuid: SERVER, ...more })}`);
const addresses = (more: Record<string, string> = {}, subnet = LAN_SUBNET) =>
  t.owner.call('GET', `${at()}/subnets/${subnet}/available_ips?${query(more)}`);

describe('the ports of a cloud server', () => {
  it('are listed with their networks, subnets and address pairs', async () => {
    await storeCloud((await startCloud()).url);
    const { status, body } = await interfaces();
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      {
        name: '<b>edge</b>',
        status: 'ACTIVE',
        mac_address: 'fa:16:3e:00:00:01',
        fixed_ips: [{ subnet_id: LAN_SUBNET, ip_address: '10.0.0.10' }],
        allowed_address_pairs: [{ ip_address: '10.0.0.200' }, { ip_address: '10.0.0.128/25' }],
        network_details: {
          name: 'lan',
          subnets: [{ id: LAN_SUBNET, cidr: '10.0.0.0/24', gateway_ip: '10.0.0.1', ip_version: 4 }],
        },
      },
      { status: 'DOWN', fixed_ips: [], network_details: null },
    ]);
  });

  it('are read with the password of a user, for the cloud project of the request', async () => {
    const server = await startCloud();
    const auth = { username: CLOUD_USER.name, password: CLOUD_USER.password };
    expect(await storeCloud(`${server.url}/v3/`, { auth, auth_type: 'v3password' })).toMatchObject({ status: 201 });
    expect((await interfaces()).body.data).toHaveLength(2);
    const refused = await interfaces({ cloud_project: 'ffff' });
    expect(refused).toMatchObject({ status: 502, body: { code: 'cloud.refused' } });
    expect(refused.body.message).toContain('401 The request you have made requires authentication.');
  });

  it('are read over TLS with the CA of the cloud, and not without it', async () => {
    const { certificatePem: cert, privateKeyPem: key } = await createServerCertificate('localhost');
    const server = await startCloud({ tls: { cert, key }, networkUrl: 'https://localhost' });
    const url = server.url.replace('127.0.0.1', 'localhost');
    await storeCloud(url);
    expect((await interfaces()).body).toMatchObject({ code: 'cloud.unreachable' });
    expect((await interfaces()).body.message).toMatch(/self.signed certificate/);
    const trial = await t.owner.call('POST', `/api/v3/setting/documents/cloud/main/test?project=${t.project}`, {
      auth: { auth_url: url, ...AUTH },
      region_name: CLOUD_REGION,
      ca_cert: cert,
    });
    expect(trial.body).toMatchObject({ ok: true, steps: [{ name: 'sign_in', ok: true }] });
  });

  it.each(['os_uuid', 'cloud_project', 'project'])('need %s', async (name) => {
    const given = query({ os_uuid: SERVER });
    given.delete(name);
    expect((await t.owner.call('GET', `${at()}/interfaces?${given}`)).status).toBe(400);
  });

  it('of another server, of another provider or of another project are not listed', async () => {
    await storeCloud((await startCloud()).url);
    expect((await interfaces({ os_uuid: SERVER.replace('5', '6') })).body).toMatchObject({
      code: 'cloud.other_server',
    });
    const plain = await t.createClient('plain');
    expect(await interfaces({}, plain)).toMatchObject({ status: 409, body: { code: 'cloud.provider' } });
    const elsewhere = await createCloudClient('theirs', await t.createProject('theirs'));
    expect(await interfaces({}, elsewhere)).toMatchObject({ status: 404 });
    const viewer = await t.createMember('viewer');
    expect(await interfaces({}, client, viewer)).toMatchObject({ status: 403 });
    expect((await interfaces({ cloud_project: 'abcdef' })).body).toMatchObject({ code: 'cloud.other_project' });
  });

  it.each([
    ['os_uuid', `${SERVER}&device_id=x`],
    ['os_uuid', "1' or '1'='1"],
    ['os_uuid', 'a'.repeat(65)],
    ['cloud_project', '../../admin'],
    ['cloud_project', 'a\nb'],
    ['cloud', '../x'],
  ])('are not looked up with %s = %j', async (name, value) => {
    expect(await interfaces({ [name]: value })).toMatchObject({ status: 400, body: { details: [{ path: name }] } });
  });
});

describe('the addresses of a subnet', () => {
  it('are counted over all pages, also if the cloud sends smaller ones than were asked for', async () => {
    const server = await startCloud({ pageMax: 7 });
    await storeCloud(server.url);
    const { body } = await addresses();
    expect(body.data).toMatchObject({ subnet_name: 'lan-v4', network_name: 'lan', total_used: OTHERS + 2 });
    expect(body.data.total_available).toBe(254 - 1 - OTHERS - 2);
    expect(body.data.available_ips).toHaveLength(body.data.total_available);
    for (const taken of ['10.0.0.1', '10.0.0.10', '10.0.0.20', '10.0.0.79', '10.0.0.200'])
      expect(body.data.available_ips).not.toContain(taken);
    expect(body.data.available_ips).toContain('10.0.0.201');
    expect(server.requests.filter((line) => line.includes('/ports')).length).toBeGreaterThan(8);
  });

  it('of an unknown subnet are not found', async () => {
    await storeCloud((await startCloud()).url);
    expect(await addresses({}, 'abc')).toMatchObject({ status: 404, body: { code: 'cloud.subnet' } });
  });
});

describe('a cloud', () => {
  it('is signed in to once for several lookups, and again when it refuses the token or its settings change', async () => {
    const server = await startCloud();
    await storeCloud(server.url);
    await Promise.all([interfaces(), interfaces(), addresses()]);
    expect(server.countSignIns()).toBe(1);
    server.revokeTokens();
    expect((await interfaces()).status).toBe(200);
    expect(server.countSignIns()).toBe(2);
    await t.owner.call('PUT', `${settingsOf('main')}?project=${t.project}`, {
      auth: { auth_url: server.url, ...AUTH, application_credential_secret: 'changed' },
      region_name: CLOUD_REGION,
    });
    expect((await interfaces()).body).toMatchObject({ code: 'cloud.refused' });
  });

  it('with a token that is about to expire is signed in to again', async () => {
    const server = await startCloud({ tokenMs: 30_000 });
    await storeCloud(server.url);
    expect((await interfaces()).status).toBe(200);
    expect(server.countSignIns()).toBeGreaterThan(1);
  });

  it('has to be named if the project has several', async () => {
    expect((await interfaces()).body).toMatchObject({ code: 'cloud.missing' });
    const [first, second] = [await startCloud(), await startCloud({ records: createRecords(0) })];
    await storeCloud(first.url);
    await storeCloud(second.url, {}, 'second');
    expect((await interfaces()).body).toMatchObject({ code: 'cloud.ambiguous' });
    expect((await interfaces({ cloud: 'third' })).body).toMatchObject({ code: 'cloud.unknown' });
    expect((await addresses({ cloud: 'second' })).body.data.total_used).toBe(2);
    expect(first.requests).toEqual([]);
  });

  it.each([
    ['is not JSON', { status: 201, body: '<html>' }, 'cloud.invalid_answer'],
    ['has no token', { status: 201, body: '{"token":{"expires_at":"2030-01-01T00:00:00Z"}}' }, 'cloud.invalid_answer'],
    ['has no time', { status: 201, body: '{"token":{"expires_at":"soon"}}' }, 'cloud.invalid_answer'],
    ['redirects', { status: 302, body: '' }, 'cloud.refused'],
    [
      'repeats the secret',
      { status: 400, body: JSON.stringify({ error: { message: CREDENTIAL.secret } }) },
      'cloud.refused',
    ],
    ['is endless', { status: 201, body: ' '.repeat(9 * 1024 * 1024) }, 'cloud.unreachable'],
  ])('whose answer %s is refused', async (_, answer, code) => {
    await storeCloud((await startCloud({ instead: () => answer })).url);
    const refused = await interfaces();
    expect(refused.body).toMatchObject({ code });
    expect(refused.status).toBe(502);
    expect(JSON.stringify(refused.body)).not.toContain(CREDENTIAL.secret);
  });

  it.each(['http://10.0.0.1:9696', 'http://169.254.169.254', 'file:///etc/passwd', 'https://user:x@example.com'])(
    'cannot lead the controller to %s',
    async (networkUrl) => {
      await storeCloud((await startCloud({ networkUrl })).url);
      const refused = await interfaces();
      expect(refused.status).toBe(502);
      expect(refused.body.code).toMatch(/^cloud\.(unreachable|invalid_answer)$/);
    },
  );

  it.each([
    ['http://keystone.example.com:5000/v3', 'auth.auth_url'],
    ['https://me:secret@keystone.example.com/v3', 'auth.auth_url'],
    ['https://keystone.example.com/v3?x=1', 'auth.auth_url'],
    ['ftp://127.0.0.1/', 'auth.auth_url'],
  ])('cannot be stored with the address %s', async (url, path) => {
    expect(await storeCloud(url)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });

  it('needs the fields of its kind of credential', async () => {
    const url = 'https://keystone.example.com';
    const user = { username: 'flo' };
    expect((await storeCloud(url, { auth_type: 'v3password' })).body.details).toMatchObject([
      { path: 'auth.username' },
    ]);
    expect((await storeCloud(url, { auth_type: 'v3password', auth: user })).body.details).toMatchObject([
      { path: 'auth.password' },
    ]);
    expect((await storeCloud(url, { auth: user })).body.details).toMatchObject([
      { path: 'auth.application_credential_id' },
    ]);
  });
});
