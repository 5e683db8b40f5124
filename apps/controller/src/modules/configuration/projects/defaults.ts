import type { ProjectStarters } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { EnvoyApi } from '@flotilla/envoy-api';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { createDefaultGroup } from '../../identity/public.ts';
import { writeNewDocuments } from '../documents/index.ts';
import type { EnvoyApis } from '../proxy-versions/index.ts';
import { STARTER_DOCUMENTS } from './starter-documents.ts';

export interface ProjectDefaultsDeps {
  readonly envoyApis: Pick<EnvoyApis, 'getHere' | 'known' | 'newest'>;
  readonly keyring: Keyring;
}

/** The initial content of a new project. */
export class ProjectDefaults {
  readonly #deps: ProjectDefaultsDeps;

  constructor(deps: ProjectDefaultsDeps) {
    this.#deps = deps;
  }

  async describe(): Promise<ProjectStarters> {
    const { envoyApis } = this.#deps;
    const documents = STARTER_DOCUMENTS.map(({ collection, name, description }) => ({ collection, name, description }));
    return { default_version: await envoyApis.newest(), versions: await envoyApis.known(), documents };
  }

  /** Called before the transaction; never waits for a download. */
  async load(versions: readonly string[] | undefined): Promise<EnvoyApi[]> {
    const { envoyApis } = this.#deps;
    const wanted = versions ?? [await envoyApis.newest()];
    // Sorted in the lock order of all writers of documents.
    return Promise.all(wanted.toSorted().map((version) => envoyApis.getHere(version)));
  }

  /**
   * Creates the group `default` and the starter documents of each version. Returns what was created, for the audit
   * entry.
   */
  async write(
    tx: Tx,
    { project, apis, now, by }: { project: string; apis: readonly EnvoyApi[]; now: Date; by: string },
  ) {
    await createDefaultGroup(tx, project, now);
    for (const api of apis) {
      const order = { scope: { project, version: api.version }, api, keyring: this.#deps.keyring };
      await writeNewDocuments(tx, { ...order, stamp: { at: now, by } }, STARTER_DOCUMENTS);
    }
    const documents = apis.flatMap(({ version }) =>
      STARTER_DOCUMENTS.map(({ collection, name }) => ({ collection, name, version })),
    );
    return { group: 'default', documents };
  }
}
