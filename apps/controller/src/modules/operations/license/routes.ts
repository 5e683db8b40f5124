import { licenseRoutes } from '@flotilla/contract';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { countClients } from './store.ts';

/** Answers API clients that ask for a licence: none is needed. */
export function createLicenseRoutes(): Route[] {
  const show = async (ctx: RequestContext) => ({
    valid: true,
    plan: 'community',
    plan_name: 'Community',
    client_limit: 0,
    current_clients: await countClients(ctx.db, ctx.scope?.id),
    expires_at: null,
    activated_at: null,
    last_checked_at: null,
    license_key: null,
    api_key_configured: false,
    last_error: null,
    offline: true,
    reason: 'no licence is needed',
  });
  return [
    implement(licenseRoutes.get, async (ctx) => ({ body: await show(ctx) })),
    implement(licenseRoutes.check, async (ctx) => ({ body: await show(ctx) })),
    implement(licenseRoutes.activate, async (ctx) => {
      const body = await show(ctx);
      return ctx.write(async () => ({ reply: { body }, audit: { type: 'license' } }));
    }),
    implement(licenseRoutes.delete, (ctx) => ctx.write(async () => ({ reply: {}, audit: { type: 'license' } }))),
  ];
}
