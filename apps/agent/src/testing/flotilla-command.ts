import { join } from 'node:path';

/** Runs our programs from their sources. */
export const FLOTILLA = [process.execPath, join(import.meta.dirname, 'flotilla-process.ts')];
