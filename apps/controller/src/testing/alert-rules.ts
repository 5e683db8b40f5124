import type { Db } from '@flotilla/db';
import { expect } from 'vitest';

/** Waits for the default alert rules of a new project. They are created in the background, which changes the plan of its deletion. */
export async function untilRulesExist(db: Db, projectId: string): Promise<void> {
  const rules = db.selectFrom('alert_rules').select('id').where('project_id', '=', projectId).limit(1);
  await expect.poll(() => rules.execute()).toHaveLength(1);
}
