import { call, type Loaded, routes } from '../../../api/index.ts';
import { type Policy, type PolicyContent, toBody } from '../model.ts';

export interface PolicyTarget {
  readonly project: string;
  readonly name: string;
  /** ETag of the revision to change; undefined for a new policy. */
  readonly ifMatch: string | undefined;
}

interface WriteOptions {
  readonly dryRun: boolean;
  readonly signal?: AbortSignal;
}

/** Creates or replaces a policy, or dry-runs that. Throws as `call` does. */
export async function writePolicy(
  { project, name, ifMatch }: PolicyTarget,
  content: PolicyContent,
  { dryRun, signal }: WriteOptions,
): Promise<Loaded<Policy>> {
  const query = { project, ...(dryRun && { dry_run: 'true' as const }) };
  const options = signal ? { signal } : {};
  if (ifMatch === undefined) return call(routes.policy.create, { query, body: { name, ...toBody(content) } }, options);
  const input = { params: { name }, query, body: toBody(content) };
  return call(routes.policy.replace, input, { ...options, ifMatch });
}

const PAGE_ROWS = 500;

/** Loads the IDs of all nodes that should run the policy. */
export async function readReachedNodes({ project, name }: Pick<PolicyTarget, 'project' | 'name'>): Promise<string[]> {
  const nodes: string[] = [];
  let cursor: string | null = null;
  do {
    const query: { project: string; limit: number; cursor?: string } = { project, limit: PAGE_ROWS };
    if (cursor !== null) query.cursor = cursor;
    const { body } = await call(routes.metrics.policyNodes, { params: { name }, query });
    nodes.push(...body.items.map(({ node_id }) => node_id));
    cursor = body.next_cursor;
  } while (cursor !== null);
  return nodes;
}
