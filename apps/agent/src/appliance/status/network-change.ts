import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface NetworkChangeStatus {
  /** A change of the network is applied and waits for its confirmation. */
  readonly change_unconfirmed: boolean;
  /** Until it is taken back; null if there is none. */
  readonly revert_in_seconds: number | null;
}

export interface OpenChange {
  readonly path: string;
  readonly phase: string | undefined;
}

/** Reads whether a change of the network is being tested. */
export async function readNetworkChange(changes: readonly OpenChange[], nowMs: number): Promise<NetworkChangeStatus> {
  const open = changes.find(({ phase }) => phase === 'applied' || phase === 'prepared' || phase === 'reverting');
  if (!open) return { change_unconfirmed: false, revert_in_seconds: null };
  // The file of the phase is renamed when the phase begins.
  const facts = await stat(join(open.path, 'phase.applied')).catch(() => undefined);
  if (!facts) return { change_unconfirmed: true, revert_in_seconds: null };
  const { timeoutMs } = JSON.parse(await readFile(join(open.path, 'record.json'), 'utf8')) as { timeoutMs: number };
  const left = Math.ceil((facts.ctimeMs + timeoutMs - nowMs) / 1000);
  return { change_unconfirmed: true, revert_in_seconds: Math.max(0, left) };
}
