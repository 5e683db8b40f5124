import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ServiceIdentity } from '../identity.ts';

/** A command that runs as another user. */
export interface PrivilegedCommand {
  readonly command: readonly string[];
  /** User and group for `spawn`, if there is no `setpriv`. */
  readonly uid?: number;
  readonly gid?: number;
  /** Message for the log about a missing tool. */
  readonly weakness?: string;
}

const KEPT_CAPABILITY = '-all,+net_bind_service';

/**
 * Returns a command that runs permanently as the service's user and keeps only the capability to bind ports below 1024. `setpriv`
 * (util-linux) replaces itself with the program, so the process id stays the same.
 */
export function dropPrivileges(
  command: readonly string[],
  identity: ServiceIdentity | undefined,
  setpriv: string | undefined,
): PrivilegedCommand {
  if (!identity) return { command };
  if (setpriv === undefined) {
    const weakness = 'setpriv (util-linux) is missing: ports below 1024 cannot be bound';
    return { command, uid: identity.uid, gid: identity.gid, weakness };
  }
  return {
    command: [
      setpriv,
      `--reuid=${identity.uid}`,
      `--regid=${identity.gid}`,
      '--clear-groups',
      `--inh-caps=${KEPT_CAPABILITY}`,
      `--ambient-caps=${KEPT_CAPABILITY}`,
      `--bounding-set=${KEPT_CAPABILITY}`,
      '--no-new-privs',
      '--',
      ...command,
    ],
  };
}

/** Returns the path of a program on PATH or in the usual folders. */
export function findProgram(name: string, path = process.env.PATH ?? ''): string | undefined {
  for (const dir of [...path.split(delimiter), '/usr/bin', '/bin', '/usr/sbin']) {
    if (dir === '') continue;
    const candidate = join(dir, name);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // The program is not in this folder.
    }
  }
  return undefined;
}
