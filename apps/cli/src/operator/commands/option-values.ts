import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { ITEMS_MAX } from '../paging.ts';

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** For lists that grow without end. */
export const LIMIT_DEFAULT = 50;

export function withLimit(command: Command): Command {
  return command.option('--limit <number>', `the largest number of rows; ${LIMIT_DEFAULT} by default`, parseLimit);
}

export function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > ITEMS_MAX)
    throw new CliFailure(EXIT.usage, `"${text}" is not a number from 1 to ${ITEMS_MAX}`);
  return limit;
}

/** Parses a JSON object. `from` names its origin, such as `--body`. The error does not contain the text: it may hold secrets. */
export function parseObject(text: string, from: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The error below covers this.
  }
  throw new CliFailure(EXIT.usage, `${from} is not a JSON object`);
}
