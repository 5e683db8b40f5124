import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { failSignIn, type newPasskeyAnswerSchema, type PasskeyAnswer } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type * as z from 'zod';
import { countUse, findPasskey, insertQuestion, listPasskeys, type Passkey, redeemQuestion } from './store.ts';

const QUESTION_S = 5 * 60;

export type NewPasskeyAnswer = z.output<typeof newPasskeyAnswerSchema>;

/** A passkey with a verified answer. */
export interface ShownPasskey {
  readonly userId: string;
  /** Records the use in the caller's transaction. Throws auth.passkey_copied if another use was faster. */
  spend(tx: Tx, now: Date): Promise<void>;
}

/**
 * Passkeys (WebAuthn level 3) for one address: its host is the RP id, and only pages of its origin may ask. User
 * verification is required, so a passkey counts as two factors.
 */
export class Passkeys {
  readonly #db: Db;
  readonly #findAddress: () => Promise<string | undefined>;
  readonly #findName: () => string;

  /**
   * `findAddress`: the current public URL; undefined if it is not configured. `findName`: the name of the installation.
   */
  constructor(db: Db, findAddress: () => Promise<string | undefined>, findName: () => string) {
    this.#db = db;
    this.#findAddress = findAddress;
    this.#findName = findName;
  }

  /**
   * Whether the public URL can have passkeys: its host must be a name, not an IP address (WebAuthn level 3, section
   * 5.1.2).
   */
  async isReady(): Promise<boolean> {
    const address = await this.#findAddress();
    return address !== undefined && isIP(new URL(address).hostname.replace(/^\[|\]$/g, '')) === 0;
  }

  /** Options for a sign-in with any passkey. */
  async askForAny(now: Date) {
    const { hostname } = await this.#requireAddress();
    const timeout = QUESTION_S * 1000;
    const options = await generateAuthenticationOptions({ rpID: hostname, userVerification: 'required', timeout });
    await this.#keep(options.challenge, null, now);
    return options;
  }

  /** Options for creating a passkey on a device that has none of this account. */
  async askForNew(user: { id: string; username: string }, now: Date) {
    const { hostname } = await this.#requireAddress();
    const known = await listPasskeys(this.#db, user.id);
    const options = await generateRegistrationOptions({
      rpName: this.#findName(),
      rpID: hostname,
      userName: user.username,
      userID: new Uint8Array(Buffer.from(user.id)),
      timeout: QUESTION_S * 1000,
      excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId.toString('base64url') })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    await this.#keep(options.challenge, user.id, now);
    return options;
  }

  /** Reads a new passkey. undefined if it does not answer our question. */
  async readNew(
    of: { userId: string; name: string; now: Date },
    answer: NewPasskeyAnswer,
  ): Promise<Passkey | undefined> {
    const { hostname, origin } = await this.#requireAddress();
    const read = await verifyRegistrationResponse({
      // The library's types list the known transports; it passes unknown ones through.
      response: answer as Parameters<typeof verifyRegistrationResponse>[0]['response'],
      expectedChallenge: (challenge) => redeemQuestion(this.#db, digest(challenge), of.userId, of.now),
      expectedOrigin: origin,
      expectedRPID: hostname,
      requireUserVerification: true,
    }).catch(() => undefined);
    if (!read?.verified) return undefined;
    const { credential, credentialBackedUp } = read.registrationInfo;
    return {
      id: createId(of.now.getTime()),
      userId: of.userId,
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      signCount: credential.counter,
      transports: answer.response.transports ?? [],
      name: of.name,
      isBackedUp: credentialBackedUp,
      createdAt: of.now,
      lastUsedAt: null,
    };
  }

  /** Throws auth.passkey_wrong if it does not answer a question of ours, and auth.passkey_copied. */
  async read(answer: PasskeyAnswer, now: Date): Promise<ShownPasskey> {
    const { hostname, origin } = await this.#requireAddress();
    const passkey = await findPasskey(this.#db, Buffer.from(answer.id, 'base64url'));
    // The library gets no counter: it would report a decreasing one like any other error.
    const credential = {
      id: answer.id,
      publicKey: new Uint8Array(passkey?.publicKey ?? Buffer.alloc(0)),
      counter: 0,
    };
    const read = await verifyAuthenticationResponse({
      response: answer as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
      expectedChallenge: (challenge) => redeemQuestion(this.#db, digest(challenge), null, now),
      expectedOrigin: origin,
      expectedRPID: hostname,
      credential,
      requireUserVerification: true,
    }).catch(() => undefined);
    const { userHandle } = answer.response;
    const isOwn = userHandle === undefined || Buffer.from(userHandle, 'base64url').toString() === passkey?.userId;
    if (!passkey || !read?.verified || !isOwn) throw failSignIn('auth.passkey_wrong');
    const { newCounter: signCount, credentialBackedUp: isBackedUp } = read.authenticationInfo;
    return {
      userId: passkey.userId,
      spend: async (tx, at) => {
        const isNext = await countUse(tx, passkey.id, { signCount, isBackedUp, now: at });
        if (!isNext) throw failSignIn('auth.passkey_copied');
      },
    };
  }

  async #requireAddress(): Promise<URL> {
    const address = await this.#findAddress();
    if (address === undefined) throw failSignIn('passkey.no_address');
    return new URL(address);
  }

  async #keep(challenge: string, userId: string | null, now: Date): Promise<void> {
    const expiresAt = new Date(now.getTime() + QUESTION_S * 1000);
    await insertQuestion(this.#db, { hash: digest(challenge), userId, now, expiresAt });
  }
}

function digest(challenge: string): Buffer {
  return createHash('sha256').update(challenge).digest();
}
