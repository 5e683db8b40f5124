import { fail, failSignIn, passkeyRoutes } from '@flotilla/contract';
import { implement, type Route } from '../../http/route.ts';
import type { OwnPassword, SecondFactor } from '../second-factor/index.ts';
import { endSessions } from '../sessions/index.ts';
import { requireSession } from '../users/index.ts';
import type { Passkeys } from './service.ts';
import { deletePasskey, insertPasskey, listPasskeys, lockOwner, type Passkey, renamePasskey } from './store.ts';

interface Parts {
  readonly ownPassword: OwnPassword;
  readonly passkeys: Passkeys;
  readonly factor: SecondFactor;
}

/** The own passkeys: made and removed with the password, since a stolen session must not change how its owner signs in. */
export function createPasskeyRoutes({ ownPassword, passkeys, factor }: Parts): Route[] {
  return [
    implement(passkeyRoutes.list, async (ctx) => {
      const items = await listPasskeys(ctx.db, requireSession(ctx.actor).id);
      return { body: { items: items.map(toView), next_cursor: null } };
    }),
    implement(passkeyRoutes.begin, async (ctx, { body }) => {
      const { id, name } = await ownPassword.require(ctx, body.password);
      const options = await passkeys.askForNew({ id, username: name }, ctx.now);
      return ctx.write(async () => ({ reply: { body: options }, audit: { type: 'user', id, name } }));
    }),
    implement(passkeyRoutes.add, async (ctx, { body }) => {
      const { id: userId, name, sessionId } = requireSession(ctx.actor);
      const made = await passkeys.readNew({ userId, name: body.name, now: ctx.now }, body.passkey);
      if (!made) throw failSignIn('passkey.wrong');
      return ctx.write(async (tx) => {
        await lockOwner(tx, userId);
        if (!(await insertPasskey(tx, made))) throw failSignIn('passkey.wrong');
        // They were opened by the password alone.
        await endSessions(tx, { userId, except: sessionId }, 'factor_on', ctx.now);
        return {
          reply: { body: toView(made), location: `/api/v3/profile/passkeys/${made.id}` },
          audit: { type: 'passkey', id: made.id, name, changes: { name: made.name } },
        };
      });
    }),
    implement(passkeyRoutes.rename, (ctx, { params, body }) => {
      const { id: userId, name: owner } = requireSession(ctx.actor);
      const id = params.passkey_id.toLowerCase();
      return ctx.write(async (tx) => {
        const renamed = await renamePasskey(tx, { userId, id }, body.name);
        if (!renamed) throw fail('record.not_found', { kind: 'passkey', name: id });
        const changes = { name: [renamed.before, body.name] };
        return { reply: { body: toView(renamed.passkey) }, audit: { type: 'passkey', id, name: owner, changes } };
      });
    }),
    implement(passkeyRoutes.remove, async (ctx, { params, body }) => {
      const actor = await ownPassword.require(ctx, body.password);
      const id = params.passkey_id.toLowerCase();
      return ctx.write(async (tx) => {
        // Of two removals at once the second finds what the first has left.
        await lockOwner(tx, actor.id);
        const name = await deletePasskey(tx, actor.id, id);
        if (name === undefined) throw fail('record.not_found', { kind: 'passkey', name: id });
        const { isOn, isEnforced } = await factor.stateOf(tx, actor.id);
        if (isEnforced && !isOn) throw failSignIn('factor.enforced');
        return { reply: {}, audit: { type: 'passkey', id, name: actor.name, changes: { name } } };
      });
    }),
  ];
}

function toView(passkey: Passkey) {
  return {
    id: passkey.id,
    name: passkey.name,
    created_at: passkey.createdAt.toISOString(),
    last_used_at: passkey.lastUsedAt?.toISOString() ?? null,
    backed_up: passkey.isBackedUp,
  };
}
