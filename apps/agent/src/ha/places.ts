import { join } from 'node:path';

/** Names the folder and the unit of the daemon. */
export const HA_KEY = 'ha';

export interface HaPlaces {
  /** Only the agent writes here. */
  readonly dir: string;
  readonly configFile: string;
  /** The daemon's own folder, with its term and its socket. */
  readonly daemonDir: string;
  readonly socket: string;
  readonly logDir: string;
}

export function haPlaces(dataDir: string): HaPlaces {
  const dir = join(dataDir, HA_KEY);
  const daemonDir = join(dir, 'daemon');
  return {
    dir,
    configFile: join(dir, 'pair.json'),
    daemonDir,
    socket: join(daemonDir, 'ha.sock'),
    logDir: join(dir, 'logs'),
  };
}
