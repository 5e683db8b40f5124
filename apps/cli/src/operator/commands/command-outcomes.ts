import type { CommandResultRecord } from '@flotilla/contract';
import { EXIT, type ExitCode } from '../exit-codes.ts';

/** A failed target is more important than an unfinished one. */
export function exitCodeOfOutcomes(results: readonly Pick<CommandResultRecord, 'outcome'>[]): ExitCode {
  const has = (...outcomes: CommandResultRecord['outcome'][]) =>
    results.some(({ outcome }) => outcomes.includes(outcome));
  if (has('failed', 'refused', 'unknown')) return EXIT.failed;
  return has('pending', 'running') ? EXIT.unfinished : EXIT.ok;
}
