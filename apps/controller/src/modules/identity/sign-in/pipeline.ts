import { createHash } from 'node:crypto';
import { type FactorNeeded, fail, failSignIn, type PasskeyAnswer } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createSecret } from '@flotilla/kit';
import type { Reply, RequestContext } from '../../../platform/http/context.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import type { Passkeys, ShownPasskey } from '../passkeys/index.ts';
import type { FactorSetUp, FactorState, SecondFactor } from '../second-factor/index.ts';
import type { GivenCode, OpenSession, SignedInBy, SignInAttempts, SignInPipeline } from '../sessions/index.ts';
import {
  type Challenge,
  deleteChallenge,
  insertChallenge,
  keepSetUp,
  lockActiveUser,
  lockChallenge,
  tryChallenge,
} from './challenge-store.ts';
import { challengeContext } from './encryption-context.ts';

interface GivenFactors extends GivenCode {
  readonly passkey?: PasskeyAnswer | undefined;
}

const CHALLENGE_S = 5 * 60;
/** Distinguishes challenges from tokens; no route accepts one as a token. */
const CHALLENGE_PREFIX = 'flc_';

/**
 * The last step of every way to sign in, and the only place that opens sessions: the account must be active, and the
 * second factor must be given if the account has one or the installation requires one. A project's requirement is
 * checked where its roles are used. If the factor is missing, the sign-in waits as a challenge, which only allows a few
 * attempts with a code. Codes are counted per account and address over all challenges, like passwords, so a new
 * challenge gives no new guesses.
 */
export class FactorPipeline implements SignInPipeline {
  readonly #db: Db;
  readonly #keyring: Keyring;
  readonly #factor: SecondFactor;
  readonly #passkeys: Passkeys;
  readonly #attempts: SignInAttempts;

  constructor(deps: { db: Db; keyring: Keyring; factor: SecondFactor; passkeys: Passkeys; attempts: SignInAttempts }) {
    this.#db = deps.db;
    this.#keyring = deps.keyring;
    this.#factor = deps.factor;
    this.#passkeys = deps.passkeys;
    this.#attempts = deps.attempts;
  }

  async finish(ctx: RequestContext, by: SignedInBy, given: GivenCode, open: OpenSession): Promise<Reply> {
    if (isEnough(by)) return this.#open(ctx, by, { open, given: {}, since: ctx.now });
    const state = await this.#factor.stateOf(this.#db, by.userId);
    const hasCode = given.otp_code !== undefined || given.backup_code !== undefined;
    if (!state.isOn && !state.isEnforced) return this.#open(ctx, by, { open, given: {}, since: ctx.now });
    if (!state.isOn || !hasCode) throw await this.#ask(ctx, by, state);
    const attempt = await this.#attempts.beginCode(by.userId, ctx.ip, ctx.now);
    const reply = await this.#open(ctx, by, { open, given, since: ctx.now });
    await this.#attempts.succeed(attempt);
    return reply;
  }

