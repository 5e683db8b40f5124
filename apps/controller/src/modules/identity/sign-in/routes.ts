import { passkeyRoutes, secondFactorRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { Passkeys } from '../passkeys/index.ts';
import { openBearerSession, openBrowserSession, type SessionService } from '../sessions/index.ts';
import type { FactorPipeline } from './pipeline.ts';

interface Parts {
  readonly sessions: SessionService;
  readonly pipeline: FactorPipeline;
  readonly passkeys: Passkeys;
}

/** Reads across projects: the required factor and the answer depend on every project of the account. */
const acrossProjects = { acrossProjects: true } as const;

export function createSignInRoutes({ sessions, pipeline, passkeys }: Parts): Route[] {
  return [
    implement(
      secondFactorRoutes.redeem,
      (ctx, { body }) => pipeline.redeem(ctx, body.challenge, body, openBearerSession(sessions, ctx)),
      acrossProjects,
    ),
    implement(
      secondFactorRoutes.redeemInBrowser,
      (ctx, { body }) => pipeline.redeem(ctx, body.challenge, body, openBrowserSession(sessions, ctx)),
      acrossProjects,
    ),
    implement(passkeyRoutes.beginSignIn, async (ctx) => {
      const options = await passkeys.askForAny(ctx.now);
      return { body: options };
    }),
    implement(
      passkeyRoutes.signIn,
      (ctx, { body }) => pipeline.signInWithPasskey(ctx, body.passkey, openBearerSession(sessions, ctx)),
      acrossProjects,
    ),
    implement(
      passkeyRoutes.signInInBrowser,
      (ctx, { body }) => pipeline.signInWithPasskey(ctx, body.passkey, openBrowserSession(sessions, ctx)),
      acrossProjects,
    ),
    implement(secondFactorRoutes.enrolAtSignIn, (ctx, { body }) => pipeline.enrol(ctx, body.challenge)),
  ];
}
