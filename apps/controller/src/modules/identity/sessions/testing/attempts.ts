import type { TestController } from '../../../../testing/controller.ts';

/**
 * Extends the waits of accounts, so that a slow machine does not miss them. Leaves the waits of addresses, which the
 * tests share.
 */
export async function holdAccounts({ database }: Pick<TestController, 'database'>): Promise<void> {
  await database.db
    .updateTable('sign_in_attempts')
    .set({ blocked_until: new Date(Date.now() + 600_000) })
    .where('failures', '>', 4)
    .where('account', 'is not', null)
    .execute();
}