  /** The second step. Throws auth.challenge_over, auth.factor_wrong or auth.throttled. */
  async redeem(ctx: RequestContext, token: string, given: GivenFactors, open: OpenSession): Promise<Reply> {
    const challenge = await tryChallenge(this.#db, digest(token), ctx.now);
    if (!challenge) throw failSignIn('auth.challenge_over');
    const { userId, primary } = challenge;
    ctx.about({ type: 'user', id: userId });
    // A passkey cannot be guessed: the throttling of codes does not affect it, and a wrong passkey does not throttle
    // codes.
    const attempt = given.passkey ? undefined : await this.#attempts.beginCode(userId, ctx.ip, ctx.now);
    const shown = given.passkey && (await this.#passkeys.read(given.passkey, ctx.now));
    if (shown && shown.userId !== userId) throw failSignIn('auth.passkey_wrong');
    const by = { userId, primary, factors: [] };
    const reply = await this.#open(ctx, by, { open, given, since: challenge.createdAt, challenge, shown });
    if (attempt) await this.#attempts.succeed(attempt);
    return reply;
  }

  /** Signs in with a passkey alone. Throws auth.passkey_wrong or auth.passkey_copied. */
  async signInWithPasskey(ctx: RequestContext, answer: PasskeyAnswer, open: OpenSession): Promise<Reply> {
    const shown = await this.#passkeys.read(answer, ctx.now);
    ctx.about({ type: 'user', id: shown.userId });
    const by = { userId: shown.userId, primary: 'passkey', factors: ['passkey'] } as const;
    return this.finish(ctx, by, {}, async (tx, user, signedInBy) => {
      await shown.spend(tx, ctx.now);
      return open(tx, user, signedInBy);
    });
  }

  /** Sets up an authenticator for an account that has none, and stores it with the challenge until the first code. */
  async enrol(ctx: RequestContext, token: string): Promise<Reply> {
    const hash = digest(token);
    return ctx.write(async (tx) => {
      const challenge = await lockChallenge(tx, hash, ctx.now);
      const user = challenge && (await lockActiveUser(tx, challenge.userId, challenge.createdAt));
      if (!user) throw failSignIn('auth.challenge_over');
      // A person with only the password must not replace the factor that they lack.
      if ((await this.#factor.stateOf(tx, user.id)).isOn) throw failSignIn('factor.exists');
      const setUp = this.#factor.makeSetUp(user.username);
      await keepSetUp(tx, hash, this.#keyring.encrypt(Buffer.from(JSON.stringify(setUp)), challengeContext(hash)));
      return { reply: { body: setUp }, audit: { type: 'user', id: user.id, name: user.username } };
    });
  }

  async #open(
    ctx: RequestContext,
    by: SignedInBy,
    how: {
      open: OpenSession;
      given: GivenCode;
      since: Date;
      challenge?: Challenge;
      shown?: ShownPasskey | undefined;
    },
  ): Promise<Reply> {
    return ctx.write(async (tx) => {
      const { challenge } = how;
      if (challenge && !(await deleteChallenge(tx, challenge.hash))) throw failSignIn('auth.challenge_over');
      const user = await lockActiveUser(tx, by.userId, how.since);
      if (!user) throw challenge ? failSignIn('auth.challenge_over') : fail('auth.wrong_credentials');
      const factors = await this.#show(tx, ctx.now, { ...how, by, challenge });
      return {
        reply: await how.open(tx, user, { ...by, factors }),
        audit: { type: 'user', id: user.id, name: user.username, changes: { by: [by.primary, ...factors] } },
      };
    });
  }

  /** Returns the given factors; none if none is required. Runs in the transaction that opens the session. */
  async #show(
    tx: Tx,
    now: Date,
    of: { by: SignedInBy; given: GivenCode; challenge: Challenge | undefined; shown?: ShownPasskey | undefined },
  ): Promise<SignedInBy['factors']> {
    const { userId } = of.by;
    if (isEnough(of.by)) return of.by.factors;
    if (of.shown) {
      await of.shown.spend(tx, now);
      return ['passkey'];
    }
    const { isOn, isEnforced } = await this.#factor.stateOf(tx, userId);
    if (isOn) {
      const taken = await this.#factor.take(tx, userId, of.given, now);
      if (!taken) throw failSignIn('auth.factor_wrong');
      return [taken];
    }
    if (of.challenge) {
      await this.#turnOn(tx, now, { userId, given: of.given, challenge: of.challenge });
      return ['otp'];
    }
    // The requirement was added a moment ago: the next attempt gets the challenge.
    if (isEnforced) throw failSignIn('auth.challenge_over');
    return [];
  }

  async #turnOn(
    tx: Tx,
    now: Date,
    { userId, given, challenge }: { userId: string; given: GivenCode; challenge: Challenge },
  ): Promise<void> {
    if (!challenge.encryptedSetUp || given.otp_code === undefined) throw failSignIn('auth.factor_wrong');
    const opened = this.#keyring.decrypt(challenge.encryptedSetUp, challengeContext(challenge.hash));
    const setUp = JSON.parse(opened.toString()) as FactorSetUp;
    const isOn = await this.#factor.turnOn(tx, { userId, setUp, code: given.otp_code, now });
    if (!isOn) throw failSignIn('auth.factor_wrong');
  }

  async #ask(
    ctx: RequestContext,
    { userId, primary }: SignedInBy,
    { otp, passkey, isOn }: FactorState,
  ): Promise<Error> {
    const token = `${CHALLENGE_PREFIX}${createSecret(32)}`;
    const expiresAt = new Date(ctx.now.getTime() + CHALLENGE_S * 1000);
    await insertChallenge(this.#db, { hash: digest(token), userId, primary, now: ctx.now, expiresAt });
    const extra: FactorNeeded = {
      challenge: token,
      expires_at: expiresAt.toISOString(),
      factors: [...(otp ? (['otp', 'backup_code'] as const) : []), ...(passkey ? (['passkey'] as const) : [])],
      enrol: !isOn,
    };
    return failSignIn('auth.factor_required', {}, { extra: { ...extra } });
  }
}

/** A passkey is two factors, the device and its unlocking; a provider may have checked two itself. */
function isEnough({ primary, factors }: SignedInBy): boolean {
  return primary === 'passkey' || factors.includes('provider');
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
