import { lockoutRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { SignInAttempts } from './attempt-store.ts';

export function createLockoutRoutes(attempts: SignInAttempts): Route[] {
  return [
    implement(lockoutRoutes.list, async (ctx) => {
      const items = (await attempts.listBlocked(ctx.db, ctx.now)).map(({ address, failures, lastAt, waitsUntil }) => ({
        address,
        failures,
        last_at: lastAt.toISOString(),
        waits_until: waitsUntil?.toISOString() ?? null,
      }));
      return { body: { items, next_cursor: null } };
    }),
    implement(lockoutRoutes.end, (ctx, { params: { address } }) =>
      ctx.write(async (tx) => {
        await attempts.unlockAddress(tx, address);
        return { reply: {}, audit: { type: 'sign_in_block', name: address } };
      }),
    ),
  ];
}
