import { Buffer } from 'node:buffer';
import { isSameSecret } from '@flotilla/kit';
import * as z from 'zod';
import type { FlowCookie } from '../../../platform/http/flow-cookie.ts';
import type { Cipher } from '../../../platform/keyring/cipher.ts';
import { signInFlowContext } from './encryption-contexts.ts';

const FLOW_S = 10 * 60;
/** Pending sign-ins of one browser, e.g. in several tabs; a new one replaces the oldest. */
const FLOWS_MAX = 5;
/** Browsers drop cookies of more than 4096 bytes, including name and attributes (RFC 6265, 6.1). */
const COOKIE_MAX_BYTES = 3800;

const flowSchema = z.object({
  provider: z.string(),
  /** The provider's issuer at the start: the code is sent to nobody else. */
  issuer: z.string(),
  state: z.string(),
  nonce: z.string(),
  /** PKCE (RFC 7636). */
  verifier: z.string(),
  returnTo: z.string(),
  endsAt: z.number(),
});

/** A sign-in at a provider that a browser has started. It is stored only in that browser, encrypted. */
export type Flow = z.infer<typeof flowSchema>;

export class Flows {
  readonly #keyring: Cipher;

  constructor(keyring: Cipher) {
    this.#keyring = keyring;
  }

  /** Returns the cookie with one more sign-in. */
  add(cookie: string | undefined, flow: Omit<Flow, 'endsAt'>, now: Date): FlowCookie {
    const flows = [{ ...flow, endsAt: now.getTime() + FLOW_S * 1000 }, ...this.#open(cookie, now)].slice(0, FLOWS_MAX);
    for (;;) {
      const value = this.#encrypt(flows);
      if (value.length <= COOKIE_MAX_BYTES || flows.length === 1) return { value, maxAgeS: FLOW_S };
      flows.pop();
    }
  }

  /** Removes the sign-in with this state, which works once, and returns it with the remaining cookie. */
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
    return { flow, left: { value: this.#encrypt(left), maxAgeS: Math.ceil((endsAt - now.getTime()) / 1000) } };
  }

  #encrypt(flows: readonly Flow[]): string {
    return this.#keyring.encrypt(Buffer.from(JSON.stringify(flows)), signInFlowContext()).toString('base64url');
  }

  /** Newest first, without expired ones; empty if the cookie is not ours. */
  #open(cookie: string | undefined, now: Date): Flow[] {
    if (cookie === undefined) return [];
    try {
      const sealed = Buffer.from(cookie, 'base64url');
      if (sealed.toString('base64url') !== cookie) return [];
      const opened = this.#keyring.decrypt(sealed, signInFlowContext());
      const flows = z.array(flowSchema).parse(JSON.parse(opened.toString()));
      return flows.filter(({ endsAt }) => endsAt > now.getTime());
    } catch {
      // Forged, or encrypted with a deleted key: there is no sign-in to continue.
      return [];
    }
  }
}
