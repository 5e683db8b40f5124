import type { GuardedPolicies } from '@flotilla/translate';

/** Undefined where they do not load. */
export type ReadGuarded = (node: {
  projectId: string;
  policies: readonly string[];
}) => Promise<GuardedPolicies | undefined>;

/** Sets of policies that are remembered; services mostly share few. */
const SETS_MAX = 1000;

/**
 * What the policies of services guard, read as their filters read them. The policies that count are those that were saved
 * last: what a node's filter still runs while a change is on its way to it does not matter here, since a host that is
 * covered no more is meant to pass, and one that is covered newly is asked about at once.
 */
export class ServicePolicies {
  readonly #read: ReadGuarded;
  readonly #known = new Map<string, Map<string, Promise<GuardedPolicies | undefined>>>();

  constructor(read: ReadGuarded) {
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
    const loading = this.#read(node);
    ofProject.set(key, loading);
    loading.catch(() => ofProject.delete(key));
    return loading;
  }

  /** Policies of the project, or of all, have changed. */
  forget(projectId?: string): void {
    if (projectId === undefined) this.#known.clear();
    else this.#known.delete(projectId);
  }
}
