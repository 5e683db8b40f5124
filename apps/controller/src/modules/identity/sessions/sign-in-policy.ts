import { SIGN_IN_SETTINGS, type SignInRules } from '@flotilla/contract';
import type { Closable } from '@flotilla/kit';
import type { Settings } from '../../../platform/settings/index.ts';
import { failWeakPassword, judgePassword } from './password-policy.ts';

export const DEFAULT_RULES: SignInRules = SIGN_IN_SETTINGS.schema.parse({});

/** The installation's current sign-in rules. A change applies everywhere within a second. */
export class SignInPolicy implements Closable {
  #rules: SignInRules = DEFAULT_RULES;
  #watch: Closable | undefined;

  static async open(settings: Pick<Settings, 'watch'>): Promise<SignInPolicy> {
    const policy = new SignInPolicy();
    policy.#watch = await settings.watch(SIGN_IN_SETTINGS, (rules) => {
      policy.#rules = rules;
    });
    return policy;
  }

  get rules(): SignInRules {
    return this.#rules;
  }

  /** Throws password.weak with the reason, at the field `path`. */
  requireGoodPassword(password: string, username: string, path = 'password'): void {
    const reason = judgePassword(password, username, this.#rules.password_min_length);
    if (reason !== undefined) throw failWeakPassword(reason, path);
  }

  async close(): Promise<void> {
    await this.#watch?.close();
  }
}
