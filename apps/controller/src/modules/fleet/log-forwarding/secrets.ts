import { COMMAND_BODIES, type CommandName, failFleet, KEPT_SECRET, secretPathsOf } from '@flotilla/contract';
import type { AppError } from '@flotilla/kit';

export type Members = Readonly<Record<string, unknown>>;

/**
 * Fills in the secrets that a body keeps: those that are left out or `***`. Without a stored secret, one that is left out
 * becomes null. Throws command.invalid for `***` without a stored secret.
 */
export function keepSecrets(name: CommandName, given: Members, stored: Members | undefined): Members {
  return secretPathsOf(COMMAND_BODIES[name]).reduce((body, path) => keepSecret(body, stored, path), given);
}

function keepSecret(given: Members, stored: Members | undefined, path: string): Members {
  const names = path.split('.');
  const parent = readAt(given, names.slice(0, -1));
  const last = names.at(-1) ?? '';
  if (!isMembers(parent)) return given;
  const value = parent[last];
  if (value !== undefined && value !== KEPT_SECRET) return given;
  const kept = stored && readAt(stored, names);
  if (value === KEPT_SECRET && typeof kept !== 'string')
    throw invalidField(path, `there is no stored secret to keep; give it, or null`);
  return writeAt(given, names, typeof kept === 'string' ? kept : null);
}

export function invalidField(path: string, message: string): AppError {
  return failFleet(
    'command.invalid',
    { reason: `command.${path}: ${message}` },
    { details: [{ path: `command.${path}`, rule: 'invalid_value', message }] },
  );
}

export function readAt(value: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>((at, name) => (isMembers(at) ? at[name] : undefined), value);
}

function writeAt(value: unknown, [name, ...rest]: readonly string[], leaf: unknown): Members {
  const members = isMembers(value) ? value : {};
  if (name === undefined) return members;
  return { ...members, [name]: rest.length === 0 ? leaf : writeAt(members[name], rest, leaf) };
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
