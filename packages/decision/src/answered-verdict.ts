import type { BlockVerdict } from '@flotilla/engines';
import { type BlockResponse, challengeSchemeOf } from '@flotilla/policy';

/** Replaces the status of the verdict by the one that the policy uses for missing or wrong credentials. */
export function answeredVerdict(verdict: BlockVerdict, { unauthorizedStatus }: BlockResponse): BlockVerdict {
  if (verdict.status === unauthorizedStatus || challengeSchemeOf(verdict.reason) === undefined) return verdict;
  return { ...verdict, status: unauthorizedStatus };
}
