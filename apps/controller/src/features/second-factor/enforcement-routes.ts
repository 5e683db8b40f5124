import { fail, failSignIn, secondFactorRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../http/route.ts';
import { endSessions } from '../sessions/index.ts';
import { requireSession } from '../users/index.ts';
import {
  deleteChallengesOf,
  deleteEnrolment,
  deletePasskeys,
  lockUsername,
  putEnforcement,
  readEnforcement,
} from './store.ts';

/** What administrators decide of the second factors of others. */
export function createEnforcementRoutes(): Route[] {
  return [
    implement(secondFactorRoutes.getEnforcement, async (ctx) => {
      const project = ctx.scope?.id ?? null;
      return { body: { project, otp_enforced: await readEnforcement(ctx.db, project) } };
    }),
    implement(secondFactorRoutes.setEnforcement, (ctx, { body }) => {
      const project = ctx.scope?.id ?? null;
      const { otp_enforced: isEnforced } = body;
      return ctx.write(async (tx) => {
        const before = await readEnforcement(tx, project);
        await putEnforcement(tx, project, isEnforced, ctx.now);
        return {
          reply: { body: { project, otp_enforced: isEnforced } },
          audit: { type: 'setting', name: 'otp', changes: { otp_enforced: [before, isEnforced] } },
        };
      });
    }),
    implement(secondFactorRoutes.resetUser, (ctx, { params }) => {
      const actor = requireSession(ctx.actor);
      const userId = params.user_id.toLowerCase();
      // Or a stolen session could take off what the password and a code are asked for in the profile.
      if (userId === actor.id) throw failSignIn('factor.own');
      return ctx.write(async (tx) => {
        const name = await lockUsername(tx, userId);
        if (name === undefined) throw fail('record.not_found', { kind: 'user', name: userId });
        await deleteEnrolment(tx, userId);
        await deletePasskeys(tx, userId);
        await deleteChallengesOf(tx, userId);
        await endSessions(tx, { userId }, 'factor_reset', ctx.now);
        return { reply: {}, audit: { type: 'user', id: userId, name } };
      });
    }),
  ];
}
