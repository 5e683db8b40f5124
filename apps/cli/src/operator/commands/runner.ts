import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { ProgramIo } from '../../programs.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { print, printable, printJson } from '../output.ts';
import type { CommonOptions } from './scope-options.ts';

/** Wraps the bodies of hand-written commands: prints their answers and reports their exit codes. */
export interface Runner {
  readonly io: ProgramIo;
  /** Wraps the body of a command; its return value is the exit code, 0 when it returns none. */
  action<Args extends unknown[]>(
    body: (...args: Args) => Promise<ExitCode | undefined>,
  ): (...args: Args) => Promise<void>;
  /** For a command that ends with one answer. */
  answer<Args extends [...unknown[], CommonOptions]>(
    body: (...args: Args) => Promise<Answer>,
  ): (...args: [...Args, Command]) => Promise<void>;
  /** For a command that shows one record: as YAML, or as JSON with `--json`. */
  show<Args extends [...unknown[], CommonOptions]>(
    read: (...args: Args) => Promise<unknown>,
  ): (...args: [...Args, Command]) => Promise<void>;
}

/** Prints the value with `--json`, else the text without control characters. */
interface Answer {
  readonly json: unknown;
  readonly text: string;
}

export function createRunner(io: ProgramIo, end: (code: ExitCode) => void): Runner {
  const answer: Runner['answer'] =
    (body) =>
    async (...args) => {
      const own = args.slice(0, -1) as Parameters<typeof body>;
      const { json, text } = await body(...own);
      if ((own.at(-1) as CommonOptions).json) printJson(io, json);
      else print(io, text.split('\n').map(printable).join('\n'));
      end(EXIT.ok);
    };
  return {
    io,
    action:
      (body) =>
      async (...args) =>
        end((await body(...args)) ?? EXIT.ok),
    answer,
    show: (read) =>
      answer(async (...args: Parameters<typeof read>) => {
        const record = await read(...args);
        return { json: record, text: stringify(record) };
      }),
  };
}
