import { fail, failSignIn, OTP_SETTINGS, SIGN_IN_SETTINGS, secondFactorRoutes } from '@flotilla/contract';
import type { RequestContext } from '../../http/context.ts';
import { implement, type Route } from '../../http/route.ts';
import type { Keyring } from '../keyring/index.ts';
import { endSessions } from '../sessions/index.ts';
import { patchSetting, type Settings } from '../settings/index.ts';
import { requireSession } from '../users/index.ts';
import { deleteChallengesOf, deleteEnrolment, deletePasskeys, lockUsername } from './store.ts';

/** The document that says who needs a second factor: the project's, or the installation's. */
const documentOf = ({ scope }: RequestContext) =>
  scope ? { type: OTP_SETTINGS, project: scope.id } : { type: SIGN_IN_SETTINGS, project: null };

/** What administrators decide of the second factors of others. */
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
