import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { fleet } from '@flotilla/proto';
import { createServerCertificate } from '@flotilla/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { type OwnersTerminal, openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

type Members = Record<string, unknown>;

let t: TestFleet;
let terminal: OwnersTerminal;
/** Commands of the agent, but for reads. */
const sent: { name: string; payload: Members }[] = [];
const stored = new Map<string, Members>();
const answers: Members = { pid: 7, wanted: 'running', program: 'rsyslog', error: null, restored: null };

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
  const agent = await t.connect(await t.createClient('edge-1'));
  await t.createClient('edge-2');
  agent.react = ({ type, subType, payloadJson }) => {
    const payload = JSON.parse(Buffer.from(payloadJson).toString()) as Members;
    if (subType.startsWith('UPDATE_')) stored.set(type, payload);
    if (!subType.startsWith('GET_')) sent.push({ name: `${type} ${subType}`, payload });
    const configured = Object.values(stored.get(type) ?? { config: null })[0] !== null;
    const counters = { read: 12, waiting: 3, failed: 0, suspended: true };
    const status = { ...answers, configured, counters };
    const result = subType.endsWith('_CONFIG') && subType.startsWith('GET_') ? stored.get(type) : { status };
    return { outcome: fleet.Outcome.DONE, resultJson: Buffer.from(JSON.stringify(result ?? {})) };
  };
});
beforeEach(() => {
  sent.length = 0;
});
afterAll(async () => {
  await terminal.close();
  await t.close();
});

const run: TestTerminal['run'] = (argv, options) => terminal.run(argv, options);

async function createPems() {
  const { certificatePem, privateKeyPem } = await createServerCertificate('logs.example.com');
  const [cert, key] = [join(terminal.folder, 'cert.pem'), join(terminal.folder, 'key.pem')];
  await writeFile(cert, certificatePem);
  await writeFile(key, privateKeyPem);
  return { cert, key, certificatePem, privateKeyPem };
}

describe('flotilla syslog', () => {
  it('sets a server with TLS, shows it without its key, and controls it', async () => {
    const { cert, key, certificatePem, privateKeyPem } = await createPems();
    const tls = ['--tls', '--ca', cert, '--cert', cert, '--key', key, '--server-name', 'other.example.com'];
    const set = await run(['syslog', 'set', '[2001:db8::1]:6514', ...tls, '--client', 'edge-1']);
    expect([set.code, set.out]).toEqual([EXIT.ok, 'edge-1 running, server unreachable\n']);
    const pems = { ca_cert: certificatePem, client_cert: certificatePem, client_key: privateKeyPem };
    expect(sent[0]?.payload.rsyslog_config).toEqual({
      rsyslog_output: {
        target: '2001:db8::1',
        port: 6514,
        protocol: 'tcp',
        tls: { ...pems, server_name: 'other.example.com' },
      },
    });
    const status = await run(['syslog', 'status']);
    expect(status.out).toMatch(/^edge-1 +running, server unreachable +tls \[2001:db8::1\]:6514 +12 +3/m);
    expect(status.err).toContain('edge-2 is not connected.');
    for (const verb of ['stop', 'start', 'restart', 'remove'])
      expect((await run(['syslog', verb, '--client', 'edge-1'])).code).toBe(EXIT.ok);
    expect(sent.slice(1).map(({ name }) => name)).toEqual([
      'SYSLOG_FWD SUB_STOP',
      'SYSLOG_FWD SUB_START',
      'SYSLOG_FWD SUB_RESTART',
      'SYSLOG_FWD UPDATE_RSYSLOG_CONFIG',
    ]);
    expect(sent.at(-1)?.payload.rsyslog_config).toBeNull();
    expect((await run(['syslog', 'status', '--client', 'edge-1'])).out).toMatch(/^edge-1 +not configured/m);
  });

  it('refuses what it cannot send, before it sends anything', async () => {
    const cases: [string[], string][] = [
      [['logs.example.com'], 'must be HOST:PORT'],
      [['logs.example.com:514', '--ca', '/nonexistent.pem', '--tls'], '/nonexistent.pem: ENOENT'],
      [['logs.example.com:514', '--server-name', 'x'], 'Give --tls'],
    ];
    for (const [argv, message] of cases) {
      const { code, err } = await run(['syslog', 'set', ...argv, '--client', 'edge-1']);
      expect([code, err]).toEqual([EXIT.usage, expect.stringContaining(message)]);
    }
    const unnamed = await run(['syslog', 'set', 'logs.example.com:514']);
    expect(unnamed.err).toContain('Name the hosts with --client');
    const wrong = await run(['syslog', 'set', 'a;$(id):514', '--client', 'edge-1']);
    expect([wrong.code, wrong.err]).toEqual([EXIT.failed, expect.stringContaining('must be a host name')]);
    expect(sent).toEqual([]);
  });
});

