import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { ITEMS_MAX } from '../paging.ts';

/** Collects the values of an option that may be repeated. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

/** Number of rows of lists without an upper bound, such as events. */
export const LIMIT_DEFAULT = 50;

export function withLimit(command: Command): Command {
  return command.option('--limit <number>', `maximum number of rows; ${LIMIT_DEFAULT} by default`, parseLimit);
}

export function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > ITEMS_MAX)
    throw new CliFailure(EXIT.usage, `"${text}" is not a number from 1 to ${ITEMS_MAX}`);
  return limit;
}

/** Parses a JSON object. `from` names its origin, such as `--body`. The error does not contain the text, which may contain secrets. */
export function parseObject(text: string, from: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The error below also covers invalid JSON.
  }
  throw new CliFailure(EXIT.usage, `${from} is not a JSON object`);
}
