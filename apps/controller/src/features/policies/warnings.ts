import type { PolicyWarning } from '@flotilla/contract';
import { findPolicyWarnings, type PolicyFile, parsePolicyDocument } from '@flotilla/policy';
import { fileNameOf } from './model.ts';

/** A stored policy as far as warnings look at it: at the names of files alone. */
export interface StoredText {
  readonly name: string;
  readonly text: string;
  readonly paths: readonly string[];
}

/**
 * What looks like a mistake in a policy. What was stored by a version that took it and is refused by this one comes before all
 * else: its filters do not run it.
 */
export function findWarnings({ name, text, paths }: StoredText): readonly PolicyWarning[] {
  const file = { path: fileNameOf(name), content: text };
  const parsed = parsePolicyDocument(file);
  if (parsed.ok) return findPolicyWarnings([file, ...paths.map((path): PolicyFile => ({ path, content: '' }))]);
  return parsed.error.map((problem) => ({
    ...problem,
    message: `${problem.message}; this version refuses the policy, which an earlier one has stored`,
  }));
}
