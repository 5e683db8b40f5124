import { failIdentity } from '@flotilla/contract';
import type { RequestContext } from '../../http/context.ts';
import type { SessionService } from '../sessions/index.ts';
import { requireSession, type SessionActor } from '../users/index.ts';

/** Throws unless the caller knows its password: a stolen session alone must not change how its owner signs in. */
export async function requireOwnPassword(
  sessions: SessionService,
  ctx: RequestContext,
  password: string,
): Promise<SessionActor> {
  const actor = requireSession(ctx.actor);
  ctx.about({ type: 'user', id: actor.id, name: actor.name });
  const checked = await sessions.checkPassword(actor.name, password, ctx);
  if (!checked.ok) throw checked.error.throttled ?? failIdentity('password.wrong');
  return actor;
}
