/** The streams, environment and signal that a program gets from the process edge. */
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

/** Programs whose name is also that of operator commands. A word after it names a command: `flotilla ha pairs`. */
export const PROGRAMS_WITH_COMMANDS: ReadonlySet<string> = new Set(['ha']);

const HA_COMMANDS_HELP = `
The agent starts this daemon for the pairs of a controller. To manage those pairs: flotilla ha pairs --help
`;

/** Long-running programs. Only the one that runs is loaded. */
export const PROGRAMS: Readonly<Record<string, () => Promise<Program>>> = {
  controller: async () => (await import('@flotilla/controller')).runController,
  agent: async () => (await import('@flotilla/agent')).runAgent,
  // Started by the agent, to take back a change of the network that cuts it off.
  'network-guard':
    async () =>
    async ([dataDir = '', id = '']) => {
      await (await import('@flotilla/agent/network-guard')).guardChange(dataDir, id);
      return 0;
    },
  // Started by the agent, to create a support bundle while the agent does other work.
  'support-bundle':
    async () =>
    async ([root = '', id = '']) => {
      await (await import('@flotilla/agent/support-bundle')).createBundle(root, id);
      return 0;
    },
  ha: async () => {
    const { runHa } = await import('@flotilla/ha-daemon');
    return async (argv, io) => {
      const code = await runHa(argv, io);
      if (argv.includes('--help')) io.stdout.write(HA_COMMANDS_HELP);
      return code;
    };
  },
  // Started by an rsyslog of the agent, to send lines to a search engine.
  'log-writer':
    async () =>
    async ([settings = ''], io) =>
      (await import('@flotilla/agent/log-writer')).runLogWriter(settings, io),
  shield: async () => async (argv, io) => (await import('@flotilla/shield')).runShield([...argv], io),
  up: async () => (await import('./up/index.ts')).runUp,
};
