import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestFleet, hostFacts, registerClient, type TestFleet } from '@flotilla/controller/testing/fleet';
import { fleet } from '@flotilla/proto';
import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import {
  CLOUD_PROJECT,
  CLOUD_REGION,
  CREDENTIAL,
  createRecords,
  LAN_SUBNET,
  OpenStackServer,
  SERVER,
} from '@flotilla/testkit/openstack-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { createTestTerminal, type OwnersTerminal, openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
let t: TestFleet;
let terminal: OwnersTerminal;

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

const run: TestTerminal['run'] = (argv, options) => terminal.run(argv, options);

const POLICY = `# guards the shop
apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata:
  name: shop
spec:
  domains:
    - hosts: ["shop.example.com"]
      policy:
        engines:
          rate_limit: { requests_per_second: 5, burst: 10 }
`;

describe('policies', () => {
  it('are applied unchanged, printed in the form that apply accepts, compared and deleted', async () => {
    expect(await run(['diff', '-f', '-'], { stdin: POLICY })).toMatchObject({ code: EXIT.differs });
    expect((await run(['apply', '-f', '-'], { stdin: POLICY })).out).toBe('policies/shop created\n');
    const shown = await run(['policies', 'shop']);
    expect(shown.out).toBe(POLICY);
    expect((await run(['apply', '-f', '-'], { stdin: shown.out })).out).toBe('policies/shop unchanged\n');
    const changed = POLICY.replace('burst: 10', 'burst: 20');
    const diff = await run(['diff', '-f', '-'], { stdin: changed });
    expect(diff.code).toBe(EXIT.differs);
    expect(diff.out).toContain('-           rate_limit: { requests_per_second: 5, burst: 10 }');
    expect(diff.out).toContain('+           rate_limit: { requests_per_second: 5, burst: 20 }');
    expect((await run(['apply', '-f', '-'], { stdin: changed })).out).toBe('policies/shop changed\n');
    expect((await run(['get', 'policies'])).out).toContain('shop.example.com');
    expect((await run(['delete', 'policies', 'shop'])).code).toBe(EXIT.ok);
    expect((await run(['policies', 'shop'])).code).toBe(EXIT.notFound);
  });

  it('that are invalid are reported by file, line and field, and nothing is written', async () => {
    const cluster = `collection: clusters\nname: beside\nversion: ${VERSION}\nresource: { type: STATIC }\n`;
    const stdin = `${cluster}---\n${POLICY.replace('requests_per_second: 5', 'requests_per_second: 0')}`;
    const answer = await run(['apply', '-f', '-'], { stdin });
    expect(answer.code).toBe(EXIT.failed);
    expect(answer.err).toMatch(/^flotilla: Nothing was changed:\n-:16:\d+: .*requests_per_second/);
    expect((await run(['get', 'clusters', 'beside'])).code).toBe(EXIT.notFound);
  });

  it('cannot use a file outside their folder', async () => {
    const stdin = POLICY.replace(/rate_limit.*/, 'jwt: { public_key_file: ../../etc/passwd }');
    const answer = await run(['apply', '-f', '-'], { stdin });
    expect(answer).toMatchObject({ code: EXIT.failed, err: expect.stringContaining('is outside the folder') });
  });
});

