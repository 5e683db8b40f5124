import { emailSchema, fail, failSignIn, nameSchema, type Role } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import type { RequestContext } from '../../http/context.ts';
import { findLinkedUser, type Identity, insertLinkedUser, type LinkedUser, lockIdentity } from './identity-store.ts';
import { isHeldOn } from './realm-state.ts';
import { mapRoles, recordByRealm } from './role-mapping.ts';

/** Somebody who has shown elsewhere who they are. */
export interface Person extends Identity {
  /** `ldap` or `oidc/<name>`: what the roles are given by. */
  readonly realm: string;
  readonly username: string;
  readonly email: string | null;
  readonly roles: ReadonlyMap<string, Role>;
  /** Whether an account may be made for them. */
  readonly mayBeNew: boolean;
}

/**
 * The account of a person from a directory: found by what never changes of the person, made where there is none and a
 * role comes with it, and given the roles of its groups. An account is never taken over by its name or its address.
 */
export class Admission {
  readonly #db: Db;
  readonly #onChange: () => void;

  /** `db` in the scope of everything; `onChange` is called when roles have changed. */
  constructor(db: Db, onChange: () => void) {
    this.#db = db;
    this.#onChange = onChange;
  }

  /**
   * `along` is written with it: whoever finds the sign-in finds that, too. Throws sign_in.no_access, sign_in.name_taken,
   * sign_in.name_unfit, sign_in.realm_unknown for a realm that is off by now, or auth.wrong_credentials for one that is switched off.
   */
  async admit(ctx: RequestContext, person: Person, along?: (tx: Tx, userId: string) => Promise<void>): Promise<string> {
    const { id, changes } = await this.#db.transaction().execute(async (tx) => {
      // What was read of the realm when the sign-in began may be over.
      if (!(await isHeldOn(tx, person))) throw failSignIn('sign_in.realm_unknown');
      await lockIdentity(tx, person);
      const known = await findLinkedUser(tx, person, ctx.now);
      if (known && !known.active) {
        ctx.about({ type: 'user', id: known.id, name: known.username });
        throw fail('auth.wrong_credentials');
      }
      if (known?.wasGone) await recordBack(tx, ctx, known, person);
      const user = known ?? (await makeUser(tx, ctx, person));
      const changes = await mapRoles(tx, user, person, ctx.now);
      await along?.(tx, user.id);
      return { id: user.id, changes };
    });
    if (changes > 0) this.#onChange();
    return id;
  }
}

async function recordBack(tx: Tx, ctx: RequestContext, { id, username }: LinkedUser, { realm }: Person): Promise<void> {
  await recordByRealm(tx, ctx.now, {
    action: 'user.back',
    realm,
    subject: { type: 'user', id, name: username, changes: { realm } },
  });
}

async function makeUser(tx: Tx, ctx: RequestContext, person: Person): Promise<LinkedUser> {
  const { username, realm } = person;
  const email = emailSchema.safeParse(person.email).data ?? null;
  ctx.about({ type: 'user', name: username.slice(0, 256), changes: { realm } });
  if (!person.mayBeNew || person.roles.size === 0) throw failSignIn('sign_in.no_access');
  if (!nameSchema.safeParse(username).success) throw failSignIn('sign_in.name_unfit');
  const id = createId(ctx.now.getTime());
  if (!(await insertLinkedUser(tx, { ...person, email, id }, ctx.now))) throw failSignIn('sign_in.name_taken');
  await recordByRealm(tx, ctx.now, {
    action: 'user.create',
    realm,
    subject: { type: 'user', id, name: username, changes: { username, email, realm } },
  });
  return { id, username, active: true };
}
