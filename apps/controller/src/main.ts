import { hostname } from 'node:os';
import { createLogger, type Logger, makeFolder, toErrorMessage } from '@flotilla/kit';
import { type Controller, composeController } from './compose.ts';
import { FEATURES } from './features.ts';
import { restoreInstallation } from './modules/operations/restore-installation.ts';
import { moveEvents } from './modules/traffic/move-events/index.ts';
import { CONTROLLER_USAGE, type ControllerConfig, parseConfig } from './platform/config.ts';
import { LogQueue } from './platform/otlp/index.ts';

export interface ProgramIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Aborted when the program must stop. */
  readonly signal: AbortSignal;
}

/** Somebody removed this controller from the registry. A supervisor may restart it. */
const EXIT_REMOVED = 1;
const EXIT_NOT_STARTED = 1;

/** `flotilla controller`. Returns the exit code once it has stopped. */
export async function runController(argv: readonly string[], io: ProgramIo): Promise<number> {
  if (argv.includes('--help')) {
    io.stdout.write(CONTROLLER_USAGE);
    return 0;
  }
  const parsed = parseConfig(argv, io.env);
  if (!parsed.ok) {
    io.stderr.write(`flotilla controller: ${parsed.error}\nflotilla controller --help says what there is.\n`);
    return 2;
  }
  const config = parsed.value;
  const exportedLogs = new LogQueue();
  const logger = createLogger({
    name: 'controller',
    level: config.logLevel,
    ...(config.otlp.logs && { tap: (line) => exportedLogs.offer(line) }),
  });
  let controller: Controller | undefined;
  try {
    await makeFolder(config.dataDir, 0o711);
    if (config.restore)
      return await restoreInstallation({ config, restore: config.restore, features: FEATURES, logger }, io);
    if (config.moveEventsTo)
      return await moveEvents({ config, target: config.moveEventsTo, features: FEATURES, logger }, io);
    controller = await composeController({ config, logger, exportedLogs, signal: io.signal });
    tellFirstOwner(controller, config, io);
    await listen(controller, config, logger);
    const stop = AbortSignal.any([io.signal, controller.presence.removed]);
    await new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      else stop.addEventListener('abort', () => resolve(), { once: true });
    });
    return io.signal.aborted ? 0 : EXIT_REMOVED;
  } catch (error) {
    if (io.signal.aborted) return 0;
    // For an occupied port, a folder that is a file or an unreachable database, the stack helps only in the log.
    logger.error({ err: error }, 'controller.not_started');
    io.stderr.write(`flotilla controller: it cannot start: ${describeFailure(error)}\n`);
    return EXIT_NOT_STARTED;
  } finally {
    await controller?.close();
  }
}

function tellFirstOwner(
  { firstOwner }: Controller,
  { firstOwnerPassword, firstPasswordFile }: ControllerConfig,
  { stdout }: ProgramIo,
): void {
  if (!firstOwner || firstOwnerPassword) return;
  const { username, password } = firstOwner;
  stdout.write(
    `\nFirst start. The owner account is "${username}" with the password ${password}\n` +
      `Until somebody has signed in with it, it also stands in ${firstPasswordFile}\n\n`,
  );
}

async function listen(
  { streams, app, presence }: Controller,
  { host, port, grpcHost, grpcPort, grpcAdvertise }: ControllerConfig,
  logger: Logger,
): Promise<void> {
  // The agent port opens first: a controller that answers REST can also enrol agents.
  const listening = await streams.listen({ host: grpcHost, port: grpcPort });
  logger.info({ host: grpcHost, port: listening }, 'controller.grpc_listening');
  await presence.takes('agents', grpcAdvertise ?? reachable(`${grpcHost}:${listening}`));
  const address = await app.listen({ host, port });
  logger.info({ address }, 'controller.listening');
  await presence.takes('api', reachable(address));
}

/** A name with several addresses fails with an AggregateError that has an empty message and one error per address. */
function describeFailure(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describeFailure).join('; ');
  return toErrorMessage(error);
}

/** Replaces a wildcard address, which nobody can dial, by the host name. */
function reachable(address: string): string {
  return address.replace(/(^|\/\/)(0\.0\.0\.0|\[?::\]?)(?=:\d+$)/, `$1${hostname()}`);
}
