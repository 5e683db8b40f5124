import { PROGRAMS, type ProgramIo } from './programs.ts';

/** Runs a program or an operator command. Returns the exit code; see docs/guides/cli.md. */
export async function runCli(argv: readonly string[], io: ProgramIo): Promise<number> {
  const [name = '', ...rest] = argv;
  const load = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (load) return (await load())(rest, io);
  const { runOperator } = await import('./operator/cli.ts');
  return runOperator(argv.length === 0 ? ['--help'] : argv, io);
}
