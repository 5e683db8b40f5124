import type { Policy, PolicyWarning } from '@flotilla/contract';
import type { Reply } from '../../../platform/http/context.ts';
import { ParsedPolicyCache } from './parsed-policy-cache.ts';
import type { AnalysePolicies, PolicyWorker } from './policy-worker.ts';
import { showFiles } from './secret-files.ts';
import type { PolicyRow, ServiceName } from './store.ts';

export class PolicyViews {
  readonly #read: AnalysePolicies;
  readonly #hosts = new ParsedPolicyCache<readonly string[]>();
  readonly #warnings = new ParsedPolicyCache<readonly PolicyWarning[]>();

  constructor(reader: PolicyWorker) {
    this.#read = (...asked) => reader.read(...asked);
  }

  /** `read` overrides how the policy is analysed. */
  async summaryOf(row: PolicyRow, read: AnalysePolicies = this.#read) {
    const { name, text } = row;
    return {
      id: row.id,
      name,
      project: row.project_id,
      description: row.description,
      digest: row.digest,
      hosts: [...(await this.#hosts.of(row, () => read(row.project_id, 'hosts', name, text)))],
      revision: row.revision,
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
      updated_by: row.updated_by,
    };
  }

  /** `services`: those that use the policy. */
  async policyOf(row: PolicyRow, services: readonly ServiceName[], read?: AnalysePolicies) {
    const summary = await this.summaryOf(row, read);
    return { ...summary, text: row.text, files: showFiles(row.files), services: toServices(services) };
  }

  /** Adds the warnings to the answer about one policy. */
  async addWarnings(reply: Reply): Promise<Reply> {
    const policy = reply.body as Policy;
    const { name, text, project } = policy;
    const paths = policy.files.map(({ path }) => path);
    const warnings = await this.#warnings.of(policy, () => this.#read(project, 'warnings', { name, text, paths }));
    return { ...reply, body: { ...policy, warnings } };
  }
}

export function toServices(users: readonly ServiceName[] = []): ServiceName[] {
  return users.map(({ id, name }) => ({ id, name }));
}
