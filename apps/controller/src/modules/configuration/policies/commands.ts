import type { Tx } from '@flotilla/db';
import { lockProject } from './store.ts';

/** Locks the policies of a project for a change that other modules make. See `lockProject`. */
export async function lockPolicies(tx: Tx, project: string): Promise<void> {
  await lockProject(tx, project);
}
