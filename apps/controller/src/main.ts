import { hostname } from 'node:os';
import { createLogger } from '@flotilla/kit';
import { composeController } from './compose.ts';
import { restoreInstallation } from './compose-restore.ts';
import { parseConfig } from './config.ts';

export interface ProgramIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Aborted when the program is asked to stop. */
  readonly signal: AbortSignal;
}

/** Somebody has taken this controller away from among the others: whoever looks after it may start it anew. */
const EXIT_REMOVED = 1;

/** `flotilla controller`. Returns the exit code once it has stopped. */
export async function runController(argv: readonly string[], io: ProgramIo): Promise<number> {
  const parsed = parseConfig(argv, io.env);
  if (!parsed.ok) {
    io.stderr.write(`flotilla controller: ${parsed.error}\n`);
    return 2;
  }
  const config = parsed.value;
  const logger = createLogger({ name: 'controller', level: config.logLevel });
  if (config.restore) return restoreInstallation({ config, restore: config.restore, logger }, io);
  const controller = await composeController({ config, logger });
  const { presence } = controller;
  try {
    if (controller.firstOwner && !config.firstOwnerPassword) {
      const { username, password } = controller.firstOwner;
      io.stdout.write(
        `\nFirst start. The owner account is "${username}" with the password ${password}\nIt is not shown again.\n\n`,
      );
    }
    // First what agents dial: a controller that answers REST can be enrolled with.
    const grpcPort = await controller.streams.listen({ host: config.grpcHost, port: config.grpcPort });
    logger.info({ host: config.grpcHost, port: grpcPort }, 'controller.grpc_listening');
    await presence.takes('agents', config.grpcAdvertise ?? reachable(`${config.grpcHost}:${grpcPort}`));
    const address = await controller.app.listen({ host: config.host, port: config.port });
    logger.info({ address }, 'controller.listening');
    await presence.takes('api', reachable(address));
    const stop = AbortSignal.any([io.signal, presence.removed]);
    await new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      else stop.addEventListener('abort', () => resolve(), { once: true });
    });
    return io.signal.aborted ? 0 : EXIT_REMOVED;
  } finally {
    await controller.close();
  }
}

/** Nobody can dial an address that stands for all of a machine's. */
function reachable(address: string): string {
  return address.replace(/(^|\/\/)(0\.0\.0\.0|\[?::\]?)(?=:\d+$)/, `$1${hostname()}`);
}
