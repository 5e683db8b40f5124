import { readFileSync } from 'node:fs';
import type { Logger } from '@flotilla/kit';
import type { ServiceHostOptions } from '../types.ts';
import { Supervisor } from './supervisor.ts';
import { SystemdRunner } from './systemd.ts';
import type { UnitRunner } from './types.ts';

export interface RunnerChoice {
  /** Data folder of the agent that owns the units. */
  readonly dataDir: string;
  readonly mode?: ServiceHostOptions['mode'];
}

export function createUnitRunner({ dataDir, mode = 'auto' }: RunnerChoice, logger: Logger): UnitRunner {
  const isSystemd = mode === 'systemd' || (mode === 'auto' && isSystemdInit() && process.getuid?.() === 0);
  return isSystemd ? new SystemdRunner({ dataDir, logger }) : new Supervisor({ dataDir, logger });
}

/** Systemd is process 1. */
export function isSystemdInit(): boolean {
  try {
    return readFileSync('/proc/1/comm', 'utf8').trim() === 'systemd';
  } catch {
    return false;
  }
}
