import type { Db } from '@flotilla/db';
import { isControllerLive } from '../../../platform/presence/index.ts';

/** Host names of the controllers that run. */
export async function listLiveControllers(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('controllers').select('hostname').where(isControllerLive).execute();
  return rows.map(({ hostname }) => hostname);
}
