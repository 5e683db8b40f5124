import { Buffer } from 'node:buffer';
import type { Db, Tx } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import type { Configuration } from 'openid-client';
import { z } from 'zod';
import { isTooManyGone, listPresent, lockUnseen, type Present, settleStanding } from '../directories/index.ts';
import type { JobType, StepContext, StepResult } from '../jobs/index.ts';
import { type Keyring, sealContexts } from '../keyring/index.ts';
import {
  deleteGrant,
  deleteGrantsOfOthers,
  findGrants,
  type Grant,
  markAnswered,
  markAsked,
  replaceToken,
} from './grant-store.ts';
import { giverOf, type Providers } from './providers.ts';
import { redeem } from './redeem.ts';

interface Deps {
  /** In the scope of everything. */
  readonly db: Db;
  readonly keyring: Pick<Keyring, 'seal' | 'unseal'>;
  readonly providers: Providers;
  readonly logger: Logger;
  /** Called when sessions have ended or roles have changed. */
  readonly onChange: () => void;
}

/** Somebody whom the provider can be asked about without them. */
interface Asked extends Present {
  readonly grant: Grant;
}

/** `unknown`: the provider says nothing of the person; `silent`: nothing at all. */
type Whereabouts =
  | { readonly at: 'there' | 'gone' | 'passed' }
  | { readonly at: 'unknown' | 'silent'; readonly error: unknown };

interface Sum {
  asked: number;
  gone: number;
  changed: number;
  /** Grants of providers that are not asked any more. */
  dropped: number;
}

/**
 * Asks the providers again for everybody who is here without signing in anew and has given us a refresh token: whoever may not
 * use it any more (`invalid_grant`, RFC 6749, 5.2) is signed out, until they sign in there again. Where a provider does not
 * answer, or answers anything else, nothing changes.
 */
export function createProviderRecheckJob(deps: Deps): JobType<Record<string, never>> {
  return {
    type: 'oidc.recheck',
    title: 'Asks the providers of OpenID Connect who is still there',
    params: z.strictObject({}),
    route: null,
    lockKey: () => 'oidc.recheck',
    attemptsMax: 1,
    steps: [{ name: 'recheck', effects: 'repeatable', run: (ctx) => recheck(deps, ctx) }],
  };
}

type Problem = { readonly target: string; readonly message: string };

async function recheck(deps: Deps, ctx: StepContext<Record<string, never>>): Promise<StepResult> {
  const errors: Problem[] = [];
  const since = new Date();
  const providers = await deps.providers.listAsked();
  const givers = providers.map(({ giver }) => giver);
  const dropped = await ctx.write((tx) => deleteGrantsOfOthers(tx, givers, since));
  const sum: Sum = { asked: 0, gone: 0, changed: 0, dropped };
  for (const { name } of providers) {
    ctx.signal.throwIfAborted();
    const problem = await recheckProvider(deps, ctx, name, sum);
    if (problem !== undefined) errors.push({ target: `oidc/${name}`, message: problem });
  }
  if (errors.length > 0) return { kind: 'with_errors', errors };
  return sum.asked === 0 && dropped === 0 ? { kind: 'no_work' } : { kind: 'done', result: { ...sum } };
}

/** Returns what went wrong. */
async function recheckProvider(
  deps: Deps,
  ctx: StepContext<Record<string, never>>,
  name: string,
  sum: Sum,
): Promise<string | undefined> {
  const { db, providers, logger, onChange } = deps;
  const realm = `oidc/${name}`;
  const since = new Date();
  const present = (await listPresent(db, realm, since)).filter(({ isGone }) => !isGone);
  if (present.length === 0) return undefined;
  const provider = await providers.open(name).catch(() => undefined);
  if (!provider) return 'it does not answer; nothing is changed';
  const ids = present.map(({ userId }) => userId);
  const grants = await findGrants(db, giverOf(provider.settings), ids);
  const gone: Asked[] = [];
  const failures: unknown[] = [];
  let answers = 0;
  for (const person of present) {
    const grant = grants.get(person.userId);
    if (grant === undefined) continue;
    ctx.signal.throwIfAborted();
    const asked = { ...person, grant };
    const found = await ask(deps, provider.keyless, asked);
    if (found.at === 'passed') continue;
    sum.asked += 1;
    if (found.at === 'unknown' || found.at === 'silent') failures.push(found.error);
    else answers += 1;
    if (found.at === 'gone') gone.push(asked);
    // Whoever comes next would wait for it as long.
    if (found.at === 'silent') break;
  }
  const [err] = failures;
  if (failures.length > 0) logger.warn({ provider: name, unknown: failures.length, err }, 'oidc.recheck_failed');
  if (isTooManyGone(gone.length, answers))
    return `${gone.length} of ${answers} people are not known any more: the settings or the provider are not as they were; nothing is changed`;
  for (const person of gone) {
    ctx.signal.throwIfAborted();
    if (!(await ctx.write((tx) => settleGone(tx, person, { realm, since })))) continue;
    sum.gone += 1;
    sum.changed += 1;
    onChange();
  }
  const unknown = grants.size - answers;
  return failures.length === 0
    ? undefined
    : `it says nothing of ${unknown} of ${grants.size} people; for them nothing is changed`;
}

/** `passed`: they have signed in anew just now. */
async function ask(
  { db, keyring, logger }: Deps,
  client: Configuration,
  { userId, subject, grant }: Asked,
): Promise<Whereabouts> {
  const context = sealContexts.providerGrant(userId);
  const token = unsealToken(keyring, grant.sealed, context);
  if (token === undefined) return { at: 'unknown', error: new Error(`the token of ${userId} does not open`) };
  if (!(await markAsked(db, grant, new Date()))) return { at: 'passed' };
  let isKept = false;
  const answer = await redeem(client, token, async (next) => {
    isKept = true;
    const isStored = await replaceToken(db, grant, keyring.seal(Buffer.from(next), context));
    if (!isStored) logger.warn({ user_id: userId }, 'oidc.grant_superseded');
  });
  if (answer.kind === 'silent') return { at: 'silent', error: answer.error };
  if (answer.kind === 'refused' && grant.isUnanswered) {
    await db.transaction().execute((tx) => deleteGrant(tx, grant));
    return { at: 'unknown', error: new Error(`of ${userId} another token may have been given that never came`) };
  }
  if (!isKept) await markAnswered(db, grant);
  switch (answer.kind) {
    case 'refused':
      return { at: 'gone' };
    case 'unclear':
      return { at: 'unknown', error: answer.error };
    case 'taken':
      return answer.subject === undefined || answer.subject === subject
        ? { at: 'there' }
        : { at: 'unknown', error: new Error(`it takes the token of ${userId} for that of somebody else`) };
  }
}

function unsealToken(keyring: Deps['keyring'], sealed: Buffer, context: string): string | undefined {
  try {
    return keyring.unseal(sealed, context).toString();
  } catch {
    return undefined;
  }
}

/**
 * Returns whether anything has changed: nothing for who has signed in there since. What the person may do here stays as it
 * is, and rests: a provider may refuse a token for reasons of its own, and the next sign-in maps the roles anyway.
 */
async function settleGone(
  tx: Tx,
  person: Asked,
  { realm, since }: { readonly realm: string; readonly since: Date },
): Promise<boolean> {
  const known = await lockUnseen(tx, person);
  if (!known || !(await deleteGrant(tx, person.grant))) return false;
  return settleStanding(tx, person, { realm, isGone: true, wasGone: known.goneAt !== null, since });
}
