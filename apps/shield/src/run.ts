import { createLogger } from '@flotilla/kit';
import { runExplain } from './commands/explain.ts';
import { runReplay } from './commands/replay.ts';
import { EXIT_FAILED, EXIT_OK, type ShieldIo } from './commands/shield-io.ts';
import { refuseUsage, USAGE } from './commands/usage.ts';
import { runValidate } from './commands/validate.ts';
import { renderEnvoyConfig } from './envoy-config.ts';
import { parseEnvoyConfigOptions } from './envoy-config-options.ts';
import { parseShieldOptions } from './options.ts';
import { serveShield } from './serve.ts';

export type { ShieldIo } from './commands/shield-io.ts';

/**
 * `flotilla shield ...`: serves, or runs a command. Resolves with the exit code: 0; 1 for a bad policy, address or log;
 * 2 for a bad command line or environment.
 */
export async function runShield(argv: readonly string[], io: ShieldIo): Promise<number> {
  const [command, ...rest] = argv;
  if (argv.includes('--help') || command === '-h') {
    io.stdout.write(USAGE);
    return EXIT_OK;
  }
  switch (command) {
    case 'validate':
      return runValidate(rest, io);
    case 'explain':
      return runExplain(rest, io);
    case 'replay':
      return runReplay(rest, io);
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
