import { Buffer } from 'node:buffer';
import { z } from 'zod';
import { type Keyring, sealContexts } from '../keyring/index.ts';

const FLOW_S = 10 * 60;

const flowSchema = z.object({
  provider: z.string(),
  /** Of the provider as it was then: a code is shown to nobody else. */
  issuer: z.string(),
  state: z.string(),
  nonce: z.string(),
  /** PKCE (RFC 7636). */
  verifier: z.string(),
  returnTo: z.string(),
  endsAt: z.number(),
});

/** A sign-in at a provider that a browser has begun. It lies in that browser alone, sealed. */
export type Flow = z.infer<typeof flowSchema>;

export class Flows {
  readonly #keyring: Pick<Keyring, 'seal' | 'unseal'>;

  constructor(keyring: Pick<Keyring, 'seal' | 'unseal'>) {
    this.#keyring = keyring;
  }

  write(flow: Omit<Flow, 'endsAt'>, now: Date): { value: string; maxAgeS: number } {
    const whole: Flow = { ...flow, endsAt: now.getTime() + FLOW_S * 1000 };
    const sealed = this.#keyring.seal(Buffer.from(JSON.stringify(whole)), sealContexts.signInFlow());
    return { value: sealed.toString('base64url'), maxAgeS: FLOW_S };
  }

  /** Undefined for what is not one of ours, and for one that is over. */
  read(cookie: string | undefined, now: Date): Flow | undefined {
    if (cookie === undefined) return undefined;
    try {
      const opened = this.#keyring.unseal(Buffer.from(cookie, 'base64url'), sealContexts.signInFlow());
      const flow = flowSchema.parse(JSON.parse(opened.toString()));
      return flow.endsAt > now.getTime() ? flow : undefined;
    } catch {
      // Made by somebody else, or with a key that is gone: there is no sign-in to go on with.
      return undefined;
    }
  }
}
