import { emailSchema, fail, failSignIn, nameSchema, type Role } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import type { AuditSubject, RequestContext } from '../../http/context.ts';
import { recordAudit } from '../audit/index.ts';
import {
  findLinkedUser,
  giveRole,
  type Identity,
  insertLinkedUser,
  type LinkedUser,
  listHeldRoles,
  lockIdentity,
  takeRole,
} from './identity-store.ts';

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

type Change = readonly [from: Role | null, to: Role | null];

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

  /** Throws sign_in.no_access, sign_in.name_taken, sign_in.name_unfit, or auth.wrong_credentials for one that is switched off. */
  async admit(ctx: RequestContext, person: Person): Promise<string> {
    const { id, changes } = await this.#db.transaction().execute(async (tx) => {
      await lockIdentity(tx, person);
      const known = await findLinkedUser(tx, person, ctx.now);
      if (known && !known.active) {
        ctx.about({ type: 'user', id: known.id, name: known.username });
        throw fail('auth.wrong_credentials');
      }
      const user = known ?? (await makeUser(tx, ctx, person));
      return { id: user.id, changes: await mapRoles(tx, ctx, user, person) };
    });
    if (changes > 0) this.#onChange();
    return id;
  }
}

async function makeUser(tx: Tx, ctx: RequestContext, person: Person): Promise<LinkedUser> {
  const { username, realm } = person;
  const email = emailSchema.safeParse(person.email).data ?? null;
  ctx.about({ type: 'user', name: username.slice(0, 256), changes: { realm } });
  if (!person.mayBeNew || person.roles.size === 0) throw failSignIn('sign_in.no_access');
  if (!nameSchema.safeParse(username).success) throw failSignIn('sign_in.name_unfit');
  const id = createId(ctx.now.getTime());
  if (!(await insertLinkedUser(tx, { ...person, email, id }, ctx.now))) throw failSignIn('sign_in.name_taken');
  await record(tx, ctx, {
    action: 'user.create',
    realm,
    subject: { type: 'user', id, name: username, changes: { username, email, realm } },
  });
  return { id, username, active: true };
}

/** Roles that people have given stay as they are; what groups gave follows the groups. */
async function mapRoles(tx: Tx, ctx: RequestContext, user: LinkedUser, person: Person): Promise<number> {
  const held = await listHeldRoles(tx, user.id);
  const byPeople = new Set(held.filter(({ givenBy }) => givenBy === null).map(({ projectId }) => projectId));
  const before = new Map(
    held.filter(({ givenBy }) => givenBy !== null).map(({ projectId, role }) => [projectId, role]),
  );
  const changes = new Map<string, Change>();
  for (const [projectId, role] of person.roles) {
    if (byPeople.has(projectId) || before.get(projectId) === role) continue;
    const isGiven = await giveRole(tx, user.id, { projectId, role, realm: person.realm }, ctx.now);
    if (isGiven) changes.set(projectId, [before.get(projectId) ?? null, role]);
  }
  for (const [projectId, role] of before) {
    if (person.roles.has(projectId)) continue;
    await takeRole(tx, user.id, projectId);
    changes.set(projectId, [role, null]);
  }
  for (const [projectId, [from, to]] of changes) {
    const action = to === null ? 'membership.delete' : 'membership.update';
    const details = { role: [from, to], by: person.realm };
    await record(tx, ctx, {
      action,
      realm: person.realm,
      subject: { type: 'membership', id: user.id, name: user.username, projectId, changes: details },
    });
  }
  return changes.size;
}

async function record(
  tx: Tx,
  ctx: RequestContext,
  { action, realm, subject }: { action: string; realm: string; subject: AuditSubject },
): Promise<void> {
  await recordAudit(tx, {
    at: ctx.now,
    actor: { kind: 'system', id: null, name: realm },
    actorRole: undefined,
    projectId: undefined,
    action,
    outcome: 'done',
    status: 200,
    subject,
  });
}
