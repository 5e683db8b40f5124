import { emailSchema, fail, failSignIn, nameSchema, type Role } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import type { RequestContext } from '../../../platform/http/context.ts';
import { findLinkedUser, type Identity, insertLinkedUser, type LinkedUser, lockIdentity } from './identity-store.ts';
import { isHeldOn } from './realm-state.ts';
import { mapRoles, recordByRealm } from './role-mapping.ts';

/** A person authenticated by a directory or provider. */
export interface Person extends Identity {
  /** `ldap` or `oidc/<name>`: the realm whose groups give the roles. */
  readonly realm: string;
  readonly username: string;
  readonly email: string | null;
  readonly roles: ReadonlyMap<string, Role>;
  /** Whether an account may be created for them. */
  readonly mayBeNew: boolean;
}

/**
 * Finds or creates the account of a person from a directory and maps their groups to roles. The account is matched by
 * an immutable id; an existing account is never taken over because of its name or address. A new account is created
 * only if a group gives it a role.
 */
export class Admission {
  readonly #db: Db;
  readonly #onChange: () => void;

  /** `db` must have the scope of everything; `onChange` is called when roles have changed. */
  constructor(db: Db, onChange: () => void) {
    this.#db = db;
    this.#onChange = onChange;
  }

  /**
   * `along` writes in the same transaction. Throws sign_in.no_access, sign_in.name_taken, sign_in.name_unfit,
   * sign_in.realm_unknown for a realm that was disabled meanwhile, or auth.wrong_credentials for a disabled account.
   */
  async admit(ctx: RequestContext, person: Person, along?: (tx: Tx, userId: string) => Promise<void>): Promise<string> {
    const { id, changes } = await this.#db.transaction().execute(async (tx) => {
      // The settings of the realm may have changed since the sign-in started.
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
