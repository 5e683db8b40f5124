import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Logger, readFileIfThere, writeFileAtomically } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';

/** Reads the newest desired state from disk. Only the agent may read the file, because bootstraps may contain secrets. */
export async function readDesired(path: string, logger: Logger): Promise<fleet.DesiredState | undefined> {
  const bytes = await readFileIfThere(path);
  if (!bytes) return undefined;
  try {
    return fromBinary(fleet.DesiredStateSchema, bytes);
  } catch (error) {
    // The file is written atomically, so another program has changed it. The controller sends the state with the next
    // connection.
    logger.error({ event: 'desired.unreadable', path, err: error }, 'desired state on disk is unreadable');
    return undefined;
  }
}

export async function writeDesired(path: string, state: fleet.DesiredState): Promise<void> {
  await writeFileAtomically(path, toBinary(fleet.DesiredStateSchema, state), { mode: 0o600 });
}
