import { fail, failSignIn, OTP_SETTINGS, SIGN_IN_SETTINGS, secondFactorRoutes } from '@flotilla/contract';
import type { RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { patchSetting, type Settings } from '../../../platform/settings/index.ts';
import { endSessions } from '../sessions/index.ts';
import { requireSession } from '../users/index.ts';
import { deleteChallengesOf, deleteEnrolment, deletePasskeys, lockUsername } from './store.ts';

/** The settings document that requires a second factor: the project's, or the installation's. */
const documentOf = ({ scope }: RequestContext) =>
  scope ? { type: OTP_SETTINGS, project: scope.id } : { type: SIGN_IN_SETTINGS, project: null };

/** Administrators' routes for the second factors of others. */
export function createEnforcementRoutes({ settings, keyring }: { settings: Settings; keyring: Keyring }): Route[] {
  return [
    implement(secondFactorRoutes.getEnforcement, async (ctx) => {
      const project = ctx.scope?.id ?? null;
      const { value, revision } = project
        ? await settings.getAcceptable(OTP_SETTINGS, { project })
        : await settings.getAcceptable(SIGN_IN_SETTINGS);
      return { body: { project, otp_enforced: value.otp_enforced }, etag: revision };
    }),
    implement(secondFactorRoutes.setEnforcement, (ctx, { body }) => {
      const { type, project } = documentOf(ctx);
      const { otp_enforced } = body;
      return ctx.write(async (tx) => {
        const place = { type, project, name: '' };
        const outcome = await patchSetting(ctx, tx, { place, keyring, patch: { otp_enforced } });
        return { ...outcome, reply: { ...outcome.reply, body: { project, otp_enforced } } };
      });
    }),
    implement(secondFactorRoutes.resetUser, (ctx, { params }) => {
      const actor = requireSession(ctx.actor);
      const userId = params.user_id.toLowerCase();
      // Otherwise a stolen session could bypass the profile's demand for the password and a code.
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
