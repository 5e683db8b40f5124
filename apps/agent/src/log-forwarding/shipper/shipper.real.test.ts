import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createServerCertificate } from '@flotilla/testkit';
import { describe, expect, it } from 'vitest';
import { ForwarderStage, newChange } from '../../testing/forwarder-stage.ts';
import { SearchSink } from '../../testing/search-sink.ts';

const MIB = 1024 ** 2;
const WAIT = { interval: 50 };
const USER = { username: 'us"er', password: `p $(id);'\`\\"ä${'$'}{HOME}` };
const BASIC = `Basic ${Buffer.from(`${USER.username}:${USER.password}`).toString('base64')}`;

const to = (sink: SearchSink, elasticsearch: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  ...more,
  filebeat_output: { elasticsearch: { hosts: [sink.url], ...elasticsearch } },
});

function ownLog(stage: ForwarderStage): string {
  return readFileSync(join(stage.dataDir, 'log-forwarding/logshipper/logs/forwarder.log'), 'utf8');
}

/** Ends the rsyslog of the shipper at once. */
async function killShipper(shipper: { status(): Promise<{ pid: number | null }> }): Promise<number> {
  const { pid } = await shipper.status();
  process.kill(pid ?? 0, 'SIGKILL');
  return pid ?? 0;
}

