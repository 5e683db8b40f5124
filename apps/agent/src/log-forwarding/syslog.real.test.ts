import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServerCertificate } from '@flotilla/testkit';
import { describe, expect, it } from 'vitest';
import { ForwarderStage, newChange } from '../testing/forwarder-stage.ts';
import { startTcpSink, startUdpSink } from '../testing/syslog-sink.ts';

const output = (port: number, more: Record<string, unknown> = {}) => ({
  rsyslog_output: { target: '127.0.0.1', port, protocol: 'tcp', tls: null, ...more },
});

describe('a syslog forwarder', () => {
  it('sends the logs of a service over TCP, with the service and the log in each message', async () => {
    const stage = await ForwarderStage.create();
    const sink = await startTcpSink();
    const { syslog } = stage.open();
    expect(await syslog.update(output(sink.port), newChange())).toEqual({ ok: true, value: undefined });
    stage.log('first line\n');
    stage.log('GET /a 200\n', 'files/access.log');
    await expect
      .poll(sink.text)
      .toMatch(/^<190>1 \S+ \S+ envoy - - \[flotilla@32473 service="0123456789ab"\] first line$/m);
    await expect
      .poll(sink.text)
      .toMatch(/^<190>1 \S+ \S+ access - - \[flotilla@32473 service="0123456789ab"\] GET \/a 200$/m);
    expect(await syslog.status()).toMatchObject({
      configured: true,
      wanted: 'running',
      error: null,
      pid: expect.any(Number),
    });
  });

  it('sends over UDP', async () => {
    const stage = await ForwarderStage.create();
    const sink = await startUdpSink();
    const { syslog } = stage.open();
    expect(await syslog.update(output(sink.port, { protocol: 'udp' }), newChange())).toMatchObject({ ok: true });
    stage.log('by datagram\n');
    await expect.poll(sink.text).toContain('] by datagram');
  });

  it('keeps the program and its configuration if a new configuration does not start', async () => {
    const stage = await ForwarderStage.create();
    const sink = await startTcpSink();
    const { syslog } = stage.open({ rsyslogPrograms: [stage.programThatRefuses('port="9"')] });
    await syslog.update(output(sink.port), newChange());
    const before = await syslog.status();
    const failed = await syslog.update(output(9), newChange());
    expect(failed).toMatchObject({ ok: false, error: { outcome: 'failed', code: 'forwarder.not_started' } });
    expect(failed).toMatchObject({
      error: { message: expect.stringMatching(/host is as before(.|\n)*refused for a reason/) },
    });
    expect(await syslog.status()).toMatchObject({ revision: before.revision, error: null, pid: expect.any(Number) });
    stage.log('still here\n');
    await expect.poll(sink.text).toContain('still here');
    expect(await syslog.masked()).toMatchObject({ rsyslog_config: output(sink.port) });
  });

  it('starts the program again that has ended, and delivers what was logged meanwhile', async () => {
    const stage = await ForwarderStage.create();
    const sink = await startTcpSink();
    const { syslog } = stage.open();
    await syslog.update(output(sink.port), newChange());
    const { pid } = await syslog.status();
    process.kill(pid ?? 0, 'SIGKILL');
    stage.log('while it was gone\n');
    await expect.poll(sink.text).toContain('while it was gone');
    expect((await syslog.status()).pid).not.toBe(pid);
  });

  it('adopts the program of an earlier agent', async () => {
    const stage = await ForwarderStage.create();
    const sink = await startTcpSink();
    const first = stage.open();
    await first.syslog.update(output(sink.port), newChange());
    const { pid } = await first.syslog.status();
    await first.close('leave');
    expect((await stage.open().syslog.status()).pid).toBe(pid);
  });

  it.each<[string, (dir: string) => void]>([
    ['changed', (dir) => writeFileSync(join(dir, 'rsyslog.conf'), '# nothing')],
    ['deleted', (dir) => rmSync(join(dir, 'rsyslog.conf'))],
  ])('restores a configuration that was %s, and runs it again', async (what, drift) => {
    const stage = await ForwarderStage.create();
    const sink = await startTcpSink();
    const { syslog } = stage.open({ checkMs: 100 });
    await syslog.update(output(sink.port), newChange());
    const { pid } = await syslog.status();
    drift(releaseOf(stage));
    await expect
      .poll(async () => (await syslog.status()).restored)
      .toMatchObject({ reason: `rsyslog.conf was ${what}` });
    await expect.poll(async () => (await syslog.status()).pid).toSatisfy((now) => now !== null && now !== pid);
    stage.log('after the drift\n');
    await expect.poll(sink.text).toContain('after the drift');
  });

  it('stops, starts and removes the forwarder', async () => {
    const stage = await ForwarderStage.create();
    const sink = await startTcpSink();
    const { syslog } = stage.open();
    await syslog.update(output(sink.port), newChange());
    await syslog.setWanted('stopped', newChange());
    expect(await syslog.status()).toMatchObject({ configured: true, wanted: 'stopped', pid: null });
    expect(await syslog.restart(newChange())).toMatchObject({ ok: false, error: { code: 'forwarder.stopped' } });
    stage.log('while it was stopped\n');
    await syslog.setWanted('running', newChange());
    await expect.poll(sink.text).toContain('while it was stopped');
    await syslog.update(null, newChange());
    expect(await syslog.status()).toMatchObject({ configured: false, pid: null });
    expect(await syslog.masked()).toBeNull();
    expect(readdirSync(join(stage.dataDir, 'log-forwarding/syslog')).sort()).toEqual([
      'logs',
      'releases',
      'state.json',
    ]);
  });

  it('refuses a command that is older than the newest one', async () => {
    const stage = await ForwarderStage.create();
    const { syslog } = stage.open();
    const older = newChange();
    await syslog.update(null, newChange());
    expect(await syslog.update(output(1), older)).toMatchObject({ ok: false, error: { code: 'command.superseded' } });
  });

  it('gives no other user access to any file', async () => {
    const stage = await ForwarderStage.create();
    const sink = await startTcpSink();
    const { syslog } = stage.open();
    await syslog.update(output(sink.port), newChange());
    stage.log('a line\n');
    await expect.poll(sink.text).toContain('a line');
    const base = join(stage.dataDir, 'log-forwarding');
    expect(statSync(base).mode & 0o077).toBe(0);
    for (const name of ['state.json', 'releases/1/rsyslog.conf', 'logs/forwarder.log'])
      expect([name, statSync(join(base, 'syslog', name)).mode & 0o077]).toEqual([name, 0]);
  });
});

