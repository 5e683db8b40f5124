import { API_DISCOVERY_SETTINGS, type ApiDiscoverySettings } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { KnownTemplate, ServedRoutes } from '@flotilla/inventory';
import type { Settings } from '../../../platform/settings/index.ts';
import type { RouteSource, TemplateSource } from './knowledge.ts';
import { readLearned } from './learner-store.ts';

/** Everything from which the names of a project's operations follow, as plain data. */
export interface StoredNaming {
  readonly rules: ApiDiscoverySettings['policy']['path_normalize_patterns'];
  readonly routes: ServedRoutes;
  readonly templates: readonly KnownTemplate[];
  /** The learned paths of all collectors, compressed. At most a minute old. */
  readonly learned: readonly Uint8Array[];
}

export interface NamingSources {
  readonly settings: Pick<Settings, 'getAcceptable'>;
  readonly routes: RouteSource;
  readonly templates: readonly TemplateSource[];
}

export async function readStoredNaming(db: Db, project: string, sources: NamingSources): Promise<StoredNaming> {
  const { value } = await sources.settings.getAcceptable(API_DISCOVERY_SETTINGS, { project });
  const routes = await sources.routes.load(db, project);
  const templates = await Promise.all(sources.templates.map((source) => source(db, project)));
  return {
    rules: value.policy.path_normalize_patterns,
    routes,
    templates: templates.flatMap((one) => one.templates),
    learned: await readLearned(db, project),
  };
}
