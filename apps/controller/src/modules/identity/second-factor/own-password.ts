import { failIdentity } from '@flotilla/contract';
import type { RequestContext } from '../../../platform/http/context.ts';
import type { PasswordRealms, SessionService } from '../sessions/index.ts';
import { requireSession, type SessionActor } from '../users/index.ts';

/** Asks callers to authenticate again: a stolen session alone must not change how its owner signs in. */
export class OwnPassword {
  readonly #sessions: SessionService;
  readonly #realms: PasswordRealms;

  constructor(sessions: SessionService, realms: PasswordRealms) {
    this.#sessions = sessions;
    this.#realms = realms;
  }

  /**
   * Throws password.wrong and auth.throttled, and sign_in.again if the account has no password and the sign-in is not
   * recent.
   */
  async require(ctx: RequestContext, password = ''): Promise<SessionActor> {
    const actor = requireSession(ctx.actor);
    ctx.about({ type: 'user', id: actor.id, name: actor.name });
    const isShownElsewhere = await this.#realms.confirm(ctx, actor, password);
    if (isShownElsewhere) return actor;
    if (isShownElsewhere === false) throw failIdentity('password.wrong');
    const checked = await this.#sessions.checkPassword(actor.name, password, ctx);
    if (!checked.ok) throw checked.error.throttled ?? failIdentity('password.wrong');
    return actor;
  }
}