describe('services and clients', () => {
  it('are created from a folder of files, deployed, undeployed and deleted', async () => {
    const clientId = await t.createClient('edge-1');
    const folder = join(terminal.folder, 'shop');
    await mkdir(folder);
    const resource = '{ address: { socket_address: { address: 127.0.0.1, port_value: 18100 } } }';
    await writeFile(join(folder, '1-policy.yaml'), POLICY);
    await writeFile(
      join(folder, '2-listener.yaml'),
      `collection: listeners\nname: shop\nversion: ${VERSION}\nresource: ${resource}\n`,
    );
    const service = `kind: Service
name: shop
version: ${VERSION}
bootstrap: boot
listeners: [shop]
policies: [shop]
clients:
  - client: edge-1
    addresses: [192.0.2.10]
`;
    await writeFile(join(folder, '3-service.yaml'), service);
    const dry = await run(['apply', '-f', folder, '--dry-run']);
    expect(dry).toMatchObject({ code: EXIT.ok, err: expect.stringContaining('cannot be checked until') });
    expect(dry.out).toBe(
      `policies/shop would be created\nlisteners/shop (${VERSION}) would be created\nservices/shop would be created\n`,
    );
    const applied = await run(['apply', '-f', folder]);
    expect(applied.err).toBe('');
    expect(applied.out.split('\n').slice(0, 3)).toEqual([
      'policies/shop created',
      `listeners/shop (${VERSION}) created`,
      `services/shop (${VERSION}) created`,
    ]);
    expect((await run(['diff', '-f', folder])).code).toBe(EXIT.ok);
    const refused = await run(['apply', '-f', '-'], { stdin: service.replace('[shop]', '[shop, nowhere]') });
    expect(refused).toMatchObject({ code: EXIT.failed, err: expect.stringMatching(/-:5:\d+: listeners\[1\]/) });

    expect((await run(['services'])).out).toMatch(/shop +Not Deployed/);
    expect((await run(['clients'])).out).toMatch(/edge-1 +Offline/);
    expect((await run(['clients', 'edge-1'])).out).toContain(`client_id: ${clientId}`);
    // No agent is connected: the command is accepted, and the client converges when it connects.
    const pending = await run(['deploy', 'shop', '--wait', '0']);
    expect(pending).toMatchObject({ code: EXIT.unfinished, out: expect.stringContaining('pending') });
    const agent = await t.connect(clientId);
    await agent.settled();
    expect((await run(['deploy', 'shop'])).out).toMatch(/^CLIENT .*\nedge-1 +done .*\n$/);
    const again = await run(['deploy', 'shop', '--client', 'edge-1', '--json']);
    expect(JSON.parse(again.out).results).toHaveLength(1);
    expect((await run(['services', 'shop'])).out).toContain('edge-1');
    const statistics = await run(['commands', 'send', 'CLIENT_STATS', '--client', 'edge-1', '--json']);
    expect(statistics.code).toBe(EXIT.ok);
    const { command_id: id } = JSON.parse(statistics.out).results[0];
    if (id) expect((await run(['commands', 'get', id])).out).toContain('outcome: done');

    expect((await run(['delete', 'services', 'shop'])).code).toBe(EXIT.conflict);
    expect((await run(['undeploy', 'shop'])).code).toBe(EXIT.ok);
    expect((await run(['deploy', 'shop'])).err).toContain('Nothing was sent: the service has no clients');
    expect((await run(['undeploy', 'shop'])).err).toBe('Nothing was sent: the service has no clients.\n');
    await t.disconnect(agent);
    expect((await run(['delete', '-f', folder])).err).toBe('');
    expect((await run(['clients', 'delete', 'edge-1'])).code).toBe(EXIT.ok);
    expect((await run(['clients', 'edge-1'])).code).toBe(EXIT.notFound);
  });

  it('are shown to a viewer by the command fleet, in a table and as JSON (screen bug 10)', async () => {
    const viewer = await createTestTerminal();
    const member = await t.createMember('viewer');
    const args = ['--url', terminal.url, '--username', member.username, '--password-stdin'];
    const clientId = await t.createClient('edge-of-fleet');
    const clients = [{ client_id: clientId, addresses: ['192.0.2.9'] }];
    const service = await t.createService({ name: 'seen', clients });
    try {
      const login = await viewer.run(['login', ...args], { stdin: member.password });
      expect(login.code, login.err).toBe(EXIT.ok);
      const shown = await viewer.run(['fleet', '--project', t.project]);
      expect(shown.err).toBe('');
      expect(shown.out).toMatch(/seen +Not Deployed +not deployed +0 of 0/);
      expect(shown.out).toMatch(/edge-of-fleet +Offline .*seen/);
      expect(shown.out).toContain('No open configuration errors.');
      const json = JSON.parse((await viewer.run(['fleet', '--project', t.project, '--json'])).out);
      expect(json.services.items.map(({ name }: { name: string }) => name)).toContain('seen');
      expect(JSON.stringify(json)).not.toContain('192.0.2.9');
      for (const argv of [['services'], ['clients'], ['get', 'services'], ['errors', 'list']]) {
        const refused = await viewer.run([...argv, '--project', t.project]);
        expect(refused).toMatchObject({ code: EXIT.forbidden, err: expect.stringContaining('flotilla fleet') });
      }
    } finally {
      await viewer.close();
      await t.owner.call('DELETE', `/api/op/services/${service.id}?project=${t.project}`);
      await t.owner.call('DELETE', `/api/op/clients/${clientId}?project=${t.project}`);
    }
  });

  it('are enrolled with a token, printed with the command for the host', async () => {
    const answer = await run(['clients', 'token', '--note', 'edge', '--ttl', '600']);
    expect(answer).toMatchObject({ code: EXIT.ok, out: expect.stringContaining('flotilla agent') });
    const json = await run(['clients', 'token', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ status: 'open', token: expect.any(String) });
  });

  it('have enrolment tokens that get a new secret while the old one stays valid', async () => {
    const first = JSON.parse((await run(['clients', 'token', '--note', 'rack-9', '--json'])).out);
    const rotated = await run(['enrolment', 'rotate', 'rack-9', '--overlap', '10m']);
    expect(rotated).toMatchObject({ code: EXIT.ok, err: expect.stringContaining('The old one ends 20') });
    expect(rotated.out).toMatch(/^SVC_AGENT_ENROL_TOKEN=flte_\S+ flotilla agent /);
    expect(rotated.out).not.toContain(first.token);
    const listed = await run(['enrolment', 'list']);
    expect(listed.out).toMatch(new RegExp(`rack-9 +open +flte_.{6} +20.*${first.id}`));
    expect((await run(['enrolment', 'rotate', first.id, '--overlap', '10m'])).code).toBe(EXIT.conflict);
    const replaced = await run(['enrolment', 'rotate', first.id, '--overlap', '0s', '--json']);
    expect(JSON.parse(replaced.out).secrets).toHaveLength(1);
    await run(['clients', 'token', '--note', 'rack-9']);
    const several = await run(['enrolment', 'rotate', 'rack-9']);
    expect(several).toMatchObject({ code: EXIT.usage, err: expect.stringContaining(first.id) });
    expect((await run(['enrolment', 'rotate', 'no such'])).code).toBe(EXIT.notFound);
    const words = ['__complete', '--', 'enrolment', 'rotate', 'rack'];
    expect((await run(words)).out.split('\n')).toContain('rack-9');
  });

  it('get labels, by which they are found', async () => {
    const clientId = await t.createClient('edge-labels');
    const set = await run(['clients', 'label', 'edge-labels', 'env=prod', 'note=a=b <i>', 'site=fra']);
    expect(set).toMatchObject({ code: EXIT.ok, err: '' });
    expect(set.out).toMatch(/env +prod +operator/);
    const removed = await run(['clients', 'label', 'edge-labels', 'env=test', 'site-', '--json']);
    expect(JSON.parse(removed.out).labels.map(({ key, value }: Record<string, string>) => `${key} ${value}`)).toEqual([
      'env test',
      'note a=b <i>',
    ]);
    for (const found of [
      ['--label', 'env=test', '--label', 'note'],
      ['-q', 'env=te'],
    ]) {
      const listed = JSON.parse((await run(['clients', '--json', ...found])).out);
      expect(listed.items, found.join(' ')).toMatchObject([{ client_id: clientId }]);
    }
    expect((await run(['clients', '--label', 'env=prod'])).err).toContain('Nothing found');
    expect((await run(['clients', '--label', 'env=test'])).out).toMatch(/edge-labels .*env=test note=a=b <i>/);
    expect((await run(['clients', 'labels'])).out).toMatch(/env=test +1/);
    for (const bad of [['env'], ['A=b'], ['a b-'], ['env=x\ny'], []]) {
      expect((await run(['clients', 'label', 'edge-labels', ...bad])).code, bad.join()).toBe(EXIT.usage);
    }
    expect((await run(['clients', 'label', 'nobody', 'a=b'])).code).toBe(EXIT.notFound);
  });

  it('get labels from the token that admits them', async () => {
    const args = ['clients', 'token', '--label', 'env=prod', '--label', 'site=fra', '--json'];
    expect(JSON.parse((await run(args)).out)).toMatchObject({ labels: { env: 'prod', site: 'fra' } });
    expect((await run(['clients', 'token', '--label', 'env'])).code).toBe(EXIT.usage);
  });

  it('in OpenStack show their ports and the free addresses of a subnet', async () => {
    const source = 'test';
    const cloud = {
      detection: fleet.CloudDetection.FOUND,
      provider: { value: 'openstack', source },
      serverId: { value: SERVER, source },
      project: { value: CLOUD_PROJECT, source },
    };
    await registerClient(t, hostFacts({ name: 'edge-cloud', cloud }));
    await t.createClient('edge-metal');
    const server = await OpenStackServer.start({ records: createRecords(3) });
    try {
      await t.owner.call('PUT', '/api/v3/setting/documents/outgoing', { allowed_networks: ['127.0.0.0/8'] });
      const credential = `auth.application_credential_id=${CREDENTIAL.id}`;
      const create = ['settings', 'create', 'cloud/main', `auth.auth_url=${server.url}`, `region_name=${CLOUD_REGION}`];
      const stdin = CREDENTIAL.secret;
      const secret = ['--secret-stdin', 'auth.application_credential_secret'];
      expect(await run([...create, credential, ...secret], { stdin })).toMatchObject({ code: EXIT.ok });
      const ports = await run(['clients', 'interfaces', 'edge-cloud']);
      expect(ports.out).toMatch(/<b>edge<\/b> +ACTIVE +fa:16:3e:00:00:01 +10\.0\.0\.10 +10\.0\.0\.200/);
      const free = await run(['clients', 'free-ips', 'edge-cloud', LAN_SUBNET]);
      expect(free.out.split('\n').slice(0, 2)).toEqual(['10.0.0.2', '10.0.0.3']);
      expect(free.err).toContain('Subnet lan-v4 has 248 free addresses');
      const metal = await run(['clients', 'interfaces', 'edge-metal']);
      expect(metal.err).toContain('Give it with --cloud-project');
    } finally {
      await server.close();
    }
  });

  it('are not found by unknown names', async () => {
    expect((await run(['deploy', 'nothing'])).code).toBe(EXIT.notFound);
    expect((await run(['clients', 'delete', 'nobody'])).code).toBe(EXIT.notFound);
    expect((await run(['commands', 'send', 'NO_SUCH_TYPE'])).code).toBe(EXIT.failed);
  });

  it('are completed by name', async () => {
    await t.createClient('edge-tab');
    const words = ['__complete', '--', 'deploy', 'x', '--client', 'edge-t'];
    expect((await run(words)).out.split('\n')).toContain('edge-tab');
  });
});
