import { ROLES, type Role } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { ITEMS_MAX } from '../paging.ts';

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

export function parseRole(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (!role) throw new CliFailure(EXIT.usage, `"${text}" is no role: ${ROLES.join(', ')}`);
  return role;
}

/** How much a list shows that grows without end. */
export const LIMIT_DEFAULT = 50;

/** Of such a list. */
export function withLimit(command: Command): Command {
  return command.option('--limit <number>', `so many at most; ${LIMIT_DEFAULT} unless told`, parseLimit);
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > ITEMS_MAX)
    throw new CliFailure(EXIT.usage, `"${text}" is not a number from 1 to ${ITEMS_MAX}`);
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
