import { fail, signingKeyRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { SigningKeys } from './signing-keys.ts';

export function createSigningKeyRoutes(keys: SigningKeys): Route[] {
  return [
    implement(signingKeyRoutes.list, async () => {
      const items = (await keys.list()).map(({ kid, createdAt, verifiesUntil }, place) => ({
        kid,
        created_at: createdAt.toISOString(),
        signs: place === 0,
        verifies_until: verifiesUntil?.toISOString() ?? null,
      }));
      return { body: { items, next_cursor: null } };
    }),
    implement(signingKeyRoutes.rotate, (ctx) => {
      if (keys.isOutside) throw fail('signing_key.outside');
      return ctx.write(async (tx) => {
        const kid = await keys.rotate(tx, ctx.now);
        ctx.afterCommit(() => keys.forget());
        return { reply: { body: { kid } }, audit: { type: 'signing_key', name: kid } };
      });
    }),
  ];
}
