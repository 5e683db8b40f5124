import { Command, CommanderError } from 'commander';
import type { ProgramIo } from '../programs.ts';
import { addAuditCommands } from './commands/audit.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addCleanUpCommands } from './commands/cleanup.ts';
import { addCommandCommands } from './commands/commands.ts';
import { addConfigErrorCommands } from './commands/config-errors.ts';
import { addControllerCommands } from './commands/controllers.ts';
import { addCounterCommand } from './commands/counters.ts';
import { addDependencyCommand } from './commands/dependencies.ts';
import { addDiscoveryTokenCommands } from './commands/discovery-token.ts';
import { addDocumentCommands } from './commands/documents.ts';
import { addEnrolmentCommands } from './commands/enrolment.ts';
import { addEnvoyCommands } from './commands/envoy.ts';
import { addEventCommands } from './commands/events.ts';
import { addFleetCommands } from './commands/fleet.ts';
import { addGeoipCommands } from './commands/geoip.ts';
import { addGroupCommands } from './commands/groups.ts';
import { addHistoryCommands } from './commands/history.ts';
import { addJobCommands } from './commands/jobs.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addLdapCommands } from './commands/ldap.ts';
import { addOwnSessionCommands } from './commands/live-sessions.ts';
import { addMayCommand } from './commands/may.ts';
import { addOverviewCommand } from './commands/overview.ts';
import { addPermissionCommands } from './commands/permissions.ts';
import { addPolicyCommands } from './commands/policies.ts';
import { addProjectCommands } from './commands/projects.ts';
import { addRolloutCommand } from './commands/rollout.ts';
import { createRunner } from './commands/runner.ts';
import { addSearchCommands } from './commands/search.ts';
import { addSecondFactorCommand } from './commands/second-factor.ts';
import { addSessionCommands } from './commands/session.ts';
import { addSettingCommands } from './commands/settings.ts';
import { addSignInBlockCommands } from './commands/sign-in-blocks.ts';
import { addSigningKeyCommands } from './commands/signing-keys.ts';
import { addSnapshotCommand } from './commands/snapshot.ts';
import { addStorageCommand } from './commands/storage.ts';
import { addThreatFeedCommands } from './commands/threat-feeds.ts';
import { addTokenCommands } from './commands/tokens.ts';
import { addTrialCommands } from './commands/trials.ts';
import { addUserCommands } from './commands/users.ts';
import { addZoneCommands } from './commands/zones.ts';
import { addCompletionCommands } from './completion/commands.ts';
import { EXIT, toFailure } from './exit-codes.ts';
import { note, printable } from './output.ts';

const VERSION = '0.1.0';

const PROGRAMS_HELP = `
Programs that run until they are stopped:
  flotilla up          everything on this machine, with a demo
  flotilla controller  REST API, xDS and commands
  flotilla agent       beside the proxies
  flotilla shield      the request filter

Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 3 not signed in or not allowed, 4 not found, 5 conflict or stale,
6 controller not reachable, 7 taken on but not done everywhere yet, 10 differs (diff, replay, jobs watch, audit verify).`;

/** Operator commands: everything that is not a program. Returns the exit code. */
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
  addOwnSessionCommands(program, runner);
  addDocumentCommands(program, runner);
  addHistoryCommands(program, runner);
  addRolloutCommand(program, runner);
  addDependencyCommand(program, runner);
  addOverviewCommand(program, runner);
  addSearchCommands(program, runner);
  addFleetCommands(program, runner);
  addSnapshotCommand(program, runner);
  addConfigErrorCommands(program, runner);
  addEnrolmentCommands(program, runner);
  addPolicyCommands(program, runner);
  addEventCommands(program, runner);
  addCounterCommand(program, runner);
  addTrialCommands(program, runner);
  addCommandCommands(program, runner);
  addProjectCommands(program, runner);
  addUserCommands(program, runner);
  addGroupCommands(program, runner);
  addPermissionCommands(program, runner);
  addMayCommand(program, runner);
  addTokenCommands(program, runner);
  addDiscoveryTokenCommands(program, runner);
  addZoneCommands(program, runner);
  addAuditCommands(program, runner);
  addJobCommands(program, runner);
  addBackupCommands(program, runner);
  addCleanUpCommands(program, runner);
  addControllerCommands(program, runner);
  addKeyCommands(program, runner);
  addSigningKeyCommands(program, runner);
  addSignInBlockCommands(program, runner);
  addSettingCommands(program, runner);
  addSecondFactorCommand(program, runner);
  addLdapCommands(program, runner);
  addGeoipCommands(program, runner);
  addThreatFeedCommands(program, runner);
  addStorageCommand(program, runner);
  addEnvoyCommands(program, runner);
  addCompletionCommands(program, runner);
  for (const command of everyCommand(program)) {
    command
      // Options belong to the command they follow: `get --version` is not the program's own.
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

/** Said of an option that stands before the command that takes it, as many other programs have it. */
function explainPlace(error: string): string {
  if (!error.startsWith('error: unknown option')) return '';
  return 'Options stand behind the command: flotilla services --project shop\n';
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}
