import type { Policy, PolicyWarning } from '@flotilla/contract';
import { findPolicyWarnings } from '@flotilla/policy';
import type { Reply } from '../../http/context.ts';
import { toBundleFiles } from './model.ts';

/** Far more policies than are looked at within a while. */
const KEPT_MAX = 500;

/** What looks like a mistake in policies. Found once for each content: reading a policy should not mean parsing it. */
export class WarningsOfPolicies {
  /** By name and digest, the longest unused first. */
  readonly #known = new Map<string, readonly PolicyWarning[]>();

  of(policy: Pick<Policy, 'name' | 'text' | 'files' | 'digest'>): readonly PolicyWarning[] {
    const key = `${policy.digest} ${policy.name}`;
    const warnings = this.#known.get(key) ?? findPolicyWarnings(toBundleFiles([policy]));
    this.#known.delete(key);
    this.#known.set(key, warnings);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT_MAX && oldest !== undefined) this.#known.delete(oldest);
    return warnings;
  }

  /** The answer about one policy together with its warnings. */
  addTo(reply: Reply): Reply {
    const policy = reply.body as Policy;
    return { ...reply, body: { ...policy, warnings: this.of(policy) } };
  }
}
