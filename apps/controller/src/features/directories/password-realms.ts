import { fail, failSignIn, LDAP_REALM } from '@flotilla/contract';
import { AppError } from '@flotilla/kit';
import type { RequestContext } from '../../http/context.ts';
import { groupMatcher, type LdapDirectory } from '../ldap/index.ts';
import type { PasswordRealms, SignedInBy, SignInAttempts } from '../sessions/index.ts';
import type { Admission } from './admission.ts';
import { rolesOf } from './mapping.ts';

interface Deps {
  readonly ldap: LdapDirectory;
  readonly admission: Admission;
  readonly attempts: SignInAttempts;
}

/** Names and passwords that are those of a directory. Tries count like those of accounts of here, by the same names. */
export class DirectoryRealms implements PasswordRealms {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Throws what a wrong password of here does, sign_in.realm_unknown, sign_in.directory_unavailable, and what Admission throws. */
  async signIn(
    ctx: RequestContext,
    { realm, username, password }: { realm: string; username: string; password: string },
  ): Promise<SignedInBy> {
    const { ldap, admission, attempts } = this.#deps;
    const settings = realm === LDAP_REALM ? await ldap.configuration() : undefined;
    if (!settings) throw failSignIn('sign_in.realm_unknown');
    ctx.about({ type: 'user', changes: { realm } });
    const attempt = await attempts.begin(username, ctx.ip, ctx.now);
    const answer = await ldap.ask(settings, { username, password }).catch(async (error: unknown) => {
      // What could not be tried is no failure of whoever tried.
      if (error instanceof AppError && error.httpStatus === 503) await attempts.takeBack(attempt);
      throw error;
    });
    if (answer.kind !== 'person') throw fail('auth.wrong_credentials');
    await attempts.succeed(attempt);
    const { person } = answer;
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
}
