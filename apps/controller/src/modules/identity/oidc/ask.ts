import { Buffer } from 'node:buffer';
import type { Db } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import type { Configuration } from 'openid-client';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import type { Present } from '../directories/index.ts';
import { providerGrantContext } from './encryption-contexts.ts';
import { type Grant, markAnswered, markAsked, replaceToken } from './grant-store.ts';
import { redeem } from './redeem.ts';

/** A person whom the provider can be asked about without their participation. */
export interface Asked extends Present {
  readonly grant: Grant;
}

/**
 * The answer about a person.
 * passed: they signed in again just now
 * lost: it refuses a token whose replacement may have been lost
 * unknown: it says nothing about the person
 * later: it asks to be called later
 * silent: it does not answer at all
 */
type Whereabouts =
  | { readonly at: 'there' | 'gone' | 'passed' }
  | { readonly at: 'lost' | 'unknown' | 'later' | 'silent'; readonly error: unknown };

export interface AskDeps {
  readonly db: Db;
  readonly keyring: Cipher;
  readonly logger: Logger;
}

/** Asks a provider whether a person may still use their token. Records since when no answer confirms it. */
export async function ask(
  { db, keyring, logger }: AskDeps,
  client: Configuration,
  { userId, subject, grant }: Asked,
): Promise<Whereabouts> {
  const context = providerGrantContext(userId);
  const token = decryptToken(keyring, grant.sealed, context);
  if (!(await markAsked(db, grant, new Date()))) return { at: 'passed' };
  if (token === undefined) return { at: 'unknown', error: new Error(`the token of ${userId} does not open`) };
  const answer = await redeem(client, token, async (next) => {
    const isStored = await replaceToken(db, grant, keyring.encrypt(Buffer.from(next), context));
    if (!isStored) logger.warn({ user_id: userId }, 'oidc.grant_superseded');
  });
  // So no replacement token was issued or is in flight.
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

function decryptToken(keyring: AskDeps['keyring'], sealed: Buffer, context: string): string | undefined {
  try {
    return keyring.decrypt(sealed, context).toString();
  } catch {
    return undefined;
  }
}
