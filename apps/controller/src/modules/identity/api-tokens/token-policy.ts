import { failIdentity, type RouteFamily, TOKEN_SETTINGS, type TokenRules } from '@flotilla/contract';
import type { Closable } from '@flotilla/kit';
import type { Settings } from '../../../platform/settings/index.ts';

const DAY_MS = 86_400_000;
/** Tolerance for the clocks of callers, who compute the expiry themselves. */
const LEEWAY_MS = 5 * 60_000;

/** The requested properties of a token. undefined: not specified. */
interface RequestedToken {
  readonly families?: readonly RouteFamily[] | null | undefined;
  readonly expires_at?: string | null | undefined;
}

/** The installation's current rules for new API tokens. A change applies everywhere within a second. */
export class TokenPolicy implements Closable {
  #rules: TokenRules = TOKEN_SETTINGS.schema.parse({});
  #watch: Closable | undefined;

  static async open(settings: Pick<Settings, 'watch'>): Promise<TokenPolicy> {
    const policy = new TokenPolicy();
    policy.#watch = await settings.watch(TOKEN_SETTINGS, (rules) => {
      policy.#rules = rules;
    });
    return policy;
  }

  /**
   * Returns expiry and scopes of a new token. Throws token.expiry_past, and token.too_long for an expiry too far ahead
   * or none.
   */
  complete(wanted: RequestedToken, now: Date): { expiresAt: Date | null; families: readonly RouteFamily[] | null } {
    const { default_days, default_families } = this.#rules;
    const usual = default_days === null ? null : new Date(now.getTime() + default_days * DAY_MS).toISOString();
    const end = wanted.expires_at === undefined ? usual : wanted.expires_at;
    const expiresAt = end === null ? null : new Date(end);
    if (expiresAt && expiresAt <= now) throw failIdentity('token.expiry_past');
    this.requireEnd(end, now);
    const some = default_families.length > 0 ? default_families : null;
    return { expiresAt, families: wanted.families === undefined ? some : wanted.families };
  }

  /** Throws token.too_long, at expires_at, for an expiry too far ahead or none. */
  requireEnd(end: string | null, now: Date): void {
    const { longest_days: days } = this.#rules;
    if (days === null || this.#isWithin(end, now)) return;
    const latest = new Date(now.getTime() + days * DAY_MS).toISOString();
    const message = `Must be ${latest} or earlier: tokens work for ${days} days at most.`;
    const details = [{ path: 'expires_at', rule: 'longest', message }];
    throw failIdentity('token.too_long', { days, latest }, { details });
  }

  /** Throws token.end_first if the new secret would outlive what is allowed for a new token. */
  requireRotatable({ name, expires_at }: { name: string; expires_at: string | null }, now: Date): void {
    const { longest_days: days } = this.#rules;
    if (this.#isWithin(expires_at, now)) return;
    const message = `Is more than ${days} days ahead, or missing. Set an earlier one first.`;
    const details = [{ path: 'expires_at', rule: 'longest', message }];
    throw failIdentity('token.end_first', { name, days }, { details });
  }

  async close(): Promise<void> {
    await this.#watch?.close();
  }

  #isWithin(end: string | null, now: Date): boolean {
    const { longest_days: days } = this.#rules;
    if (days === null) return true;
    return end !== null && Date.parse(end) <= now.getTime() + days * DAY_MS + LEEWAY_MS;
  }
}
