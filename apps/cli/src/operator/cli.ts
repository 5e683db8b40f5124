import { Command, CommanderError } from 'commander';
import type { ProgramIo } from '../programs.ts';
import { addCommandCommands } from './commands/commands.ts';
import { addDependencyCommand } from './commands/dependencies.ts';
import { addDocumentCommands } from './commands/documents.ts';
import { addEnvoyCommands } from './commands/envoy.ts';
import { addEventCommands } from './commands/events.ts';
import { addFleetViewCommand } from './commands/fleet-view.ts';
import { addHistoryCommands } from './commands/history.ts';
import { addImportCommand } from './commands/import.ts';
import * as entries from './commands/index.ts';
import { addLdapCommands } from './commands/ldap.ts';
import { addOverviewCommand } from './commands/overview.ts';
import { addPublishCommand } from './commands/publish.ts';
import { addRolloutCommand } from './commands/rollout.ts';
import { createRunner } from './commands/runner.ts';
import { addSessionCommands } from './commands/session.ts';
import { addSnapshotCommand } from './commands/snapshot.ts';
import { addTrialCommands } from './commands/trials.ts';
import { addUnpublishCommand } from './commands/unpublish.ts';
import { addCompletionCommands } from './completion/commands.ts';
import { EXIT, toFailure } from './exit-codes.ts';
import { addEntry, type Noun } from './nouns/noun.ts';
import type { Verb } from './nouns/verb.ts';
import { note, printable } from './output.ts';

const VERSION = '0.1.0';

const PROGRAMS_HELP = `
Programs that run until they are stopped:
  flotilla up          all programs on this machine, with a demo
  flotilla controller  REST API, xDS and commands
  flotilla agent       next to the proxies
  flotilla ha          the daemon of an HA pair, with --config (flotilla ha pairs is a command)
  flotilla shield      the request filter

Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 3 not signed in or not allowed, 4 not found, 5 conflict or stale,
6 controller not reachable, 7 accepted but not yet done everywhere, 10 differs (diff, replay, jobs watch, audit verify).`;

/** Runs an operator command and returns the exit code. */
export async function runOperator(argv: readonly string[], io: ProgramIo): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram(io, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const failure = toFailure(error);
    note(io, printable(`flotilla: ${failure.message}`));
    for (const line of failure.lines) note(io, printable(line));
    return failure.exitCode;
  }
}

export function createProgram(io: ProgramIo, end: (code: (typeof EXIT)[keyof typeof EXIT]) => void): Command {
  const program = new Command('flotilla')
    .description('Run fleets of Envoy proxies and guard the traffic through them')
    .version(VERSION)
    .addHelpText('after', PROGRAMS_HELP);
  const runner = createRunner(io, end);
  addSessionCommands(program, runner);
  for (const [name, entry] of Object.entries<Noun | Verb>(entries)) addEntry(program, runner, name, entry);
  addDocumentCommands(program, runner);
  addImportCommand(program, runner);
  addHistoryCommands(program, runner);
  addPublishCommand(program, runner);
  addUnpublishCommand(program, runner);
  addRolloutCommand(program, runner);
  addDependencyCommand(program, runner);
  addOverviewCommand(program, runner);
  addFleetViewCommand(program, runner);
  addSnapshotCommand(program, runner);
  addEventCommands(program, runner);
  addTrialCommands(program, runner);
  addCommandCommands(program, runner);
  addLdapCommands(program, runner);
  addEnvoyCommands(program, runner);
  addCompletionCommands(program, runner);
  for (const command of everyCommand(program)) {
    command
      // Options belong to the command that they follow: in `get --version 1.40.0` it is not the option of the program.
      .enablePositionalOptions()
      .exitOverride()
      .showSuggestionAfterError()
      .configureOutput({
        writeOut: (text) => io.stdout.write(text),
        writeErr: (text) => io.stderr.write(text),
        outputError: (text, write) => write(command.commands.length > 0 ? text + explainPlace(text) : text),
      });
  }
  return program;
}

/** Helps people who put options before the command, as many other programs allow. */
function explainPlace(error: string): string {
  if (!error.startsWith('error: unknown option')) return '';
  return 'Options follow the command: flotilla services --project shop\n';
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}
