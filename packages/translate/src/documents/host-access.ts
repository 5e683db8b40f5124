import { type EnvoyApi, isJsonObject, type JsonObject, type JsonValue, type VisitedField } from '@flotilla/envoy-api';
import type { Violation } from '@flotilla/kit';
import { isFreeForm } from './references.ts';
import { isFileField, isServiceFile } from './service-files.ts';

/**
 * What in a document reaches beyond the service into its host. Tenants are not trusted with the host: only owners may use
 * it. Files of the service itself are named `files/<name>`, relative to the service's own folder, and are free.
 */
export function findHostAccess(api: EnvoyApi, type: string, resource: JsonObject): Violation[] {
  const found: Violation[] = [];
  api.walk(type, resource, {
    message: ({ path, typeName, value }) => {
      const reason =
        HOST_MESSAGES.get(typeName) ??
        (CODE_PACKAGE.test(typeName) ? CODE : undefined) ??
        (isJsonObject(value) ? reasonOfContent(api, typeName, value) : undefined);
      if (reason) found.push({ path, rule: 'host_access', message: reason });
      if (typeName === 'envoy.config.core.v3.SocketAddress' && isJsonObject(value) && isAdminAddress(value)) {
        found.push({ path, rule: 'host_access', message: 'is an address that is kept for admin endpoints' });
      }
      return undefined;
    },
    field: ({ path, field, value }) => {
      const reason = reasonOf(field.owner, field.name, value) ?? reasonOfMessage(field, value);
      if (reason) found.push({ path, rule: 'host_access', message: reason });
      return undefined;
    },
  });
  return found;
}

const ANY_ADDRESS = 'lets a request choose any address, also those of the host itself';
const ANY_CLUSTER = 'lets a request choose any cluster, also those of the controller';
const HOST_FIELDS: ReadonlyMap<string, string> = new Map([
  ['envoy.config.core.v3.DataSource.environment_variable', 'reads the environment of the proxy'],
  ['envoy.extensions.wasm.v3.EnvironmentVariables.host_env_keys', 'reads the environment of the proxy'],
  ['envoy.config.bootstrap.v3.Bootstrap.admin', 'opens an admin endpoint'],
  ['envoy.config.bootstrap.v3.Bootstrap.fatal_actions', 'runs code when the proxy fails'],
  [
    // Other filters write the metadata, some of them what a request says.
    'envoy.extensions.router.cluster_specifiers.priority_group.v3.PriorityGroupClusterSpecifier.override_metadata_namespace',
    ANY_CLUSTER,
  ],
  ['envoy.config.bootstrap.v3.Bootstrap.default_socket_interface', 'replaces how the proxy reaches the network'],
  ['envoy.config.bootstrap.v3.Bootstrap.hds_config', 'lets a server choose what the proxy connects to'],
  ['envoy.config.cluster.v3.Cluster.OriginalDstLbConfig.metadata_key', ANY_ADDRESS],
]);

const CODE = 'runs code in the proxy that can reach the host';
const HOST_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['envoy.config.bootstrap.v3.RuntimeLayer.DiskLayer', 'reads a folder of the host'],
  ['envoy.extensions.watchdog.profile_action.v3.ProfileActionConfig', 'writes profiles to the host'],
  ['envoy.extensions.clusters.dynamic_forward_proxy.v3.ClusterConfig', ANY_ADDRESS],
]);
/**
 * LuaJIT in Envoy has `io` and `os`; Go plugins and dynamic modules are shared objects of the host; a Wasm module may call any
 * cluster by its name, the controller's too, and open gRPC to any target (`proxy_grpc_call` takes a whole GrpcService).
 */
const CODE_PACKAGE = /^envoy\.extensions\.(?:[a-z_0-9]+\.)*(?:lua|golang|dynamic_modules|wasm)\./;

