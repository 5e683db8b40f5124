import type { BlockVerdict } from '@flotilla/engines';
import { type BlockResponse, challengeSchemeOf } from '@flotilla/policy';

/** The verdict with the status that the policy answers it with. */
export function answeredVerdict(verdict: BlockVerdict, { unauthorizedStatus }: BlockResponse): BlockVerdict {
  if (verdict.status === unauthorizedStatus || challengeSchemeOf(verdict.reason) === undefined) return verdict;
  return { ...verdict, status: unauthorizedStatus };
}
