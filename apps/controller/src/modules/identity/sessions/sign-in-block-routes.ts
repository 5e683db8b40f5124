import { signInBlockRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { SignInAttempts } from './attempt-store.ts';

export function createSignInBlockRoutes(attempts: SignInAttempts): Route[] {
  return [
    implement(signInBlockRoutes.list, async (ctx) => {
      const items = (await attempts.listBlocked(ctx.db, ctx.now)).map(({ address, failures, lastAt, waitsUntil }) => ({
        address,
        failures,
        last_at: lastAt.toISOString(),
        waits_until: waitsUntil?.toISOString() ?? null,
      }));
      return { body: { items, next_cursor: null } };
    }),
    implement(signInBlockRoutes.end, (ctx, { params: { address } }) =>
      ctx.write(async (tx) => {
        await attempts.unlockAddress(tx, address);
        return { reply: {}, audit: { type: 'sign_in_block', name: address } };
      }),
    ),
  ];
}
