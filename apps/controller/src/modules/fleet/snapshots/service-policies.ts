import type { GuardedPolicies } from '@flotilla/translate';

/** undefined if the policies cannot be loaded. */
export type ReadGuarded = (node: {
  projectId: string;
  policies: readonly string[];
}) => Promise<GuardedPolicies | undefined>;

/** Cached sets of policies; services usually share few. */
const SETS_MAX = 1000;

/**
 * The protection by the policies of services, read like their filters read them. The saved policies count, not those
 * that a node's filter still runs: an uncovered host is meant to pass, and a newly covered one is sent to the filter at
 * once.
 */
export class ServicePolicies {
  readonly #read: ReadGuarded;
  readonly #known = new Map<string, Map<string, Promise<GuardedPolicies | undefined>>>();

  constructor(read: ReadGuarded) {
    this.#read = read;
  }

  /** undefined for a service without policies, and if they cannot be loaded: the filter decides about those. */
  async of(node: { projectId: string; policies: readonly string[] }): Promise<GuardedPolicies | undefined> {
    if (node.policies.length === 0) return undefined;
    const ofProject = this.#known.get(node.projectId) ?? new Map<string, Promise<GuardedPolicies | undefined>>();
    this.#known.set(node.projectId, ofProject);
    const key = [...node.policies].sort().join('\n');
    const known = ofProject.get(key);
    if (known) return known;
    if (ofProject.size >= SETS_MAX) ofProject.clear();
    const loading = this.#read(node);
    ofProject.set(key, loading);
    loading.catch(() => ofProject.delete(key));
    return loading;
  }

  /** Policies of the project, or of all projects, have changed. */
  forget(projectId?: string): void {
    if (projectId === undefined) this.#known.clear();
    else this.#known.delete(projectId);
  }
}
