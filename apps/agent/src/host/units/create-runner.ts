import { readFileSync } from 'node:fs';
import type { Logger } from '@flotilla/kit';
import type { ServiceHostOptions } from '../types.ts';
import { Supervisor } from './supervisor.ts';
import { SystemdRunner } from './systemd.ts';
import type { UnitRunner } from './types.ts';

export function createUnitRunner(options: Pick<ServiceHostOptions, 'mode' | 'dirs'>, logger: Logger): UnitRunner {
  const { mode = 'auto', dirs } = options;
  const isSystemd = mode === 'systemd' || (mode === 'auto' && isSystemdInit() && process.getuid?.() === 0);
  return isSystemd
    ? new SystemdRunner({ dataDir: dirs.dataDir, logger })
    : new Supervisor({ dataDir: dirs.dataDir, logger });
}

function isSystemdInit(): boolean {
  try {
    return readFileSync('/proc/1/comm', 'utf8').trim() === 'systemd';
  } catch {
    return false;
  }
}
