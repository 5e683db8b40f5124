import { ROLES, type Role } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

export function parseRole(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (!role) throw new CliFailure(EXIT.usage, `"${text}" is no role: ${ROLES.join(', ')}`);
  return role;
}

/** More than that is not for a terminal. */
const LIMIT_MAX = 20_000;

export function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw new CliFailure(EXIT.usage, `"${text}" is not a number from 1 to ${LIMIT_MAX}`);
  return limit;
}

/** Of what `from` says, such as `--body`. What was read is not told: it may hold secrets. */
export function parseObject(text: string, from: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  throw new CliFailure(EXIT.usage, `${from} is not a JSON object`);
}

/** Of what has a name and a description. */
export interface NamingOptions {
  readonly name?: string;
  readonly description?: string;
}

/** What is to be changed of them; an empty description takes it away. */
export function toNaming({ name, description }: NamingOptions): { name?: string; description?: string | null } {
  if (name === undefined && description === undefined)
    throw new CliFailure(EXIT.usage, 'Say what to change: --name or --description');
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description: description === '' ? null : description }),
  };
}