describe('a log shipper', () => {
  it('sends the logs of a service as documents with the place of each line, under a user with an awkward password', async () => {
    const stage = await ForwarderStage.create();
    const sink = await SearchSink.start({ authorization: BASIC });
    const { logshipper } = stage.open();
    const config = to(sink, { basic_auth: USER, index: 'edge-logs' });
    expect(await logshipper.update(config, newChange())).toEqual({ ok: true, value: undefined });
    stage.log('first line\n');
    stage.log('GET /a 200\n', 'files/access.log');
    await expect.poll(() => sink.messages().toSorted(), WAIT).toEqual(['GET /a 200', 'first line']);
    const first = [...sink.stored.values()].find(({ document }) => document.message === 'first line');
    expect(first?.index).toMatch(/^edge-logs-\d{4}\.\d\d\.\d\d$/);
    expect(first?.document).toMatchObject({
      '@timestamp': expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      'event.dataset': 'envoy',
      'flotilla.service': '0123456789ab',
      'log.file.path': expect.stringMatching(/\/services\/0123456789ab\/logs\/envoy\.log$/),
    });
    expect(sink.complaints).toEqual([]);
    const status = await logshipper.status();
    expect(status).toMatchObject({ configured: true, wanted: 'running', program: 'rsyslog', error: null });
  });

  it('keeps awkward lines in their field: quotes, JSON, commands, control characters, invalid UTF-8', async () => {
    const stage = await ForwarderStage.create();
    const sink = await SearchSink.start();
    const { logshipper } = stage.open();
    await logshipper.update(to(sink), newChange());
    const lines = [
      `a "quoted" \\ line; $(id) \`id\` ${'$'}{HOME} %msg%`,
      '"}\\n{"create":{"_index":"other"}}',
      'COMMIT TRANSACTION',
      'a\u2028COMMIT TRANSACTION\u2028b\u0085c',
      'tab\there \u001b[2J bell\u0007 carriage\rreturn',
    ];
    stage.log(`${lines.join('\n')}\n`);
    stage.logBytes(Buffer.from([0x62, 0x61, 0x64, 0xff, 0xfe, 0xc3, 0x0a]));
    await expect.poll(() => sink.messages(), WAIT).toEqual([...lines, 'bad\ufffd\ufffd\ufffd']);
    expect(new Set([...sink.stored.values()].map(({ index }) => index)).size).toBe(1);
    expect(sink.complaints).toEqual([]);
  });

  it('cuts a line of 1 MiB and delivers the lines around it', async () => {
    const stage = await ForwarderStage.create();
    const sink = await SearchSink.start();
    const { logshipper } = stage.open();
    await logshipper.update(to(sink), newChange());
    stage.log(`before\n${'x'.repeat(1024 * 1024)}\nafter\n`);
    await expect.poll(() => sink.messages(), WAIT).toContain('after');
    expect(sink.messages()).toContain('before');
    expect(Math.max(...sink.messages().map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024);
  });

  it('sends files of the host that inputs name, without the fields that are dropped', async () => {
    const stage = await ForwarderStage.create();
    const sink = await SearchSink.start();
    const { logshipper } = stage.open();
    const file = stage.createHostLog();
    const inputs = [
      { type: 'filestream', id: 'nginx', paths: [file.pattern] },
      { type: 'log', id: 'unused', enabled: false, paths: ['/var/log/syslog'] },
    ];
    const drop_fields_processor = { fields: ['host.name', 'no.such.field'] };
    await logshipper.update(to(sink, {}, { inputs, drop_fields_processor }), newChange());
    file.append('from the host\n');
    await expect.poll(() => sink.messages(), WAIT).toEqual(['from the host']);
    const [one] = sink.stored.values();
    expect(one?.document).toMatchObject({ 'event.dataset': 'nginx', 'flotilla.service': '' });
    expect(one?.document).not.toHaveProperty('host.name');
  });
});

describe('delivery at least once', () => {
  it.each<[string, number | 'cut']>([
    ['is overloaded', 429],
    ['restarts behind a proxy', 503],
    ['refuses the password', 401],
    ['cuts connections', 'cut'],
  ])('loses no line while the server %s, and says so', async (_, mode) => {
    const stage = await ForwarderStage.create();
    const sink = await SearchSink.start();
    sink.mode = mode;
    const { logshipper } = stage.open();
    await logshipper.update(to(sink), newChange());
    stage.log('one\ntwo\n');
    await expect.poll(() => sink.requests, WAIT).toBeGreaterThanOrEqual(2);
    expect(sink.messages()).toEqual([]);
    await expect.poll(() => ownLog(stage), WAIT).toMatch(/ error lines are not delivered, trying again: /);
    // The shipper pauses between attempts.
    expect(ownLog(stage).split('\n').length).toBeLessThan(30);
    sink.mode = 200;
    await expect.poll(() => sink.messages().toSorted(), WAIT).toEqual(['one', 'two']);
    expect(ownLog(stage)).toContain('lines are delivered again');
  });

  it('sends overloaded documents again, and no document that the server refuses for good', async () => {
    const stage = await ForwarderStage.create();
    const sink = await SearchSink.start();
    let isOverloaded = true;
    sink.judge = ({ message }) => (message === 'bad' ? 400 : message === 'later' && isOverloaded ? 429 : 201);
    const { logshipper } = stage.open();
    await logshipper.update(to(sink), newChange());
    stage.log('good\nbad\nlater\n');
    await expect.poll(() => sink.messages(), WAIT).toContain('good');
    isOverloaded = false;
    await expect.poll(() => sink.messages(), WAIT).toEqual(['good', 'later']);
    await expect.poll(() => ownLog(stage), WAIT).toContain('the server refuses 1 lines: 400 test_exception: as asked');
  });

  it('survives restarts of the server, of the shipper by kill -9 and of the agent, and loses no line', async () => {
    const stage = await ForwarderStage.create();
    const sink = await SearchSink.start();
    let agent = stage.open();
    await agent.logshipper.update(to(sink), newChange());
    const written: string[] = [];
    const write = (count: number) => {
      const lines = Array.from({ length: count }, (_, i) => `line ${written.length + i}`);
      written.push(...lines);
      stage.log(`${lines.join('\n')}\n`);
    };
    write(2000);
    await expect.poll(() => sink.messages().length, WAIT).toBeGreaterThan(0);
    await sink.close();
    write(500);
    const killed = await killShipper(agent.logshipper);
    write(500);
    await agent.close('leave');
    write(500);
    agent = stage.open();
    await expect
      .poll(async () => (await agent.logshipper.status()).pid, WAIT)
      .toSatisfy((pid) => pid && pid !== killed);
    await sink.open();
    write(500);
    await killShipper(agent.logshipper);
    write(500);
    await expect.poll(() => new Set(sink.messages()).size, WAIT).toBe(written.length);
    expect(sink.complaints).toEqual([]);
  });

  it('reads no further than its bounded queue while the server is away, and delivers everything afterwards', async () => {
    const stage = await ForwarderStage.create();
    const sink = await SearchSink.start();
    sink.mode = 503;
    const { logshipper } = stage.open({ queueMaxBytes: 4 * MIB });
    await logshipper.update(to(sink), newChange());
    const line = (i: number) => `${i} ${'x'.repeat(1000)}`;
    const count = 12_000;
    stage.log(Array.from({ length: count }, (_, i) => `${line(i)}\n`).join(''));
    const work = join(stage.dataDir, 'log-forwarding/logshipper/work');
    const queued = () =>
      readdirSync(work)
        .filter((name) => /^forward\.\d+$/.test(name))
        .reduce((sum, name) => sum + statSync(join(work, name)).size, 0);
    await expect.poll(queued, WAIT).toBeGreaterThan(3.5 * MIB);
    await expect.poll(() => sink.requests, WAIT).toBeGreaterThanOrEqual(3);
    expect(queued()).toBeLessThan(5 * MIB);
    sink.mode = 200;
    await expect.poll(() => new Set(sink.messages()).size, WAIT).toBe(count);
  });
});

describe('with TLS', () => {
  it('delivers to a server that the custom authority has certified, and shows its own certificate', async () => {
    const stage = await ForwarderStage.create();
    const own = await createServerCertificate('localhost');
    const edge = await createServerCertificate('edge.example.com');
    const tls = { cert: own.certificatePem, key: own.privateKeyPem, ca: edge.certificatePem, requestCert: true };
    const sink = await SearchSink.start({
      tls: { ...tls, rejectUnauthorized: true },
      authorization: 'ApiKey aWQ6a2V5',
    });
    const { logshipper } = stage.open();
    const config = to(sink, {
      api_key: 'id:key',
      tls: { ca_cert: own.certificatePem, client_cert: edge.certificatePem, client_key: edge.privateKeyPem },
    });
    expect(await logshipper.update(config, newChange())).toMatchObject({ ok: true });
    stage.log('in private\n');
    await expect.poll(() => sink.messages(), WAIT).toEqual(['in private']);
    const masked = await logshipper.masked();
    for (const secret of ['PRIVATE KEY', 'id:key']) expect(JSON.stringify(masked)).not.toContain(secret);
    expect(masked).toMatchObject({
      filebeat: { filebeat_output: { elasticsearch: { api_key: '***', tls: { client_key: '***' } } } },
    });
  });

  it.each([
    ['another name', 'other.example.com', true, false],
    ['another authority', 'localhost', false, false],
    ['another name, which the configuration expects', 'other.example.com', true, true],
  ])('meets a server with %s', async (_, name, isKnown, isExpected) => {
    const stage = await ForwarderStage.create();
    const server = await createServerCertificate(name);
    const other = await createServerCertificate('localhost');
    const sink = await SearchSink.start({ tls: { cert: server.certificatePem, key: server.privateKeyPem } });
    const { logshipper } = stage.open();
    const ca_cert = isKnown ? server.certificatePem : other.certificatePem;
    const tls = { ca_cert, ...(isExpected && { server_name: name }) };
    await logshipper.update(to(sink, { tls, basic_auth: USER }), newChange());
    stage.log('for whom\n');
    if (isExpected) {
      await expect.poll(() => sink.messages(), WAIT).toEqual(['for whom']);
      return;
    }
    await expect.poll(() => ownLog(stage), WAIT).toMatch(/not delivered.*(altname|certificate)/i);
    expect([sink.requests, ownLog(stage).includes(USER.password)]).toEqual([0, false]);
  });
});

it('the secrets of a shipper are in files of mode 0600, and not in the command line of a program', async () => {
  const stage = await ForwarderStage.create();
  const sink = await SearchSink.start();
  const { logshipper } = stage.open();
  await logshipper.update(to(sink, { basic_auth: { username: 'u', password: 'very-secret-word' } }), newChange());
  stage.log('a line\n');
  await expect.poll(() => sink.messages(), WAIT).toEqual(['a line']);
  const base = join(stage.dataDir, 'log-forwarding/logshipper');
  for (const name of readdirSync(base, { recursive: true, encoding: 'utf8' })) {
    const facts = statSync(join(base, name));
    // The folders are for the agent's user only.
    expect([name, facts.mode & (name.endsWith('output.log') ? 0o007 : 0o077)]).toEqual([name, 0]);
  }
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    let line = '';
    try {
      line = readFileSync(`/proc/${name}/cmdline`, 'utf8') + readFileSync(`/proc/${name}/environ`, 'utf8');
    } catch {
      // The process has ended.
    }
    expect(line).not.toContain('very-secret-word');
  }
});
