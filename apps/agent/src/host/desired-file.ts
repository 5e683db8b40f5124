import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Logger, readFileIfThere, writeFileAtomically } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';

/** The newest desired state on disk: bootstraps may hold secrets, so nobody but the agent reads it. */
export async function readDesired(path: string, logger: Logger): Promise<fleet.DesiredState | undefined> {
  const bytes = await readFileIfThere(path);
  if (!bytes) return undefined;
  try {
    return fromBinary(fleet.DesiredStateSchema, bytes);
  } catch (error) {
    // Written atomically, so this is a foreign hand; the controller sends the state again with the next connection
    logger.error({ event: 'desired.unreadable', path, err: error }, 'desired state on disk is unreadable');
    return undefined;
  }
}

export async function writeDesired(path: string, state: fleet.DesiredState): Promise<void> {
  await writeFileAtomically(path, toBinary(fleet.DesiredStateSchema, state), { mode: 0o600 });
}
