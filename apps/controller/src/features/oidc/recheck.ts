import { Buffer } from 'node:buffer';
import type { Db, Tx } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import { type Configuration, ResponseBodyError, refreshTokenGrant } from 'openid-client';
import { z } from 'zod';
import {
  isTooManyGone,
  listPresent,
  lockUnseen,
  mapRoles,
  type Present,
  settleStanding,
} from '../directories/index.ts';
import type { JobType, StepContext, StepResult } from '../jobs/index.ts';
import { type Keyring, sealContexts } from '../keyring/index.ts';
import { deleteGrant, findGrants, replaceGrant } from './grant-store.ts';
import type { Providers } from './providers.ts';

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
  readonly sealed: Buffer;
}

/** `unknown`: the provider says nothing of the person. */
type Standing = 'there' | 'gone' | 'unknown';

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
  const sum = { asked: 0, gone: 0, changed: 0 };
  for (const { name } of await deps.providers.list()) {
    ctx.signal.throwIfAborted();
    const problem = await recheckProvider(deps, ctx, name, sum);
    if (problem !== undefined) errors.push({ target: `oidc/${name}`, message: problem });
  }
  if (errors.length > 0) return { kind: 'with_errors', errors };
  return sum.asked === 0 ? { kind: 'no_work' } : { kind: 'done', result: sum };
}

/** Returns what went wrong. */
async function recheckProvider(
  deps: Deps,
  ctx: StepContext<Record<string, never>>,
  name: string,
  sum: { asked: number; gone: number; changed: number },
): Promise<string | undefined> {
  const { db, providers, onChange } = deps;
  const realm = `oidc/${name}`;
  const since = new Date();
  const present = (await listPresent(db, realm, since)).filter(({ isGone }) => !isGone);
  if (present.length === 0) return undefined;
  const provider = await providers.open(name).catch(() => undefined);
  if (!provider) return 'it does not answer; nothing is changed';
  const grants = await findGrants(
    db,
    provider.settings.issuer,
    present.map(({ userId }) => userId),
  );
  const gone: Asked[] = [];
  let unknown = 0;
  for (const person of present) {
    const sealed = grants.get(person.userId);
    if (sealed === undefined) continue;
    ctx.signal.throwIfAborted();
    const asked = { ...person, sealed };
    const standing = await ask(deps, provider.client, asked);
    sum.asked += 1;
    if (standing === 'gone') gone.push(asked);
    if (standing === 'unknown') unknown += 1;
  }
  if (isTooManyGone(gone.length, grants.size))
    return `${gone.length} of ${grants.size} people are not known any more: the settings or the provider are not as they were; nothing is changed`;
  for (const person of gone) {
    ctx.signal.throwIfAborted();
    if (!(await ctx.write((tx) => settleGone(tx, person, { realm, since })))) continue;
    sum.gone += 1;
    sum.changed += 1;
    onChange();
  }
  return unknown === 0
    ? undefined
    : `it says nothing of ${unknown} of ${grants.size} people; for them nothing is changed`;
}

/** A token that the provider has put in the place of this one is kept at once: it takes the one of before no more. */
async function ask(
  { db, keyring, logger }: Deps,
  client: Configuration,
  { userId, subject, sealed }: Asked,
): Promise<Standing> {
  const context = sealContexts.providerGrant(userId);
  try {
    const token = keyring.unseal(sealed, context).toString();
    const tokens = await refreshTokenGrant(client, token);
    const next = tokens.refresh_token;
    if (next !== undefined && next !== token)
      await replaceGrant(db, userId, { before: sealed, after: keyring.seal(Buffer.from(next), context) });
    const claims = tokens.claims();
    return claims === undefined || claims.sub === subject ? 'there' : 'unknown';
  } catch (error) {
    if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return 'gone';
    logger.warn({ user_id: userId, err: error }, 'oidc.recheck_failed');
    return 'unknown';
  }
}

/** Returns whether anything has changed: nothing for who has signed in there since. */
async function settleGone(
  tx: Tx,
  person: Asked,
  { realm, since }: { readonly realm: string; readonly since: Date },
): Promise<boolean> {
  const known = await lockUnseen(tx, person, since);
  if (!known) return false;
  await deleteGrant(tx, person.userId);
  await mapRoles(tx, { id: person.userId, username: person.username }, { realm, roles: new Map() }, since);
  return settleStanding(tx, person, { realm, isGone: true, wasGone: known.goneAt !== null, since });
}
