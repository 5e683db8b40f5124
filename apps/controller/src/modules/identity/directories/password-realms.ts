import { fail, failSignIn, LDAP_REALM, type LdapSettings } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { AppError } from '@flotilla/kit';
import type { RequestContext } from '../../../platform/http/context.ts';
import { type GivenPassword, groupMatcher, type LdapDirectory, type LdapPerson } from '../ldap/index.ts';
import type { PasswordRealms, SignedInBy, SignInAttempts } from '../sessions/index.ts';
import type { Admission } from './admission.ts';
import { findIdentityOf, isSessionSince } from './identity-store.ts';
import { rolesOf } from './mapping.ts';

/** A sign-in within this time confirms the identity. */
const RECENT_MS = 10 * 60 * 1000;

interface Deps {
  readonly db: Db;
  readonly ldap: LdapDirectory;
  readonly admission: Admission;
  readonly attempts: SignInAttempts;
}

/** Sign-in with the passwords of a directory. Attempts count like those of local accounts, under the same names. */
export class DirectoryRealms implements PasswordRealms {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Throws the error of a wrong local password, sign_in.realm_unknown, sign_in.directory_unavailable, and the errors of
   * Admission.
   */
  async signIn(
    ctx: RequestContext,
    { realm, username, password }: { realm: string; username: string; password: string },
  ): Promise<SignedInBy> {
    const { ldap, admission } = this.#deps;
    const settings = realm === LDAP_REALM ? await ldap.configuration() : undefined;
    if (!settings) throw failSignIn('sign_in.realm_unknown');
    ctx.about({ type: 'user', changes: { realm } });
    const person = await this.#ask(ctx, settings, { username, password });
    if (!person) throw fail('auth.wrong_credentials');
    const userId = await admission.admit(ctx, {
      issuer: LDAP_REALM,
      subject: person.id,
      realm: LDAP_REALM,
      username: person.username,
      email: person.email,
      roles: rolesOf(settings.mapping, groupMatcher(person.groups)),
      mayBeNew: settings.create_users,
    });
    return { userId, primary: 'ldap', factors: [] };
  }

  /** A provider has no password to ask for; a recent sign-in confirms the identity instead. */
  async confirm(
    ctx: RequestContext,
    caller: { id: string; name: string; sessionId: string },
    password: string,
  ): Promise<boolean | undefined> {
    const { db, ldap } = this.#deps;
    const identity = await findIdentityOf(db, caller.id);
    if (!identity) return undefined;
    if (identity.realm !== LDAP_REALM) {
      const since = new Date(ctx.now.getTime() - RECENT_MS);
      if (!(await isSessionSince(db, caller.sessionId, since))) throw failSignIn('sign_in.again');
      return true;
    }
    const settings = await ldap.configuration();
    if (!settings) throw failSignIn('sign_in.directory_unavailable');
    // Matches by the immutable id: the account may have been renamed on either side.
    const given = { username: caller.name, id: identity.subject, password };
    const person = await this.#ask(ctx, settings, given);
    return person?.id === identity.subject;
  }

  /** undefined if name or password is wrong, which counts like any wrong password. */
  async #ask(ctx: RequestContext, settings: LdapSettings, given: GivenPassword): Promise<LdapPerson | undefined> {
    const { ldap, attempts } = this.#deps;
    const attempt = await attempts.begin(given.username, ctx.ip, ctx.now);
    const answer = await ldap.ask(settings, given).catch(async (error: unknown) => {
      // An unreachable directory must not count as a failed attempt.
      if (error instanceof AppError && error.httpStatus === 503) await attempts.takeBack(attempt);
      throw error;
    });
    if (answer.kind !== 'person') {
      // Runs for unknown names too, so that existing ones take no longer.
      const subject = answer.kind === 'wrong_password' ? answer.id : undefined;
      const { username: name } = given;
      await attempts.tellWhose(attempt, { issuer: LDAP_REALM, subject: subject ?? '', name });
      return undefined;
    }
    await attempts.succeed(attempt);
    return answer.person;
  }
}
