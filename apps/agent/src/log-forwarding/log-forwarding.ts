import { join } from 'node:path';
import type { Logger } from '@flotilla/kit';
import type { SyslogConfig } from '@flotilla/proto/commands';
import type { UnitEvent, UnitRunner } from '../host/units/types.ts';
import { FileLog } from '../logs/file-log.ts';
import { parseForwarderLine } from '../logs/parse-line.ts';
import type { LogTarget } from '../logs/read-logs.ts';
import { Forwarder } from './forwarder.ts';
import { OUTPUT_LOG } from './forwarder-process.ts';
import { findFilebeat, findRsyslog } from './programs.ts';
import { OWN_LOG } from './render-rsyslog.ts';
import type { ShipperConfig } from './shipper/config.ts';
import { createShipperKind } from './shipper/kind.ts';
import { createSyslogKind } from './syslog-driver.ts';

export const FORWARDER_KEYS = ['syslog', 'logshipper'] as const;
export type ForwarderKey = (typeof FORWARDER_KEYS)[number];

export interface LogForwardingOptions {
  readonly dataDir: string;
  readonly runner: UnitRunner;
  readonly logger: Logger;
  /** How to run `flotilla` again. */
  readonly flotillaCommand: readonly string[];
  /** Only tests set these. */
  readonly checkMs?: number | undefined;
  readonly rsyslogPrograms?: readonly string[] | undefined;
  readonly filebeatPrograms?: readonly string[] | undefined;
  readonly queueMaxBytes?: number | undefined;
}

/** The programs of this host that forward logs. */
export class LogForwarding {
  readonly #dataDir: string;
  readonly syslog: Forwarder<SyslogConfig>;
  readonly logshipper: Forwarder<ShipperConfig>;

  constructor(options: LogForwardingOptions) {
    const { dataDir, runner, logger, checkMs, rsyslogPrograms, filebeatPrograms } = options;
    this.#dataDir = dataDir;
    const shared = { runner, logger, checkMs };
    const rsyslog = () => findRsyslog(rsyslogPrograms);
    this.syslog = new Forwarder<SyslogConfig>({
      ...shared,
      key: 'syslog',
      dir: forwarderDir(dataDir, 'syslog'),
      kind: createSyslogKind({ find: rsyslog, dataDir }),
    });
    this.logshipper = new Forwarder<ShipperConfig>({
      ...shared,
      key: 'logshipper',
      dir: forwarderDir(dataDir, 'logshipper'),
      kind: createShipperKind({
        find: { rsyslog, filebeat: () => findFilebeat(filebeatPrograms) },
        dataDir,
        flotillaCommand: options.flotillaCommand,
        queueMaxBytes: options.queueMaxBytes,
      }),
    });
  }

  noticeEvent({ type, unit }: UnitEvent): void {
    const key = FORWARDER_KEYS.find((one) => one === unit.serviceKey);
    if (type === 'exited' && key) this[key].noticeExit();
  }

  logTarget(key: ForwarderKey): LogTarget {
    const dir = forwarderLogDir(this.#dataDir, key);
    const logs = [OWN_LOG, OUTPUT_LOG].map(
      (name) => new FileLog({ dir, name, source: key, parse: parseForwarderLine }),
    );
    return { name: dir, sources: () => Promise.resolve(logs) };
  }

  async close(how: 'stop' | 'leave'): Promise<void> {
    await Promise.all(FORWARDER_KEYS.map((key) => this[key].close(how)));
  }
}

export function forwarderLogDir(dataDir: string, key: ForwarderKey): string {
  return join(forwarderDir(dataDir, key), 'logs');
}

function forwarderDir(dataDir: string, key: ForwarderKey): string {
  return join(dataDir, 'log-forwarding', key);
}
