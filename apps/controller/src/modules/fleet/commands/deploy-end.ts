import type { DeployFacts } from './deploy-store.ts';
import type { Finding } from './model.ts';

/** Until then a listener that is not open has an error, or something is wrong with the agent. */
export const LISTENERS_WAIT_MS = 20_000;

/**
 * Decides how a DEPLOY or an upgrade ends that its client calls done: a proxy whose listeners could not be created, or do not open, serves
 * nothing. undefined: it is too early to say. `isOver`: there is no more time to wait.
 */
export function concludeDeploy(finding: Finding, facts: DeployFacts | undefined, isOver: boolean): Finding | undefined {
  if (finding.status !== 'done' || !facts) return finding;
  const { isReported, isMoving, problems } = facts;
  if (isReported && isMoving && !isOver) return undefined;
  if (problems.length > 0) return fail(finding, problems.join('\n'));
  return isReported && isMoving ? fail(finding, 'Its listeners accept no connections yet') : finding;
}

function fail({ result }: Finding, errorMessage: string): Finding {
  return { status: 'failed', errorCode: 'listener.not_serving', errorMessage, result };
}
