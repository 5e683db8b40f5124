import { EXIT, type ExitCode } from '../exit-codes.ts';
import { note, print, printJson } from '../output.ts';
import { ask, isTerminal } from './questions.ts';
import type { Runner } from './runner.ts';

interface PlannedWrite<Result> {
  readonly call: (dryRun: boolean) => Promise<Result>;
  readonly describe: (plan: Result) => string;
  /** Such as `Publish it?` */
  readonly question: string;
  readonly options: { readonly dryRun?: boolean; readonly yes?: boolean; readonly json?: boolean };
}

type Written<Result> =
  | { readonly kind: 'written'; readonly result: Result }
  | { readonly kind: 'ended'; readonly code: ExitCode };

/** Shows the plan and asks on a terminal, then writes. A dry run ends with the plan. */
export async function writePlanned<Result>(
  { io }: Runner,
  { call, describe, question, options }: PlannedWrite<Result>,
): Promise<Written<Result>> {
  const asks = !options.yes && !options.json && isTerminal(io);
  const plan = options.dryRun || asks ? await call(true) : undefined;
  if (plan && !options.json) print(io, describe(plan));
  if (options.dryRun) {
    if (options.json) printJson(io, plan);
    return { kind: 'ended', code: EXIT.ok };
  }
  if (asks && !/^y(es)?$/i.test((await ask(io, `${question} [y/N] `)).trim())) {
    note(io, 'Nothing was changed.');
    return { kind: 'ended', code: EXIT.failed };
  }
  const result = await call(false);
  if (!plan && !options.json) print(io, describe(result));
  return { kind: 'written', result };
}
