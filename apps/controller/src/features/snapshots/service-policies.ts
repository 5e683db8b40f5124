import { loadPolicyFiles, type PolicyFile } from '@flotilla/policy';
import type { GuardedPolicies } from '@flotilla/translate';

export type ReadBundle = (node: {
  projectId: string;
  policies: readonly string[];
}) => Promise<{ readonly files: readonly PolicyFile[] } | undefined>;

/** Sets of policies that are remembered; services mostly share few. */
const SETS_MAX = 1000;

/**
 * What the policies of services guard, read as their filters read them. The policies that count are those that were saved
 * last: what a node's filter still runs while a change is on its way to it does not matter here, since a host that is
 * covered no more is meant to pass, and one that is covered newly is asked about at once.
 */
export class ServicePolicies {
  readonly #read: ReadBundle;
  readonly #known = new Map<string, Map<string, Promise<GuardedPolicies | undefined>>>();

  constructor(read: ReadBundle) {
    this.#read = read;
  }

  /** Undefined for a service without policies, and where they do not load: the filter has the last word on those. */
  async of(node: { projectId: string; policies: readonly string[] }): Promise<GuardedPolicies | undefined> {
    if (node.policies.length === 0) return undefined;
    const ofProject = this.#known.get(node.projectId) ?? new Map<string, Promise<GuardedPolicies | undefined>>();
    this.#known.set(node.projectId, ofProject);
    const key = [...node.policies].sort().join('\n');
    const known = ofProject.get(key);
    if (known) return known;
    if (ofProject.size >= SETS_MAX) ofProject.clear();
    const loading = this.#load(node);
    ofProject.set(key, loading);
    loading.catch(() => ofProject.delete(key));
    return loading;
  }

  /** Policies of the project, or of all, have changed. */
  forget(projectId?: string): void {
    if (projectId === undefined) this.#known.clear();
    else this.#known.delete(projectId);
  }

  async #load(node: { projectId: string; policies: readonly string[] }): Promise<GuardedPolicies | undefined> {
    const bundle = await this.#read(node);
    const loaded = bundle && loadPolicyFiles(bundle.files);
    return loaded?.ok ? { digest: loaded.value.digest, domains: loaded.value.domains } : undefined;
  }
}
