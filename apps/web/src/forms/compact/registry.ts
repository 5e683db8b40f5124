import type { CompactEditor } from './compact-editor.ts';
import { EndpointsEditor } from './endpoints-editor.tsx';
import { HealthChecksEditor } from './health-checks-editor.tsx';
import { HttpFiltersEditor } from './http-filters-editor.tsx';
import { readEndpoints } from './model/endpoints.ts';
import { readChecks } from './model/health-checks.ts';
import { readFilters } from './model/http-filters.ts';
import { readRoutes } from './model/routes.ts';
import { readTls } from './model/tls.ts';
import { readHosts } from './model/virtual-hosts.ts';
import { RoutesEditor } from './routes-editor.tsx';
import { DownstreamTlsEditor, UpstreamTlsEditor } from './tls-editor.tsx';
import { VirtualHostsEditor } from './virtual-hosts-editor.tsx';

const EDITORS: ReadonlyMap<string, CompactEditor> = new Map<string, CompactEditor>([
  ['envoy.config.endpoint.v3.ClusterLoadAssignment.endpoints', toEditor(readEndpoints, EndpointsEditor)],
  ['envoy.config.route.v3.RouteConfiguration.virtual_hosts', toEditor(readHosts, VirtualHostsEditor)],
  ['envoy.config.route.v3.VirtualHost.routes', toEditor(readRoutes, RoutesEditor)],
  ['envoy.config.cluster.v3.Cluster.health_checks', toEditor(readChecks, HealthChecksEditor)],
  [
    'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager.http_filters',
    toEditor(readFilters, HttpFiltersEditor),
  ],
]);

const TLS = 'envoy.extensions.transport_sockets.tls.v3';
const MESSAGE_EDITORS: ReadonlyMap<string, CompactEditor> = new Map<string, CompactEditor>([
  [`${TLS}.DownstreamTlsContext`, toEditor((value) => readTls(value, 'downstream'), DownstreamTlsEditor)],
  [`${TLS}.UpstreamTlsContext`, toEditor((value) => readTls(value, 'upstream'), UpstreamTlsEditor)],
]);

/** Returns the compact editor of a whole message. Always the same object. */
export function messageEditorOf(message: string): CompactEditor | undefined {
  return MESSAGE_EDITORS.get(message);
}

/** Returns the compact editor of a field. Always the same object. */
export function compactEditorOf(message: string, field: string): CompactEditor | undefined {
  return EDITORS.get(`${message}.${field}`);
}

type Read = (
  value: Parameters<CompactEditor['refuse']>[0],
) => { readonly isSimple: true } | { readonly isSimple: false; readonly reason: string };

function toEditor(read: Read, Editor: CompactEditor['Editor']): CompactEditor {
  return {
    Editor,
    refuse: (value) => {
      const found = read(value);
      return found.isSimple ? undefined : found.reason;
    },
  };
}
