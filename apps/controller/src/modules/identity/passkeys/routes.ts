import { fail, failSignIn, passkeyRoutes } from '@flotilla/contract';
import { requireMatch, revisionOf } from '../../../platform/http/etag.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { OwnPassword, SecondFactor } from '../second-factor/index.ts';
import { endSessions, noteFactor } from '../sessions/index.ts';
import { requireSession } from '../users/index.ts';
import type { Passkeys } from './service.ts';
import {
  deletePasskey,
  findOwnPasskey,
  insertPasskey,
  listPasskeys,
  lockOwner,
  lockOwnPasskey,
  type Passkey,
  renamePasskey,
} from './store.ts';

interface Parts {
  readonly ownPassword: OwnPassword;
  readonly passkeys: Passkeys;
  readonly factor: SecondFactor;
}

/**
 * The caller's own passkeys. Adding and deleting them needs the password, because a stolen session must not change how
 * its owner signs in.
 */
export function createPasskeyRoutes(parts: Parts): Route[] {
  const { ownPassword, passkeys } = parts;
  return [
    implement(passkeyRoutes.list, async (ctx) => {
      const items = await listPasskeys(ctx.db, requireSession(ctx.actor).id);
      return { body: { items: items.map(toView), next_cursor: null } };
    }),
    implement(passkeyRoutes.get, async (ctx, { params }) => {
      const id = params.passkey_id.toLowerCase();
      const passkey = requireFound(await findOwnPasskey(ctx.db, { userId: requireSession(ctx.actor).id, id }), id);
      return { body: toView(passkey), etag: tagOfPasskey(passkey) };
    }),
    implement(passkeyRoutes.begin, async (ctx, { body }) => {
      const { id, name } = await ownPassword.require(ctx, body.password);
      const options = await passkeys.askForNew({ id, username: name }, ctx.now);
      return ctx.write(async () => ({ reply: { body: options }, audit: { type: 'user', id, name } }));
    }),
    serveAdd(parts),
    serveRename(),
    serveRemove(parts),
  ];
}

function serveAdd({ passkeys, factor }: Parts): Route {
  return implement(passkeyRoutes.add, async (ctx, { body }) => {
    const { id: userId, name, sessionId } = requireSession(ctx.actor);
    const made = await passkeys.readNew({ userId, name: body.name, now: ctx.now }, body.passkey);
    if (!made) throw failSignIn('passkey.wrong');
    return ctx.write(async (tx) => {
      await lockOwner(tx, userId);
      // Adding a factor does not upgrade a session that lacks the account's existing factor.
      if (!(await factor.stateOf(tx, userId)).isOn) await noteFactor(tx, sessionId, 'passkey');
      if (!(await insertPasskey(tx, made))) throw failSignIn('passkey.wrong');
      // These sessions were opened with the password alone.
      await endSessions(tx, { userId, except: sessionId }, 'factor_on', ctx.now);
      return {
        reply: { body: toView(made), etag: tagOfPasskey(made), location: `/api/v3/profile/passkeys/${made.id}` },
        audit: { type: 'passkey', id: made.id, name, changes: { name: made.name } },
      };
    });
  });
}

function serveRename(): Route {
  return implement(passkeyRoutes.rename, (ctx, { params, body }) => {
    const { id: userId, name: owner } = requireSession(ctx.actor);
    const id = params.passkey_id.toLowerCase();
    return ctx.write(async (tx) => {
      const before = requireFound(await lockOwnPasskey(tx, { userId, id }), id);
      requireMatch(ctx, 'passkey', tagOfPasskey(before));
      const isUnchanged = before.name === body.name;
      const passkey = isUnchanged ? before : await renamePasskey(tx, before, body.name);
      const audit = { type: 'passkey', id, name: owner, changes: { name: [before.name, body.name] } };
      return { reply: { body: toView(passkey), etag: tagOfPasskey(passkey) }, audit, isUnchanged };
    });
  });
}

function serveRemove({ ownPassword, factor }: Parts): Route {
  return implement(passkeyRoutes.remove, async (ctx, { params, body }) => {
    const actor = await ownPassword.require(ctx, body.password);
    const id = params.passkey_id.toLowerCase();
    return ctx.write(async (tx) => {
      // Locks, so that the second of two deletions sees the result of the first.
      await lockOwner(tx, actor.id);
      const passkey = requireFound(await lockOwnPasskey(tx, { userId: actor.id, id }), id);
      requireMatch(ctx, 'passkey', tagOfPasskey(passkey));
      const { name } = passkey;
      await deletePasskey(tx, passkey);
      const { isOn } = await factor.stateOf(tx, actor.id);
      if (!isOn && (await factor.isKept(tx, actor.id))) throw failSignIn('factor.enforced');
      return { reply: {}, audit: { type: 'passkey', id, name: actor.name, changes: { name } } };
    });
  });
}

function requireFound(passkey: Passkey | undefined, id: string): Passkey {
  if (!passkey) throw fail('record.not_found', { kind: 'passkey', name: id });
  return passkey;
}

/** A digest of the editable fields; uses do not change it. */
function tagOfPasskey({ id, name }: Passkey): string {
  return revisionOf([id, name]);
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
