import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger } from '@flotilla/kit';
import { onTestFinished } from 'vitest';
import { Supervisor } from '../host/units/supervisor.ts';
import { LogForwarding, type LogForwardingOptions } from '../log-forwarding/log-forwarding.ts';
import { FLOTILLA } from './flotilla-command.ts';

const SERVICE_KEY = '0123456789ab';

/** A data folder with the logs of one service. Forwarders that still run end with the test. */
export class ForwarderStage {
  readonly dataDir: string;
  readonly #opened = new Set<LogForwarding>();

  private constructor(dataDir: string) {
    this.dataDir = dataDir;
    mkdirSync(join(dataDir, 'services', SERVICE_KEY, 'logs'), { recursive: true });
    mkdirSync(join(dataDir, 'services', SERVICE_KEY, 'files'));
  }

  static async create(): Promise<ForwarderStage> {
    const stage = new ForwarderStage(await mkdtemp(join(tmpdir(), 'ff-')));
    onTestFinished(() => stage.#destroy());
    return stage;
  }

  /** Opens the forwarders as an agent does when it starts. */
  open(options: Partial<LogForwardingOptions> = {}): LogForwarding {
    const logger = createSilentLogger();
    const runner = new Supervisor({ dataDir: this.dataDir, logger });
    const forwarding = new LogForwarding({
      dataDir: this.dataDir,
      runner,
      logger,
      flotillaCommand: FLOTILLA,
      ...options,
    });
    runner.onEvent((event) => forwarding.noticeEvent(event));
    this.#opened.add(forwarding);
    return forwarding;
  }

  log(text: string, name = 'logs/envoy.log'): void {
    appendFileSync(join(this.dataDir, 'services', SERVICE_KEY, name), text);
  }

  logBytes(bytes: Uint8Array, name = 'logs/envoy.log'): void {
    appendFileSync(join(this.dataDir, 'services', SERVICE_KEY, name), bytes);
  }

  /** A log of another program of the host, with the pattern that finds it. */
  createHostLog() {
    const dir = mkdtempSync('/var/log/flotilla-test-');
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const append = (text: string) => appendFileSync(join(dir, 'some.log'), text);
    append('');
    return { pattern: join(dir, '*.log'), append };
  }

  /** The names of the units of a forwarder, running or not. */
  units(key = 'syslog'): string[] {
    return readdirSync(join(this.dataDir, 'units', key)).map((name) => name.replace(/\.pid$/, ''));
  }

  /** A program that accepts every configuration, and ends at once if it contains `text`. */
  programThatRefuses(text: string): string {
    const path = join(this.dataDir, 'rsyslogd');
    const script = `#!/bin/sh
for last do :; done
[ "$1" = -N1 ] || ! grep -qF '${text}' "$last" || { echo "refused for a reason" >&2; exit 3; }
exec /usr/sbin/rsyslogd "$@"
`;
    writeFileSync(path, script, { mode: 0o755 });
    return path;
  }

  async #destroy(): Promise<void> {
    for (const one of this.#opened) await one.close('leave');
    await this.open().close('stop');
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

let fence = 0n;

/** A change that is newer than all before it. */
export function newChange() {
  fence += 1n;
  return { fence, revision: Number(fence), onStep: () => undefined };
}
