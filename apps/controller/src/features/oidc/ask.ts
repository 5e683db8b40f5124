import { Buffer } from 'node:buffer';
import type { Db } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import type { Configuration } from 'openid-client';
import type { Present } from '../directories/index.ts';
import { type Keyring, sealContexts } from '../keyring/index.ts';
import { type Grant, markAnswered, markAsked, replaceToken } from './grant-store.ts';
import { redeem } from './redeem.ts';

/** Somebody whom the provider can be asked about without them. */
export interface Asked extends Present {
  readonly grant: Grant;
}

/**
 * passed    they have signed in anew just now
 * lost      it refuses a token for which it may have given another that never came
 * unknown   it says nothing of the person
 * later     it wants to be asked later
 * silent    it says nothing at all
 */
type Whereabouts =
  | { readonly at: 'there' | 'gone' | 'passed' }
  | { readonly at: 'lost' | 'unknown' | 'later' | 'silent'; readonly error: unknown };

export interface AskDeps {
  readonly db: Db;
  readonly keyring: Pick<Keyring, 'seal' | 'unseal'>;
  readonly logger: Logger;
}

/** Asks a provider whether somebody may still use the token that it gave for them; notes since when there is no answer that says so. */
export async function ask(
  { db, keyring, logger }: AskDeps,
  client: Configuration,
  { userId, subject, grant }: Asked,
): Promise<Whereabouts> {
  const context = sealContexts.providerGrant(userId);
  const token = unsealToken(keyring, grant.sealed, context);
  if (!(await markAsked(db, grant, new Date()))) return { at: 'passed' };
  if (token === undefined) return { at: 'unknown', error: new Error(`the token of ${userId} does not open`) };
  const answer = await redeem(client, token, async (next) => {
    const isStored = await replaceToken(db, grant, keyring.seal(Buffer.from(next), context));
    if (!isStored) logger.warn({ user_id: userId }, 'oidc.grant_superseded');
  });
  // Neither has a token in its place been given, then, nor is one on the way that was given before.
  if ((answer.kind === 'refused' || answer.kind === 'later') && grant.unansweredSince === null)
    await markAnswered(db, grant);
  switch (answer.kind) {
    case 'silent':
    case 'later':
      return { at: answer.kind, error: answer.error };
    case 'unclear':
      return { at: 'unknown', error: answer.error };
    case 'refused':
      return grant.unansweredSince === null
        ? { at: 'gone' }
        : { at: 'lost', error: new Error(`of ${userId} another token may have been given that never came`) };
    case 'taken': {
      if (answer.subject !== undefined && answer.subject !== subject)
        return { at: 'unknown', error: new Error(`it takes the token of ${userId} for that of somebody else`) };
      await markAnswered(db, grant);
      return { at: 'there' };
    }
  }
}

function unsealToken(keyring: AskDeps['keyring'], sealed: Buffer, context: string): string | undefined {
  try {
    return keyring.unseal(sealed, context).toString();
  } catch {
    return undefined;
  }
}
