import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { insertGroup } from './store.ts';

/** Every project has a default group. A database trigger adds each new member to it. */
export async function createDefaultGroup(tx: Tx, projectId: string, now: Date): Promise<void> {
  const values = { name: 'default', description: 'Everybody who joins the project', is_default: true } as const;
  await insertGroup(tx, { id: createId(now.getTime()), projectId, now }, values);
}
