import { join } from 'node:path';
import type { Logger } from '@flotilla/kit';
import type { SyslogConfig } from '@flotilla/proto/commands';
import type { UnitEvent, UnitRunner } from '../host/units/types.ts';
import { FileLog } from '../logs/file-log.ts';
import { parseForwarderLine } from '../logs/parse-line.ts';
import type { LogTarget } from '../logs/read-logs.ts';
import { Forwarder } from './forwarder.ts';
import { OWN_LOG } from './render-rsyslog.ts';
import { findRsyslog } from './rsyslog-programs.ts';
import { createSyslogDriver } from './syslog-driver.ts';

export type ForwarderKey = 'syslog';
export const FORWARDER_KEYS: readonly ForwarderKey[] = ['syslog'];

export interface LogForwardingOptions {
  readonly dataDir: string;
  readonly runner: UnitRunner;
  readonly logger: Logger;
  /** Only tests set these. */
  readonly checkMs?: number | undefined;
  readonly rsyslogPrograms?: readonly string[] | undefined;
}

/** The programs of this host that forward logs. */
export class LogForwarding {
  readonly #dataDir: string;
  readonly syslog: Forwarder<SyslogConfig>;

  constructor({ dataDir, runner, logger, checkMs, rsyslogPrograms }: LogForwardingOptions) {
    this.#dataDir = dataDir;
    this.syslog = new Forwarder<SyslogConfig>({
      key: 'syslog',
      dir: forwarderDir(dataDir, 'syslog'),
      findDriver: async () => {
        const program = await findRsyslog(rsyslogPrograms);
        return program === undefined ? undefined : createSyslogDriver({ program, dataDir });
      },
      runner,
      logger,
      checkMs,
    });
  }

  noticeEvent({ type, unit }: UnitEvent): void {
    if (type === 'exited' && unit.serviceKey === 'syslog') this.syslog.noticeExit();
  }

  logTarget(key: ForwarderKey): LogTarget {
    const dir = forwarderLogDir(this.#dataDir, key);
    const log = new FileLog({ dir, name: OWN_LOG, source: key, parse: parseForwarderLine });
    return { name: dir, sources: () => Promise.resolve([log]) };
  }

  async close(how: 'stop' | 'leave'): Promise<void> {
    await this.syslog.close(how);
  }
}

export function forwarderLogDir(dataDir: string, key: ForwarderKey): string {
  return join(forwarderDir(dataDir, key), 'logs');
}

function forwarderDir(dataDir: string, key: ForwarderKey): string {
  return join(dataDir, 'log-forwarding', key);
}