describe('flotilla logshipper', () => {
  const HOST = 'https://search.example.com:9200';
  const config = () => {
    const { filebeat } = sent.at(-1)?.payload ?? {};
    return filebeat as { filebeat_output: { elasticsearch: Members } };
  };

  it('sets servers with a password from standard input, and keeps it in later updates', async () => {
    const options = ['--index', 'edge', '--input', 'nginx=/var/log/nginx/*.log', '--input', 'nginx=/var/log/n.log'];
    const first = [
      'logshipper',
      'set',
      HOST,
      'https://b.example.com',
      ...options,
      '--drop',
      'host.name',
      '--client',
      'edge-1',
    ];
    const set = await run([...first, '--user', 'shipper', '--password-stdin'], { stdin: 'pass word\n' });
    expect([set.code, set.out]).toEqual([EXIT.ok, 'edge-1 running, server unreachable\n']);
    expect(sent[0]?.payload.filebeat).toMatchObject({
      driver: null,
      service_logs: true,
      inputs: [{ id: 'nginx', paths: ['/var/log/nginx/*.log', '/var/log/n.log'] }],
      drop_fields_processor: { fields: ['host.name'] },
    });
    expect(config().filebeat_output.elasticsearch).toMatchObject({
      hosts: [HOST, 'https://b.example.com'],
      index: 'edge',
      basic_auth: { username: 'shipper', password: 'pass word' },
    });
    const again = await run(['logshipper', 'set', HOST, '--user', 'shipper', '--client', 'edge-1']);
    expect([again.code, again.err]).toEqual([EXIT.ok, '']);
    expect(config().filebeat_output.elasticsearch).toMatchObject({ basic_auth: { password: 'pass word' } });
    const status = await run(['logshipper', 'status']);
    expect(status.out).toMatch(
      /^edge-1 +running, server unreachable +elasticsearch https:\/\/search\.example\.com:9200 +12 +3/m,
    );
    const key = await run(['logshipper', 'set', HOST, '--api-key-stdin', '--client', 'edge-1'], { stdin: 'id:key' });
    expect(key.code).toBe(EXIT.ok);
    expect(config().filebeat_output.elasticsearch).toMatchObject({ api_key: 'id:key', basic_auth: null });
    await run(['logshipper', 'set', HOST, '--anonymous', '--client', 'edge-1']);
    expect(config().filebeat_output.elasticsearch).toMatchObject({ api_key: null, basic_auth: null });
    for (const verb of ['stop', 'start', 'restart', 'remove'])
      expect((await run(['logshipper', verb, '--client', 'edge-1'])).code).toBe(EXIT.ok);
    expect(sent.at(-1)).toMatchObject({ name: 'LOGSHIPPER UPDATE_FILEBEAT_CONFIG', payload: { filebeat: null } });
  });

  it('sets Logstash with Filebeat, without the logs of services', async () => {
    const argv = [
      'logs.example.com:5044',
      '--logstash',
      '--driver',
      'filebeat',
      '--no-loadbalance',
      '--no-service-logs',
    ];
    const set = await run(['logshipper', 'set', ...argv, '--input', 'a=/var/log/a.log', '--client', 'edge-1']);
    expect([set.code, set.err]).toEqual([EXIT.ok, '']);
    expect(sent[0]?.payload.filebeat).toMatchObject({
      driver: 'filebeat',
      service_logs: false,
      filebeat_output: { logstash: { hosts: ['logs.example.com:5044'], loadbalance: false, tls: null } },
    });
  });

  it('refuses what it cannot send, before it sends anything', async () => {
    const cases: [string[], number, string][] = [
      [[HOST, '--password-stdin'], EXIT.usage, '--password-stdin needs --user'],
      [[HOST, '--user', 'u', '--anonymous'], EXIT.usage, 'Give one of --user, --api-key-stdin and --anonymous'],
      [[HOST, '--input', 'nginx'], EXIT.usage, 'must be ID=PATH'],
      [[HOST, '--driver', 'vector'], EXIT.usage, 'filebeat, rsyslog'],
      [[HOST, '--input', 'a=/etc/shadow'], EXIT.failed, 'below /var/log'],
      [['search.example.com'], EXIT.failed, 'must be an address such as'],
    ];
    for (const [argv, exit, message] of cases) {
      const { code, err } = await run(['logshipper', 'set', ...argv, '--client', 'edge-1']);
      expect([code, err]).toEqual([exit, expect.stringContaining(message)]);
    }
    expect(sent).toEqual([]);
  });
});
