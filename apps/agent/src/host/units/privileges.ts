import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ServiceIdentity } from '../identity.ts';

/** How a command is started as another user. */
export interface PrivilegedCommand {
  readonly command: readonly string[];
  /** For `spawn` when there is no `setpriv`. */
  readonly uid?: number;
  readonly gid?: number;
  /** Describes a missing tool for the log. Undefined when nothing is missing. */
  readonly weakness?: string;
}

const KEPT_CAPABILITY = '-all,+net_bind_service';

/**
 * Drops to the service's user for good, keeping nothing but the right to bind ports below 1024. `setpriv` (util-linux)
 * replaces itself by the program, so that the process number stays.
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

/** A program on PATH. */
export function findProgram(name: string, path = process.env.PATH ?? ''): string | undefined {
  for (const dir of [...path.split(delimiter), '/usr/bin', '/bin', '/usr/sbin']) {
    if (dir === '') continue;
    const candidate = join(dir, name);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // not in this folder
    }
  }
  return undefined;
}
