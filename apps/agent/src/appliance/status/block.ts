import type { Result } from '@flotilla/kit';
import { runProgram } from '../../network/programs.ts';
import type { NetworkSettings, Problem } from '../../network/types.ts';

/** A block of the status, or why this host does not have it. */
export type Block<T> = { readonly value: T } | { readonly unavailable: string };

const PROGRAM_MS = 8_000;
const HERE: Pick<NetworkSettings, 'prefix'> = { prefix: [] };

/** Asks a program of the host. */
export function ask(command: readonly string[]): Promise<Result<string, Problem>> {
  return runProgram(HERE, command, { timeoutMs: PROGRAM_MS });
}
