import { createLogger } from '@flotilla/kit';
import { composeController } from './compose.ts';
import { parseConfig } from './config.ts';

export interface ProgramIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Aborted when the program is asked to stop. */
  readonly signal: AbortSignal;
}

/** `flotilla controller`. Returns the exit code once it has stopped. */
export async function runController(argv: readonly string[], io: ProgramIo): Promise<number> {
  const parsed = parseConfig(argv, io.env);
  if (!parsed.ok) {
    io.stderr.write(`flotilla controller: ${parsed.error}\n`);
    return 2;
  }
  const config = parsed.value;
  const logger = createLogger({ name: 'controller', level: config.logLevel });
  const controller = await composeController({ config, logger });
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
    const address = await controller.app.listen({ host: config.host, port: config.port });
    logger.info({ address }, 'controller.listening');
    await new Promise<void>((resolve) => {
      if (io.signal.aborted) resolve();
      else io.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    return 0;
  } finally {
    await controller.close();
  }
}
