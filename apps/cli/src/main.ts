import { PROGRAMS, type ProgramIo } from './programs.ts';

/** `flotilla <program> ...`. Returns the exit code. */
export async function runCli(argv: readonly string[], io: ProgramIo): Promise<number> {
  const [name = '', ...rest] = argv;
  const load = PROGRAMS[name];
  if (load) return (await load())(rest, io);
  io.stderr.write(`flotilla: there is no program "${name}". Programs: ${Object.keys(PROGRAMS).join(', ')}\n`);
  return 2;
}
