import type { TestController } from '../../test-controller.ts';

/**
 * Makes the wait of accounts that were tried too often a long one, however long the machine took for that. That of addresses
 * stays: tests have these in common.
 */
export async function holdAccounts({ database }: Pick<TestController, 'database'>): Promise<void> {
  await database.db
    .updateTable('sign_in_attempts')
    .set({ blocked_until: new Date(Date.now() + 600_000) })
    .where('failures', '>', 4)
    .where('account', 'is not', null)
    .execute();
}
