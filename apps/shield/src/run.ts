import { createLogger, type Logger } from '@flotilla/kit';
import { loadPolicyFiles } from '@flotilla/policy';
import { readBundle } from './bundle-reader.ts';
import { renderEnvoyConfig } from './envoy-config.ts';
import { locateProblems } from './locate-problems.ts';
import { parseEnvoyConfigOptions, parseShieldOptions, USAGE } from './options.ts';
import { serveShield } from './serve.ts';

export interface ShieldIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Aborts when the program is asked to end: exchanges are drained, then the run resolves. */
  readonly signal: AbortSignal;
  /** One line of JSON per event on stdout, unless given. */
  readonly logger?: Logger;
}

const EXIT_OK = 0;
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/**
 * `flotilla shield ...`: serves, validates a bundle, or prints Envoy's part. Resolves with the exit code: 0, 1 when the
 * policy or an address is bad, 2 when the command line or the environment is.
 */
export async function runShield(argv: readonly string[], io: ShieldIo): Promise<number> {
  const [command, ...rest] = argv;
  if (argv.includes('--help') || argv.includes('-h')) {
    io.stdout.write(USAGE);
    return EXIT_OK;
  }
  switch (command) {
    case 'validate':
      return validate(rest, io);
    case 'envoy-config': {
      const options = parseEnvoyConfigOptions(rest, io.env);
      if (!options.ok) return refuseUsage(io, options.error);
      io.stdout.write(renderEnvoyConfig(options.value));
      return EXIT_OK;
    }
    default: {
      const options = parseShieldOptions(argv, io.env);
      if (!options.ok) return refuseUsage(io, options.error);
      const logger = io.logger ?? createLogger({ name: 'shield' });
      const served = await serveShield(options.value, { logger, signal: io.signal });
      if (served.ok) return EXIT_OK;
      io.stderr.write(`${served.error.join('\n')}\n`);
      return EXIT_FAILED;
    }
  }
}

async function validate(args: readonly string[], io: ShieldIo): Promise<number> {
  const [path, ...rest] = args;
  if (path === undefined || rest.length > 0 || path.startsWith('-'))
    return refuseUsage(io, 'validate takes one FILE or DIR');
  const files = await readBundle(path);
  const loaded = files.ok ? loadPolicyFiles(files.value) : files;
  if (loaded.ok) {
    const { domains, policyNames, digest } = loaded.value;
    io.stdout.write(`${path}: valid (${policyNames.length} policies, ${domains.length} domains, digest ${digest})\n`);
    return EXIT_OK;
  }
  io.stderr.write(`${(await locateProblems(path, loaded.error)).join('\n')}\n`);
  return EXIT_FAILED;
}

function refuseUsage(io: ShieldIo, message: string): number {
  io.stderr.write(`flotilla shield: ${message}\n\n${USAGE}`);
  return EXIT_USAGE;
}
