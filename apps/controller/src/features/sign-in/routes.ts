import { secondFactorRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../http/route.ts';
import { openBearerSession, openBrowserSession, type SessionService } from '../sessions/index.ts';
import type { FactorPipeline } from './pipeline.ts';

export function createSignInRoutes(sessions: SessionService, pipeline: FactorPipeline): Route[] {
  return [
    implement(secondFactorRoutes.redeem, (ctx, { body }) =>
      pipeline.redeem(ctx, body.challenge, body, openBearerSession(sessions, ctx)),
    ),
    implement(secondFactorRoutes.redeemInBrowser, (ctx, { body }) =>
      pipeline.redeem(ctx, body.challenge, body, openBrowserSession(sessions, ctx)),
    ),
    implement(secondFactorRoutes.enrolAtSignIn, (ctx, { body }) => pipeline.enrol(ctx, body.challenge)),
  ];
}
