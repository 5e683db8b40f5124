import type { Db, Tx } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import type { Configuration } from 'openid-client';
import { z } from 'zod';
import { isTooManyGone, listPresent, lockUnseen, type Present, settleStanding } from '../directories/index.ts';
import type { JobType, StepContext, StepResult } from '../jobs/index.ts';
import type { Keyring } from '../keyring/index.ts';
import { type Asked, ask } from './ask.ts';
import { deleteGrant, deleteGrantsOfOthers, findGrants, type Giver } from './grant-store.ts';
import { giverOf, type Providers } from './providers.ts';

interface Deps {
  /** In the scope of everything. */
  readonly db: Db;
  readonly keyring: Pick<Keyring, 'seal' | 'unseal'>;
  readonly providers: Providers;
  readonly logger: Logger;
  /** Called when sessions have ended or roles have changed. */
  readonly onChange: () => void;
}

/** Whoever cannot be asked about for so long is asked to sign in again. */
const UNANSWERED_MAX_MS = 60 * 60_000;

interface Sum {
  asked: number;
  gone: number;
  /** Signed out, since the provider has said nothing of them for too long. */
  unanswered: number;
  changed: number;
  /** Grants of providers that are not asked any more. */
  dropped: number;
}

/**
 * Asks the providers again for everybody who is here without signing in anew and has given us a refresh token: whoever may not
 * use it any more (`invalid_grant`, RFC 6749, 5.2) is signed out, until they sign in there again; so is whoever it has said
 * nothing of for an hour while it answers. Where a provider does not answer anything of anybody, nothing changes.
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
  const sum: Sum = { asked: 0, gone: 0, unanswered: 0, changed: 0, dropped };
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
  const asked = await listAsked(db, giverOf(provider.settings), present);
  const { gone, unanswered, failures, known, isThere } = await askAll(deps, ctx, {
    client: provider.keyless,
    asked,
    since,
  });
  sum.asked += known + failures.length;
  const [err] = failures;
  if (failures.length > 0) logger.warn({ provider: name, unknown: failures.length, err }, 'oidc.recheck_failed');
  // Where it says nothing of anybody, that is not because of these.
  const leaving = [
    ...gone.map((person) => ({ person, because: 'gone' as const })),
    ...(isThere ? unanswered.map((person) => ({ person, because: 'unanswered' as const })) : []),
  ];
  if (isTooManyGone(leaving.length, known + unanswered.length))
    return `${leaving.length} of ${known + unanswered.length} people are not known any more: the settings or the provider are not as they were; nothing is changed`;
  for (const { person, because } of leaving) {
    ctx.signal.throwIfAborted();
    if (!(await ctx.write((tx) => settleGone(tx, person, { realm, because, since })))) continue;
    sum[because] += 1;
    sum.changed += 1;
    onChange();
  }
  if (failures.length === 0) return undefined;
  const ended = leaving.length - gone.length;
  const said = `it says nothing of ${asked.length - known} of ${asked.length} people`;
  return ended === 0
    ? `${said}; for them nothing is changed`
    : `${said}; ${ended} of them are signed out, since it has said nothing of them for an hour`;
}

/** Whom the provider has given something to ask by. Those of whom it says nothing come last, so that they keep nobody waiting. */
async function listAsked(db: Db, giver: Giver, present: readonly Present[]): Promise<Asked[]> {
  const ids = present.map(({ userId }) => userId);
  const grants = await findGrants(db, giver, ids);
  const asked = present.flatMap((person) => {
    const grant = grants.get(person.userId);
    return grant === undefined ? [] : [{ ...person, grant }];
  });
  const since = ({ grant }: Asked) => grant.unansweredSince?.getTime() ?? Number.POSITIVE_INFINITY;
  return asked.sort((a, b) => (since(a) === since(b) ? 0 : since(b) - since(a)));
}

interface Answers {
  readonly gone: Asked[];
  /** Those of whom it has said nothing for so long that they are not believed to be there any more. */
  readonly unanswered: Asked[];
  readonly failures: unknown[];
  /** Of how many it has said that they are there or gone. */
  known: number;
  /** It has answered something about somebody. */
  isThere: boolean;
}

async function askAll(
  deps: Deps,
  ctx: StepContext<Record<string, never>>,
  { client, asked, since }: { readonly client: Configuration; readonly asked: readonly Asked[]; readonly since: Date },
): Promise<Answers> {
  const answers: Answers = { gone: [], unanswered: [], failures: [], known: 0, isThere: false };
  for (const person of asked) {
    ctx.signal.throwIfAborted();
    const found = await ask(deps, client, person);
    if (found.at === 'passed') continue;
    if (found.at === 'gone') answers.gone.push(person);
    answers.isThere ||= found.at !== 'unknown' && found.at !== 'silent';
    if (!('error' in found)) {
      answers.known += 1;
      continue;
    }
    answers.failures.push(found.error);
    const { unansweredSince } = person.grant;
    if (unansweredSince && since.getTime() - unansweredSince.getTime() >= UNANSWERED_MAX_MS)
      answers.unanswered.push(person);
    // Whoever comes next would wait for it as long.
    if (found.at === 'silent') break;
  }
  return answers;
}

/**
 * Returns whether anything has changed: nothing for who has signed in there since. What the person may do here stays as it
 * is, and rests: a provider may refuse a token for reasons of its own, and the next sign-in maps the roles anyway.
 */
async function settleGone(
  tx: Tx,
  person: Asked,
  { realm, because, since }: { readonly realm: string; readonly because: 'gone' | 'unanswered'; readonly since: Date },
): Promise<boolean> {
  const known = await lockUnseen(tx, person);
  if (!known || !(await deleteGrant(tx, person.grant))) return false;
  return settleStanding(tx, person, { realm, isGone: true, because, wasGone: known.goneAt !== null, since });
}
