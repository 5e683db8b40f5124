import { LDAP_REALM, type LdapSettings } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { AppError } from '@flotilla/kit';
import * as z from 'zod';
import type { JobType, StepContext, StepResult, TargetError } from '../../../platform/jobs/index.ts';
import { groupMatcher, type LdapDirectory } from '../ldap/index.ts';
import { rolesOf } from './mapping.ts';
import { isTooManyMissing, settleMissing } from './missing.ts';
import { type SignedOut, signOutOfRealmsOff } from './realm-off.ts';
import { listPresent, lockUnseen, type Present } from './recheck-store.ts';
import { mapRoles } from './role-mapping.ts';

/** Progress is reported per this many people. */
const TOLD_EVERY = 100;

interface Deps {
  /** In the scope of everything. */
  readonly db: Db;
  readonly ldap: LdapDirectory;
  /** Called when sessions have ended or roles have changed. */
  readonly onChange: () => void;
}

/**
 * Asks the directory about everybody who can act here without a new sign-in: people who are gone or disabled there are
 * signed out and lose the roles of their groups; all others get the roles of their current groups. Changes nothing if
 * no server answers.
 */
export function createRecheckJob(deps: Deps): JobType<Record<string, never>> {
  return {
    type: 'directories.recheck',
    title: 'Asks the directory who is still there, and in which groups',
    params: z.strictObject({}),
    route: null,
    lockKey: () => 'directories.recheck',
    attemptsMax: 1,
    steps: [{ name: 'recheck', effects: 'repeatable', run: (ctx) => recheck(deps, ctx) }],
  };
}

type Context = StepContext<Record<string, never>>;

async function recheck(deps: Deps, ctx: Context): Promise<StepResult> {
  ctx.signal.throwIfAborted();
  const signedOut = await signOut(deps, ctx);
  const asked = await askAgain(deps, ctx);
  if ('target' in signedOut) {
    const others = asked.kind === 'with_errors' ? asked.errors : [];
    return { kind: 'with_errors', errors: [signedOut, ...others] };
  }
  if (asked.kind !== 'no_work' || signedOut.people === 0) return asked;
  return { kind: 'done', result: { signed_out: signedOut } };
}

/** Signs out the people of realms that were disabled before disabling did this itself. */
async function signOut({ onChange }: Deps, ctx: Context): Promise<SignedOut | TargetError> {
  try {
    const signedOut = await ctx.write((tx) => signOutOfRealmsOff(tx, new Date()));
    if (signedOut.people > 0) onChange();
    return signedOut;
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'setting.no_owner_left')) throw error;
    return { target: 'realms that are off', message: `${error.message} Nobody of them is signed out.` };
  }
}

async function askAgain({ db, ldap, onChange }: Deps, ctx: Context): Promise<StepResult> {
  if (await ldap.isRefused()) return failed('its settings are not taken by this version; nothing is changed');
  const settings = await ldap.configuration();
  if (!settings) return { kind: 'no_work' };
  const since = new Date();
  const present = await listPresent(db, LDAP_REALM, since);
  if (present.length === 0) return { kind: 'no_work' };
  const ids = present.map(({ subject }) => subject);
  const found = await ldap.lookFor(settings, ids, ctx.signal);
  ctx.signal.throwIfAborted();
  if (!found) return failed('no server answers; nothing is changed');
  // Compares only with people who were still there: over the years, more may have left than remain.
  const expected = present.filter(({ isGone }) => !isGone);
  const gone = expected.filter(({ subject }) => !found.has(subject)).length;
  if (isTooManyMissing(gone, expected.length))
    return failed(
      `${gone} of ${expected.length} people are not found: the settings or the directory are not as they were; nothing is changed`,
    );
  let changed = 0;
  for (const [at, person] of present.entries()) {
    ctx.signal.throwIfAborted();
    const isChanged = await ctx.write((tx) =>
      settle(tx, person, { settings, groups: found.get(person.subject), since }),
    );
    if (isChanged) {
      changed += 1;
      onChange();
    }
    if ((at + 1) % TOLD_EVERY === 0) await ctx.progress(at + 1, present.length);
  }
  return { kind: 'done', result: { asked: ids.length, gone, changed } };
}

/** Returns whether anything changed. */
async function settle(
  tx: Tx,
  person: Present,
  { settings, groups, since }: { settings: LdapSettings; groups: readonly string[] | undefined; since: Date },
): Promise<boolean> {
  const { userId, username } = person;
  const known = await lockUnseen(tx, person);
  if (!known) return false;
  const user = { id: userId, username };
  const roles = groups === undefined ? new Map() : rolesOf(settings.mapping, groupMatcher(groups));
  const changes = await mapRoles(tx, user, { realm: LDAP_REALM, roles }, since);
  const now = { realm: LDAP_REALM, isGone: groups === undefined, wasGone: known.goneAt !== null, since };
  return (await settleMissing(tx, person, now)) || changes > 0;
}

function failed(message: string): StepResult {
  return { kind: 'with_errors', errors: [{ target: LDAP_REALM, message }] };
}
