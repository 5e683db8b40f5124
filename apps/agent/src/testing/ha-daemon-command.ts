import { join } from 'node:path';

/** Runs the stand-in of the daemon of a pair. */
export const HA_DAEMON = [process.execPath, join(import.meta.dirname, 'ha-daemon-process.ts')];
