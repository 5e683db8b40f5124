import { mkdir } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLogger, Lifecycle, type Logger, toErrorMessage, tryFileLock } from '@flotilla/kit';
import { isAnswering, openControl } from './control.ts';
import { Daemon } from './daemon.ts';

export interface ProgramIo {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Aborted when the program is asked to stop. */
  readonly signal: AbortSignal;
}

const SOCKET = 'ha.sock';
const EXIT_FAILED = 1;
/** The settings are wrong, so another start cannot succeed. */
const EXIT_SETTINGS = 2;
/** A member that waits for a busy processor sends no heartbeats, and its peer takes over. */
const NICENESS = -10;

export const HA_USAGE = `flotilla ha - share addresses with another host, of which one has them at a time

  --config FILE      the pair, as JSON; only its owner may read it. Changes are applied at once (SVC_HA_CONFIG)
  --data DIR         the newest term and the history of this member, and the socket ha.sock (SVC_HA_DATA)
  --log-level LEVEL  SVC_LOG_LEVEL
`;

/** Runs `flotilla ha`. Returns the exit code after the daemon has stopped. */
export async function runHa(argv: readonly string[], { env, stdout, stderr, signal }: ProgramIo): Promise<number> {
  const options = {
    config: { type: 'string' },
    data: { type: 'string' },
    'log-level': { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  const refuse = (message: string) => {
    stderr.write(`flotilla ha: ${message}\n`);
    return EXIT_SETTINGS;
  };
  let flags: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  try {
    flags = parseArgs({ args: [...argv], options, strict: true }).values;
  } catch (error) {
    return refuse(toErrorMessage(error));
  }
  if (flags.help) {
    stdout.write(HA_USAGE);
    return 0;
  }
  const [file, data] = [flags.config ?? env.SVC_HA_CONFIG, flags.data ?? env.SVC_HA_DATA];
  if (!file || !data) return refuse('--config and --data are missing');
  const logger = createLogger({ name: 'ha', level: flags['log-level'] ?? env.SVC_LOG_LEVEL ?? 'info' });
  const lifecycle = new Lifecycle();
  raisePriority(logger);
  try {
    await mkdir(data, { recursive: true, mode: 0o700 });
    const lock = await lockFolder(data, logger);
    if ('holder' in lock) return refuse(`another process uses ${data}: ${lock.holder}`);
    lifecycle.add(() => lock.unlock());
    const daemon = await Daemon.start({ file, dataDir: data, logger });
    lifecycle.add(() => daemon.close());
    const control = await openControl(join(data, SOCKET), daemon);
    lifecycle.add(() => control.close());
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return 0;
  } catch (error) {
    stderr.write(`flotilla ha: ${toErrorMessage(error)}\n`);
    return EXIT_FAILED;
  } finally {
    await lifecycle.close();
  }
}

/** The programs that it starts inherit the priority. Without the right to raise it, a busy host may lose heartbeats. */
function raisePriority(logger: Logger): void {
  try {
    setPriority(NICENESS);
  } catch (error) {
    logger.info({ err: error }, 'ha.priority_not_raised');
  }
}

/** A full disk has no room for a lock, and must not keep a member from its work: the socket shows whether another process runs. */
async function lockFolder(
  data: string,
  logger: Logger,
): Promise<{ readonly holder: string } | { readonly unlock: () => Promise<void> }> {
  try {
    const lock = await tryFileLock(join(data, 'ha.lock'));
    return 'holder' in lock ? { holder: String(lock.holder.pid) } : lock;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    logger.warn({ reason: toErrorMessage(error) }, 'ha.runs_without_lock');
    return (await isAnswering(join(data, SOCKET))) ? { holder: SOCKET } : { unlock: async () => undefined };
  }
}