function releaseOf(stage: ForwarderStage): string {
  const dir = join(stage.dataDir, 'log-forwarding/syslog');
  const { release } = JSON.parse(readFileSync(join(dir, 'state.json'), 'utf8')) as { release: number };
  return join(dir, 'releases', String(release));
}

describe('with TLS', () => {
  const over = (port: number, tls: Record<string, unknown>) =>
    output(port, {
      target: 'localhost',
      tls: { ca_cert: null, client_cert: null, client_key: null, server_name: null, ...tls },
    });

  it('delivers to a server that the custom authority has certified, and names itself', async () => {
    const stage = await ForwarderStage.create();
    const own = await createServerCertificate('localhost');
    const edge = await createServerCertificate('edge.example.com');
    const sink = await startTcpSink({
      cert: own.certificatePem,
      key: own.privateKeyPem,
      ca: edge.certificatePem,
      requestCert: true,
      rejectUnauthorized: true,
    });
    const { syslog } = stage.open();
    const tls = { ca_cert: own.certificatePem, client_cert: edge.certificatePem, client_key: edge.privateKeyPem };
    expect(await syslog.update(over(sink.port, tls), newChange())).toMatchObject({ ok: true });
    stage.log('in private\n');
    await expect.poll(sink.text).toMatch(/^\d+ <190>1 .*\] in private$/m);
    expect(JSON.stringify(await syslog.masked())).not.toContain('PRIVATE KEY');
    expect(await syslog.masked()).toMatchObject({ rsyslog_config: { rsyslog_output: { tls: { client_key: '***' } } } });
  });

  it.each([
    ['another name', 'other.example.com', true],
    ['another authority', 'localhost', false],
  ])('sends nothing to a server with %s, and says so', async (_, name, isKnown) => {
    const stage = await ForwarderStage.create();
    const server = await createServerCertificate(name);
    const other = await createServerCertificate('localhost');
    const sink = await startTcpSink({ cert: server.certificatePem, key: server.privateKeyPem });
    const forwarding = stage.open();
    const tls = { ca_cert: isKnown ? server.certificatePem : other.certificatePem };
    expect(await forwarding.syslog.update(over(sink.port, tls), newChange())).toMatchObject({ ok: true });
    stage.log('not for you\n');
    const log = join(stage.dataDir, 'log-forwarding/syslog/logs/forwarder.log');
    await expect.poll(() => readFileSync(log, 'utf8')).toMatch(/not permitted to talk to it|certificate/);
    expect(sink.text()).toBe('');
  });
});
