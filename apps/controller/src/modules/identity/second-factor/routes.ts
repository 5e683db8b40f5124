import { failSignIn, secondFactorRoutes } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { Reply, RequestContext } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import type { Settings } from '../../../platform/settings/index.ts';
import { endSessions, noteFactor, type SignInAttempts } from '../sessions/index.ts';
import { requireSession, type SessionActor } from '../users/index.ts';
import { makeBackupCodes } from './backup-codes.ts';
import { createEnforcementRoutes } from './enforcement-routes.ts';
import type { OwnPassword } from './own-password.ts';
import type { GivenFactor, SecondFactor } from './service.ts';
import { countBackupCodes, deleteEnrolment, findEnrolment, lockUsername } from './store.ts';

interface Parts {
  readonly ownPassword: OwnPassword;
  readonly factor: SecondFactor;
  readonly attempts: SignInAttempts;
  readonly settings: Settings;
  readonly keyring: Keyring;
}

export function createSecondFactorRoutes(parts: Parts): Route[] {
  const { ownPassword, factor } = parts;
  return [
    implement(secondFactorRoutes.status, async (ctx) => {
      const { id } = requireSession(ctx.actor);
      const isOn = (await findEnrolment(ctx.db, id))?.isConfirmed === true;
      const left = isOn ? await countBackupCodes(ctx.db, id) : 0;
      return {
        body: {
          otp_enabled: isOn,
          otp_verified: isOn,
          otp_enforced: await factor.isKept(ctx.db, id),
          backup_codes_count: left,
          backup_codes_remain: left > 0,
        },
      };
    }),
    implement(secondFactorRoutes.enable, async (ctx, { body }) => {
      const { id, name } = await ownPassword.require(ctx, body.password);
      return ctx.write(async (tx) => {
        const setUp = factor.makeSetUp(name);
        if (!(await factor.begin(tx, id, setUp, ctx.now))) throw failSignIn('factor.exists');
        return { reply: { body: setUp }, audit: { type: 'user', id, name } };
      });
    }),
    serveVerify(parts),
    serveDisable(parts),
    serveRegenerateBackupCodes(parts),
    ...createEnforcementRoutes(parts),
  ];
}

function serveVerify({ factor, attempts }: Parts): Route {
  return implement(secondFactorRoutes.verify, async (ctx, { body }) => {
    const actor = requireSession(ctx.actor);
    const enrolment = await findEnrolment(ctx.db, actor.id);
    if (!enrolment) throw failSignIn('factor.not_started');
    if (enrolment.isConfirmed) throw failSignIn('factor.exists');
    return withCode(ctx, { actor, attempts }, async (tx) => {
      await lockUsername(tx, actor.id);
      const { isOn } = await factor.stateOf(tx, actor.id);
      if (!(await factor.confirm(tx, actor.id, body.code, ctx.now))) return undefined;
      // Adding a factor does not upgrade a session that lacks the account's existing factor.
      if (!isOn) await noteFactor(tx, actor.sessionId, 'otp');
      // These sessions were opened without the factor.
      await endSessions(tx, { userId: actor.id, except: actor.sessionId }, 'factor_on', ctx.now);
      return {};
    });
  });
}

function serveDisable({ ownPassword, factor, attempts }: Parts): Route {
  return implement(secondFactorRoutes.disable, async (ctx, { body }) => {
    const actor = await ownPassword.require(ctx, body.password);
    await requireOn(ctx, actor);
    if (await factor.isKept(ctx.db, actor.id)) throw failSignIn('factor.enforced');
    return withCode(ctx, { actor, attempts }, async (tx) => {
      if (!(await isTaken(ctx, { factor, tx }, body))) return undefined;
      await deleteEnrolment(tx, actor.id);
      return {};
    });
  });
}

function serveRegenerateBackupCodes({ factor, attempts }: Parts): Route {
  return implement(secondFactorRoutes.regenerateBackupCodes, async (ctx, { body }) => {
    const actor = requireSession(ctx.actor);
    await requireOn(ctx, actor);
    return withCode(ctx, { actor, attempts }, async (tx) => {
      if (!(await isTaken(ctx, { factor, tx }, body))) return undefined;
      const codes = makeBackupCodes();
      await factor.putBackupCodes(tx, actor.id, codes);
      return { body: { backup_codes: codes } };
    });
  });
}

/** Runs a write that requires a code; attempts count with those of sign-ins. Throws factor.wrong. */
async function withCode(
  ctx: RequestContext,
  { actor, attempts }: { readonly actor: SessionActor; readonly attempts: SignInAttempts },
  work: (tx: Tx) => Promise<Reply | undefined>,
): Promise<Reply> {
  ctx.about({ type: 'user', id: actor.id, name: actor.name });
  const attempt = await attempts.beginCode(actor.id, ctx.ip, ctx.now);
  const reply = await ctx.write(async (tx) => {
    const done = await work(tx);
    if (!done) throw failSignIn('factor.wrong');
    return { reply: done, audit: { type: 'user', id: actor.id, name: actor.name } };
  });
  await attempts.succeed(attempt);
  return reply;
}

async function requireOn(ctx: RequestContext, actor: SessionActor): Promise<void> {
  if (!(await findEnrolment(ctx.db, actor.id))?.isConfirmed) throw failSignIn('factor.missing');
}

async function isTaken(
  ctx: RequestContext,
  { factor, tx }: { readonly factor: SecondFactor; readonly tx: Tx },
  given: GivenFactor,
): Promise<boolean> {
  return (await factor.take(tx, requireSession(ctx.actor).id, given, ctx.now)) !== undefined;
}
