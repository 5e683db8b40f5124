import type { Policy, PolicyWarning } from '@flotilla/contract';
import { findPolicyWarnings, type PolicyFile } from '@flotilla/policy';
import type { Reply } from '../../http/context.ts';
import { fileNameOf } from './model.ts';

/** Far more policies than are looked at within a while. */
const KEPT_MAX = 500;

/** Warnings look at the names of files alone. */
function toNames({ name, text, files }: Pick<Policy, 'name' | 'text' | 'files'>): PolicyFile[] {
  return [{ path: fileNameOf(name), content: text }, ...files.map(({ path }) => ({ path, content: '' }))];
}

/** What looks like a mistake in policies. Found once for each content: reading a policy should not mean parsing it. */
export class WarningsOfPolicies {
  /** By name and digest, the longest unused first. */
  readonly #known = new Map<string, readonly PolicyWarning[]>();

  of(policy: Pick<Policy, 'name' | 'text' | 'files' | 'digest'>): readonly PolicyWarning[] {
    const key = `${policy.digest} ${policy.name}`;
    const warnings = this.#known.get(key) ?? findPolicyWarnings(toNames(policy));
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
