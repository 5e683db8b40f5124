import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ForwarderStage, newChange } from '../testing/forwarder-stage.ts';
import { SmallDisk } from '../testing/small-disk.ts';
import { startTcpSink } from '../testing/syslog-sink.ts';

const output = (port: number) => ({ rsyslog_output: { target: '127.0.0.1', port, protocol: 'tcp', tls: null } });

describe.runIf(process.getuid?.() === 0)('a change of a forwarder', () => {
  it('on a full disk is refused with the reason, leaves what runs, and works when there is space again', async () => {
    const stage = await ForwarderStage.create();
    const disk = new SmallDisk(join(stage.dataDir, 'log-forwarding'));
    onTestFinished(() => disk.unmount());
    const [first, second] = [await startTcpSink(), await startTcpSink()];
    const { syslog } = stage.open();
    expect(await syslog.update(output(first.port), newChange())).toMatchObject({ ok: true });
    const { pid, revision } = await syslog.status();
    await disk.fill();
    const failed = await syslog.update(output(second.port), newChange());
    expect(failed).toMatchObject({
      ok: false,
      error: { code: 'forwarder.disk_full', message: expect.stringContaining('the disk is full') },
    });
    expect(await syslog.status()).toMatchObject({ pid, revision, error: null });
    expect(await syslog.masked()).toMatchObject({ rsyslog_config: output(first.port) });
    expect(existsSync(join(stage.dataDir, 'log-forwarding/syslog/releases/2'))).toBe(false);
    await disk.free();
    stage.log('there is space\n');
    await expect.poll(first.text).toContain('there is space');
    expect(await syslog.update(output(second.port), newChange())).toMatchObject({ ok: true });
    stage.log('to the second\n');
    await expect.poll(second.text).toContain('to the second');
    // Unmounting needs an idle disk.
    await syslog.update(null, newChange());
  });
});

it('a change of a forwarder fails if its folder cannot be written, and works when it can', async () => {
  const stage = await ForwarderStage.create();
  const sink = await startTcpSink();
  const { syslog } = stage.open();
  const inTheWay = join(stage.dataDir, 'log-forwarding/syslog/releases');
  mkdirSync(dirname(inTheWay), { recursive: true });
  // Not even root can make a folder in a file.
  writeFileSync(inTheWay, '');
  await expect(syslog.update(output(sink.port), newChange())).rejects.toThrow('EEXIST');
  expect(await syslog.status()).toMatchObject({ configured: false, pid: null });
  rmSync(inTheWay);
  expect(await syslog.update(output(sink.port), newChange())).toMatchObject({ ok: true });
});
