import type { Policy, PolicyWarning } from '@flotilla/contract';
import { findPolicyWarnings, type PolicyFile, parsePolicyDocument } from '@flotilla/policy';
import type { Reply } from '../../http/context.ts';
import { fileNameOf } from './model.ts';

/** Far more policies than are looked at within a while. */
const KEPT_MAX = 500;

type Content = Pick<Policy, 'name' | 'text' | 'files'>;

/** What was stored by a version that took it and is refused by this one comes before all else: its filters do not run it. */
function findWarnings(policy: Content): readonly PolicyWarning[] {
  const parsed = parsePolicyDocument({ path: fileNameOf(policy.name), content: policy.text });
  if (parsed.ok) return findPolicyWarnings(toNames(policy));
  return parsed.error.map((problem) => ({
    ...problem,
    message: `${problem.message}; this version refuses the policy, which an earlier one has stored`,
  }));
}

/** Warnings look at the names of files alone. */
function toNames({ name, text, files }: Content): PolicyFile[] {
  return [{ path: fileNameOf(name), content: text }, ...files.map(({ path }) => ({ path, content: '' }))];
}

/** What looks like a mistake in policies. Found once for each content: reading a policy should not mean parsing it. */
export class WarningsOfPolicies {
  /** By name and digest, the longest unused first. */
  readonly #known = new Map<string, readonly PolicyWarning[]>();

  of(policy: Content & Pick<Policy, 'digest'>): readonly PolicyWarning[] {
    const key = `${policy.digest} ${policy.name}`;
    const warnings = this.#known.get(key) ?? findWarnings(policy);
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
