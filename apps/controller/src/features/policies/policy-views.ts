import type { Policy, PolicyWarning } from '@flotilla/contract';
import type { Reply } from '../../http/context.ts';
import { KnownReadings } from './known-readings.ts';
import type { PolicyReader, ReadPolicies } from './policy-reader.ts';
import { showFiles } from './secret-files.ts';
import type { PolicyRow, ServiceName } from './store.ts';

/** Policies as answers show them. */
export class PolicyViews {
  readonly #read: ReadPolicies;
  readonly #hosts = new KnownReadings<readonly string[]>();
  readonly #warnings = new KnownReadings<readonly PolicyWarning[]>();

  constructor(reader: PolicyReader) {
    this.#read = (...asked) => reader.read(...asked);
  }

  /** `read`: how, where that is not as the reader does. */
  async summaryOf(row: PolicyRow, read: ReadPolicies = this.#read) {
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
  async policyOf(row: PolicyRow, services: readonly ServiceName[], read?: ReadPolicies) {
    const summary = await this.summaryOf(row, read);
    return { ...summary, text: row.text, files: showFiles(row.files), services: toServices(services) };
  }

  /** The answer about one policy together with its warnings. */
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
