import { PROGRAMS, PROGRAMS_WITH_COMMANDS, type ProgramIo } from './programs.ts';

/** Runs a program or an operator command. Returns the exit code; see docs/guides/cli.md. */
export async function runCli(argv: readonly string[], io: ProgramIo): Promise<number> {
  const [name = '', ...rest] = argv;
  const isCommand = PROGRAMS_WITH_COMMANDS.has(name) && rest[0]?.startsWith('-') === false;
  const load = Object.hasOwn(PROGRAMS, name) && !isCommand ? PROGRAMS[name] : undefined;
  if (load) return (await load())(rest, io);
  const { runOperator } = await import('./operator/cli.ts');
  return runOperator(argv.length === 0 ? ['--help'] : argv, io);
}