/** Formatters that put the proxy's environment or a file's content into a text. */
const FORMATTER = 'reads the environment or a file of the host';
const HOST_FORMATTER = /%(?:ENVIRONMENT|FILE_CONTENT)\(/;

/** Sources that the translation replaces or removes, so what they say is never followed (`expand.ts`). */
const REPLACED_SOURCES: ReadonlySet<string> = new Set([
  'envoy.config.cluster.v3.Cluster.EdsClusterConfig.eds_config',
  'envoy.config.core.v3.ExtensionConfigSource.config_source',
  'envoy.config.route.v3.Vhds.config_source',
  'envoy.extensions.filters.network.http_connection_manager.v3.Rds.config_source',
  'envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig.sds_config',
]);

/** From elsewhere than the controller, configuration arrives that nobody has checked: clusters on sockets, bodies from files. */
function reasonOfMessage(field: VisitedField, value: JsonValue): string | undefined {
  if (isFreeForm(field.messageType) && hasHostFormatter(value)) return FORMATTER;
  if (field.messageType !== 'envoy.config.core.v3.ConfigSource' || !isJsonObject(value)) return undefined;
  if (REPLACED_SOURCES.has(`${field.owner}.${field.name}`)) return undefined;
  const isForeign = ['path', 'path_config_source', 'api_config_source'].some((kind) => value[kind] !== undefined);
  return isForeign ? 'takes configuration that nobody has checked' : undefined;
}

/** Connection state by which filters choose a cluster or an address without naming it in a field of their own. */
const STEERING_STATE = /cluster|original_dst|dynamic_(?:host|port)|proxy_address/;

function reasonOfContent(api: EnvoyApi, typeName: string, value: JsonObject): string | undefined {
  switch (typeName) {
    case 'xds.type.v3.TypedStruct':
    case 'udpa.type.v1.TypedStruct':
      return api.hasMessage(carriedTypeOf(value)) ? undefined : 'carries a message that nobody can check';
    case 'envoy.config.core.v3.SubstitutionFormatString':
      // The service's own files may be written by its access logs, so by requests.
      return isJsonObject(value.text_format_source) && value.text_format_source.filename !== undefined
        ? 'takes a format from a file, which nobody has checked'
        : undefined;
    case 'envoy.extensions.filters.common.set_filter_state.v3.FilterStateValue':
      return STEERING_STATE.test(`${value.object_key} ${value.factory_key}`) ? ANY_ADDRESS : undefined;
    default:
      return undefined;
  }
}

/** Envoy takes what follows the last slash; without a slash, all of it. */
function carriedTypeOf(typedStruct: JsonObject): string {
  const url = String(typedStruct.type_url ?? '');
  return url.slice(url.lastIndexOf('/') + 1);
}

/** Also in the free form of a JSON log format, and in bytes, which JSON carries as base64. */
function hasHostFormatter(value: JsonValue): boolean {
  if (typeof value === 'string') {
    return HOST_FORMATTER.test(value) || HOST_FORMATTER.test(Buffer.from(value, 'base64').toString('latin1'));
  }
  return isJsonObject(value) || Array.isArray(value) ? Object.values(value).some(hasHostFormatter) : false;
}

function reasonOf(owner: string, field: string, value: JsonValue): string | undefined {
  const reason = HOST_FIELDS.get(`${owner}.${field}`);
  if (reason) return reason;
  if (field === 'cluster_header') return ANY_CLUSTER;
  if (field === 'use_http_header' && value === true) return ANY_ADDRESS;
  if (typeof value !== 'string') return undefined;
  if (isFileField(owner, field)) return isFreeFile(owner, value) ? undefined : `names ${quote(value)} on the host`;
  if (hasHostFormatter(value)) return FORMATTER;
  if (field === 'target_uri' && /^unix/i.test(value)) return 'names a socket of the host';
  return undefined;
}

function isFreeFile(owner: string, value: string): boolean {
  const isLog = owner === 'envoy.extensions.access_loggers.file.v3.FileAccessLog';
  return value === '' || isServiceFile(value) || (isLog && (value === '/dev/stdout' || value === '/dev/stderr'));
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}

/** Ports that agents give to admin endpoints on loopback. */
const ADMIN_PORT_MIN = 33_100;
const ADMIN_PORT_MAX = 39_999;
const LOOPBACK =
  /^(?:127\.|0\.0\.0\.0$|::$|::1$|0*:(?:0*:)*0*1?$|(?:0*:)*:?ffff:(?:127\.|7f|0\.0\.0\.0$|0+:0+$)|localhost\.?$|\[)/i;

function isAdminAddress(address: JsonObject): boolean {
  const port = Number(address.port_value);
  return port >= ADMIN_PORT_MIN && port <= ADMIN_PORT_MAX && LOOPBACK.test(String(address.address ?? ''));
}
