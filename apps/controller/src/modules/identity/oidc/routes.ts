import { directoryRoutes, type FactorNeeded, toSignInFragment } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';
import type { Reply, RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import { openBrowserSession, type SessionService, type SignInPipeline } from '../sessions/index.ts';
import type { Flows } from './flow.ts';
import { readReturnPath } from './return-path.ts';
import type { OidcSignIn } from './sign-in.ts';

interface Deps {
  readonly signIn: OidcSignIn;
  readonly flows: Flows;
  readonly sessions: SessionService;
  readonly pipeline: SignInPipeline;
}

const NOT_KEPT = { 'cache-control': 'no-store' };

/** The two addresses that browsers navigate to: every answer is a redirect, even an error. */
export function createOidcRoutes({ signIn, flows, sessions, pipeline }: Deps): Route[] {
  return [
    implement(directoryRoutes.start, async (ctx, { params, query }) => {
      const returnTo = readReturnPath(query.return_to);
      return sendOn(returnTo, async () => {
        const { location, flow } = await signIn.begin(ctx, { provider: params.provider, returnTo });
        return { location, flowCookie: flow };
      });
    }),
    implement(
      directoryRoutes.callback,
      async (ctx: RequestContext, { params, query }) => {
        const { flow, left } = flows.take(ctx.flowCookie, query.state, ctx.now);
        const returnTo = flow?.returnTo ?? '/';
        const answer = await sendOn(returnTo, async () => {
          const by = await signIn.finish(ctx, { provider: params.provider, flow, query });
          const { sessionCookie } = await pipeline.finish(ctx, by, {}, openBrowserSession(sessions, ctx));
          return { location: returnTo, ...(sessionCookie !== undefined && { sessionCookie }) };
        });
        // The sign-in works once, even if it failed.
        return { ...answer, flowCookie: left };
      },
      // Reads across projects: the account's new memberships, and the factor that these require.
      { acrossProjects: true },
    ),
  ];
}

/** Puts an error into the fragment of the redirect, for the page to show, and records it like an answered error. */
async function sendOn(path: string, work: () => Promise<Reply>): Promise<Reply> {
  try {
    return { status: 302, headers: NOT_KEPT, ...(await work()) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const news =
      error.code === 'auth.factor_required'
        ? ({ kind: 'factor', needed: error.extra as FactorNeeded } as const)
        : ({ kind: 'error', code: error.code } as const);
    return { status: 302, headers: NOT_KEPT, location: `${path}${toSignInFragment(news)}`, refusal: error };
  }
}
