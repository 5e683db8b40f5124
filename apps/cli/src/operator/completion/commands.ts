import { Argument, type Command } from 'commander';
import type { Runner } from '../commands/runner.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printable } from '../output.ts';
import { complete } from './complete.ts';
import { COMPLETION_SCRIPTS, SHELLS, type Shell } from './scripts.ts';

export function addCompletionCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>').choices([...SHELLS]))
    .action(
      runner.action(async (shell: Shell) => {
        print(io, COMPLETION_SCRIPTS[shell]);
        return EXIT.ok;
      }),
    );

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(
      runner.action(async (words: string[]) => {
        const candidates = await complete(program, io, words);
        if (candidates.length > 0) print(io, candidates.map(printable).join('\n'));
        return EXIT.ok;
      }),
    );
}
