import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import type { Answer, TestController } from '../../../../testing/controller.ts';

/** The proxy version of the test documents. */
export const VERSION = TEST_ENVOY_VERSIONS.newest;
export const HTTP_CONNECTION_MANAGER =
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
export const GZIP = 'envoy.extensions.compression.gzip.compressor.v3.Gzip';

/** Document requests of an owner, by default in the test's project. */
export interface DocumentCalls {
  list(collection: string, project?: string): string;
  item(collection: string, name: string, project?: string): string;
  write(collection: string, name: string, resource: object, more?: object): Promise<Answer>;
  apply(documents: readonly object[], more?: object): Promise<Answer>;
}

export function documentCallsOf(t: TestController): DocumentCalls {
  const list = (collection: string, project = t.project) => `/api/v3/xds/${collection}?project=${project}`;
  return {
    list,
    item: (collection, name, project = t.project) =>
      `/api/v3/xds/${collection}/${encodeURIComponent(name)}?project=${project}&version=${VERSION}`,
    write: (collection, name, resource, more = {}) =>
      t.owner.call('POST', list(collection), { name, version: VERSION, resource, ...more }),
    apply: (documents, more = {}) =>
      t.owner.call('POST', '/api/v3/xds/apply', { project: t.project, documents, ...more }),
  };
}

/** A document in the form that `apply` expects. */
export function document(collection: string, name: string, resource: object, more: object = {}): object {
  return { collection, name, version: VERSION, resource, ...more };
}

/** A route configuration with routes to these clusters. */
export function routesTo(...clusters: readonly string[]): object {
  const routes = clusters.map((cluster) => ({ match: { prefix: `/${cluster}` }, route: { cluster } }));
  return { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] };
}
