import { failIdentity } from '@flotilla/contract';
import type { RequestContext } from '../../http/context.ts';
import type { PasswordRealms, SessionService } from '../sessions/index.ts';
import { requireSession, type SessionActor } from '../users/index.ts';

/** Asks callers to show once more who they are: a stolen session alone must not change how its owner signs in. */
export class OwnPassword {
  readonly #sessions: SessionService;
  readonly #realms: PasswordRealms;

  constructor(sessions: SessionService, realms: PasswordRealms) {
    this.#sessions = sessions;
    this.#realms = realms;
  }

  /** Throws password.wrong, auth.throttled; sign_in.again where there is no password and the sign-in was long ago. */
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
