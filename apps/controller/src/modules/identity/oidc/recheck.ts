import type { Tx } from '@flotilla/db';
import * as z from 'zod';
import type { JobType, StepContext, StepResult } from '../../../platform/jobs/index.ts';
import { isTooManyMissing, listPresent, lockUnseen, settleMissing } from '../directories/index.ts';
import type { AskDeps, Asked } from './ask.ts';
import { askAll } from './ask-all.ts';
import { deleteGrant, deleteGrantsOfOthers, type Giver, restartUnanswered } from './grant-store.ts';
import { giverOf, type Providers } from './providers.ts';

/** `db` must have the scope of everything. */
interface Deps extends AskDeps {
  readonly providers: Providers;
  /** Called when sessions have ended or roles have changed. */
  readonly onChange: () => void;
}

interface Sum {
  asked: number;
  gone: number;
  /** Signed out because the provider said nothing about them for too long. */
  unanswered: number;
  changed: number;
  /** Grants of providers that are not asked any more. */
  dropped: number;
}

/**
 * Asks the providers about everybody who can act here without a new sign-in and has a refresh token. A person whose
 * token is refused (`invalid_grant`, RFC 6749, 5.2) is signed out until the next sign-in there, and so is one about
 * whom the provider has said nothing for an hour while it answered about others. If a provider answers about nobody,
 * nothing changes and the hour starts again.
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

type Context = StepContext<Record<string, never>>;
type Problem = { readonly target: string; readonly message: string };

async function recheck(deps: Deps, ctx: Context): Promise<StepResult> {
  const errors: Problem[] = [];
  const since = new Date();
  const providers = await deps.providers.listAsked();
  const givers = providers.map(({ giver }) => giver);
  const refused = await deps.providers.listRefused();
  for (const name of refused)
    errors.push({ target: `oidc/${name}`, message: 'its settings are not taken by this version; nothing is changed' });
  // The grants of providers with refused settings cannot be recognised, so nothing is deleted.
  const dropped = refused.length > 0 ? 0 : await ctx.write((tx) => deleteGrantsOfOthers(tx, givers, since));
  const sum: Sum = { asked: 0, gone: 0, unanswered: 0, changed: 0, dropped };
  for (const provider of providers) {
    ctx.signal.throwIfAborted();
    const problem = await recheckProvider(deps, ctx, provider, sum);
    if (problem !== undefined) errors.push({ target: `oidc/${provider.name}`, message: problem });
  }
  if (errors.length > 0) return { kind: 'with_errors', errors };
  return sum.asked === 0 && dropped === 0 ? { kind: 'no_work' } : { kind: 'done', result: { ...sum } };
}

/** Returns the errors. */
async function recheckProvider(
  deps: Deps,
  ctx: Context,
  { name, giver }: { readonly name: string; readonly giver: Giver },
  sum: Sum,
): Promise<string | undefined> {
  const { db, providers, logger } = deps;
  const realm = `oidc/${name}`;
  const since = new Date();
  const present = (await listPresent(db, realm, since)).filter(({ isGone }) => !isGone);
  if (present.length === 0) return undefined;
  const provider = await providers.open(name).catch(() => undefined);
  if (!provider) {
    await ctx.write((tx) => restartUnanswered(tx, giver, since));
    return 'it does not answer; nothing is changed';
  }
  const asked = { client: provider.keyless, giver: giverOf(provider.settings), present, signal: ctx.signal };
  const answers = await askAll(deps, asked);
  const { gone, unanswered, failures, known } = answers;
  sum.asked += known + failures.size;
  const [err] = failures.values();
  if (failures.size > 0) logger.warn({ provider: name, unknown: failures.size, err }, 'oidc.recheck_failed');
  if (!answers.isThere && failures.size > 0) await ctx.write((tx) => restartUnanswered(tx, asked.giver, since));
  if (isTooManyMissing(gone.length, known))
    return `${gone.length} of ${known} people are not known any more: the settings or the provider are not as they were; nothing is changed`;
  await signOutAll(deps, ctx, { people: gone, because: 'gone', realm, since }, sum);
  if (failures.size === 0) return undefined;
  const said = `it says nothing of ${answers.asked - known} of ${answers.asked} people`;
  if (unanswered.length === 0) return `${said}; for them nothing is changed`;
  if (isTooManyMissing(unanswered.length, known + failures.size))
    return `${said}, and of ${unanswered.length} of them for an hour; for so many at once nothing is changed`;
  await signOutAll(deps, ctx, { people: unanswered, because: 'unanswered', realm, since }, sum);
  return `${said}; ${unanswered.length} of them are signed out, since it has said nothing of them for an hour`;
}

interface Leaving {
  readonly because: 'gone' | 'unanswered';
  readonly realm: string;
  readonly since: Date;
}

async function signOutAll(
  { onChange }: Deps,
  ctx: Context,
  { people, ...leaving }: Leaving & { readonly people: readonly Asked[] },
  sum: Sum,
): Promise<void> {
  for (const person of people) {
    ctx.signal.throwIfAborted();
    if (!(await ctx.write((tx) => signOut(tx, person, leaving)))) continue;
    sum[leaving.because] += 1;
    sum.changed += 1;
    onChange();
  }
}

/**
 * Returns whether anything changed; nothing does if the person has signed in since. The person's rights are kept but
 * suspended: a provider may refuse a token for its own reasons, and the next sign-in maps the roles anyway.
 */
async function signOut(tx: Tx, person: Asked, { realm, because, since }: Leaving): Promise<boolean> {
  const known = await lockUnseen(tx, person);
  if (!known || !(await deleteGrant(tx, person.grant))) return false;
  return settleMissing(tx, person, { realm, isGone: true, because, wasGone: known.goneAt !== null, since });
}
