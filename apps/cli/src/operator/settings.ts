import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeFolder, writeFileAtomically } from '@flotilla/kit';
import { CliFailure, EXIT } from './exit-codes.ts';

/** The state that `flotilla login` keeps between calls, in a file of mode 0600. */
export interface Settings {
  readonly url?: string;
  readonly username?: string;
  /** Id of the default project. */
  readonly project?: string;
  /** Tokens of the controller at `url`; sent nowhere else. */
  readonly session?: StoredSession;
}

interface StoredSession {
  readonly access_token: string;
  readonly expires_at: string;
  readonly refresh_token: string;
  readonly refresh_expires_at: string;
}

export const DEFAULT_URL = 'http://127.0.0.1:8099';

function settingsFile(env: NodeJS.ProcessEnv): string {
  if (env.FLOTILLA_CONFIG) return env.FLOTILLA_CONFIG;
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'flotilla', 'cli.json');
}

export async function readSettings(env: NodeJS.ProcessEnv): Promise<Settings> {
  const file = settingsFile(env);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CliFailure(EXIT.failed, `${file} cannot be read: ${(error as Error).message}`);
  }
  try {
    const settings: unknown = JSON.parse(text);
    if (typeof settings === 'object' && settings !== null) return settings;
  } catch {
    // The error below also covers invalid JSON.
  }
  throw new CliFailure(EXIT.failed, `${file} is damaged. Remove it and run: flotilla login`);
}

/** Replaces the file atomically, so that simultaneous calls leave a complete file. */
export async function writeSettings(env: NodeJS.ProcessEnv, settings: Settings): Promise<void> {
  const file = settingsFile(env);
  await makeFolder(dirname(file), 0o700);
  await writeFileAtomically(file, `${JSON.stringify(settings, null, 2)}\n`);
}
