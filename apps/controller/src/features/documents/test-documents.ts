import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import type { Answer, TestController } from '../../test-controller.ts';

/** The version of the proxy that documents of tests are for. */
export const VERSION = TEST_ENVOY_VERSIONS.newest;
export const HTTP_CONNECTION_MANAGER =
  'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
export const GZIP = 'envoy.extensions.compression.gzip.compressor.v3.Gzip';

/** What an owner does with documents, in the project of the test unless another one is named. */
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

/** A document as `apply` takes it. */
export function document(collection: string, name: string, resource: object, more: object = {}): object {
  return { collection, name, version: VERSION, resource, ...more };
}

/** A route configuration that leads to these clusters. */
export function routesTo(...clusters: readonly string[]): object {
  const routes = clusters.map((cluster) => ({ match: { prefix: `/${cluster}` }, route: { cluster } }));
  return { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] };
}
