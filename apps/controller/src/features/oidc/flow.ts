import { Buffer } from 'node:buffer';
import { isSameSecret } from '@flotilla/kit';
import * as z from 'zod';
import type { FlowCookie } from '../../http/flow-cookie.ts';
import { type Keyring, sealContexts } from '../keyring/index.ts';

const FLOW_S = 10 * 60;
/** Sign-ins of one browser that are under way, as in several tabs; the oldest give way. */
const FLOWS_MAX = 5;
/** Browsers drop a cookie of more than 4096 bytes, its name and attributes included (RFC 6265, 6.1). */
const COOKIE_MAX_BYTES = 3800;

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

  /** The cookie of a browser that has begun one more. */
  add(cookie: string | undefined, flow: Omit<Flow, 'endsAt'>, now: Date): FlowCookie {
    const flows = [{ ...flow, endsAt: now.getTime() + FLOW_S * 1000 }, ...this.#open(cookie, now)].slice(0, FLOWS_MAX);
    for (;;) {
      const value = this.#seal(flows);
      if (value.length <= COOKIE_MAX_BYTES || flows.length === 1) return { value, maxAgeS: FLOW_S };
      flows.pop();
    }
  }

  /** The one of this state, which is good once, and the cookie without it. */
  take(
    cookie: string | undefined,
    state: string | undefined,
    now: Date,
  ): { readonly flow: Flow | undefined; readonly left: FlowCookie | null } {
    const flows = this.#open(cookie, now);
    const flow = state === undefined ? undefined : flows.find((one) => isSameSecret(one.state, state));
    const left = flows.filter((one) => one !== flow);
    if (left.length === 0) return { flow, left: null };
    const endsAt = Math.max(...left.map((one) => one.endsAt));
    return { flow, left: { value: this.#seal(left), maxAgeS: Math.ceil((endsAt - now.getTime()) / 1000) } };
  }

  #seal(flows: readonly Flow[]): string {
    return this.#keyring.seal(Buffer.from(JSON.stringify(flows)), sealContexts.signInFlow()).toString('base64url');
  }

  /** Newest first; without those that are over, and none of what is not ours. */
  #open(cookie: string | undefined, now: Date): Flow[] {
    if (cookie === undefined) return [];
    try {
      const opened = this.#keyring.unseal(Buffer.from(cookie, 'base64url'), sealContexts.signInFlow());
      const flows = z.array(flowSchema).parse(JSON.parse(opened.toString()));
      return flows.filter(({ endsAt }) => endsAt > now.getTime());
    } catch {
      // Made by somebody else, or with a key that is gone: there is no sign-in to go on with.
      return [];
    }
  }
}
