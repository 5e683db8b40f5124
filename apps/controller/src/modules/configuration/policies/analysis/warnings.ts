import type { PolicyWarning } from '@flotilla/contract';
import { findPolicyWarnings, type PolicyFile, parsePolicyDocument } from '@flotilla/policy';
import { fileNameOf } from './model.ts';

/** The parts of a stored policy that warnings need; files by name only. */
export interface StoredText {
  readonly name: string;
  readonly text: string;
  readonly paths: readonly string[];
}

/**
 * Finds likely mistakes in a policy. If this version refuses a policy that an older one stored, that comes first:
 * filters do not run it.
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
