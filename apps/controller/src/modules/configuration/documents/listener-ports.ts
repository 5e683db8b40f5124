import type { Tx } from '@flotilla/db';
import type { AppError } from '@flotilla/kit';
import type { Reader } from '../../../platform/auth/index.ts';
import type { BatchProblem } from './batch.ts';
import type { Scope } from './store.ts';
import type { WriteResult } from './write-one.ts';

/** Checks that the hosts of the services with these listeners can open their ports. Reads what the transaction wrote. */
export type CheckPorts = (
  tx: Tx,
  scope: Scope,
  listeners: readonly string[],
  reader: Reader | undefined,
) => Promise<ReadonlyArray<{ readonly listener: string; readonly error: AppError }>>;

const BINDING = /^resource(?:$|\.(?:address|additional_addresses|bind_to_port)(?:$|[.[]))/;

/** Ports that something else already uses on a host that runs a written listener. */
export async function checkListenerPorts(
  checkPorts: CheckPorts,
  tx: Tx,
  scope: Scope,
  { written, reader }: { readonly written: readonly WriteResult[]; readonly reader: Reader | undefined },
): Promise<BatchProblem[]> {
  const moved = written.filter(({ collection, changes }) => collection === 'listeners' && changes.some(isOfBinding));
  if (moved.length === 0) return [];
  const ids = new Map(moved.map(({ name, id }) => [name, id]));
  const refused = await checkPorts(tx, scope, [...ids.keys()], reader);
  return refused.map(({ listener, error }) => ({ id: ids.get(listener), error }));
}

function isOfBinding({ path }: { readonly path: string }): boolean {
  return path === '' || BINDING.test(path);
}
