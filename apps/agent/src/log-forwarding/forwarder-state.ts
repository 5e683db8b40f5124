import { type Logger, readFileIfThere, writeFileAtomically } from '@flotilla/kit';

/** The desired state of a forwarder. The file with it is the one place that decides: everything else follows from it. */
export interface ForwarderState<Config> {
  /** Null: nothing is forwarded. */
  readonly config: Config | null;
  /** The number of the folder with the files of `config`. */
  readonly release: number;
  readonly wanted: 'running' | 'stopped';
  /** The revision of the configuration, from the controller. */
  readonly revision: number;
  /** The fence of the newest command. */
  readonly fence: string;
}

export function emptyState<Config>(): ForwarderState<Config> {
  return { config: null, release: 0, wanted: 'stopped', revision: 0, fence: '0' };
}

export async function readForwarderState<Config>(path: string, logger: Logger): Promise<ForwarderState<Config>> {
  const bytes = await readFileIfThere(path);
  if (!bytes) return emptyState();
  try {
    return { ...emptyState<Config>(), ...(JSON.parse(bytes.toString()) as ForwarderState<Config>) };
  } catch (error) {
    // The file is written atomically, so another program has changed it.
    logger.error({ event: 'forwarder.state_unreadable', path, err: error }, 'the state of a forwarder is unreadable');
    return emptyState();
  }
}

/** It contains secrets. */
export async function writeForwarderState(path: string, state: ForwarderState<unknown>): Promise<void> {
  await writeFileAtomically(path, JSON.stringify(state), { mode: 0o600 });
}
