/** The process edge as a program sees it. */
export interface ProgramIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Aborted at the first Ctrl-C or SIGTERM, or when the terminal is closed. */
  readonly signal: AbortSignal;
  /** How to run `flotilla` again: program and leading arguments. */
  readonly command: readonly string[];
}

type Program = (argv: readonly string[], io: ProgramIo) => Promise<number>;

/** Long-running programs, each loaded only when it is the one that runs. */
export const PROGRAMS: Readonly<Record<string, () => Promise<Program>>> = {
  controller: async () => (await import('@flotilla/controller')).runController,
  agent: async () => (await import('@flotilla/agent')).runAgent,
  shield: async () => async (argv, io) => (await import('@flotilla/shield')).runShield([...argv], io),
  up: async () => (await import('./up/index.ts')).runUp,
};
