import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import { restrictionOfAddress, restrictionOfPort } from './addresses.ts';
import { restrictionOfLambda, restrictionOfSigner } from './aws-credentials.ts';
import { restrictionOfClusterType, restrictionOfDiscoveryType } from './cluster-type.ts';
import { restrictionOfFilterState } from './filter-state.ts';
import { restrictionOfChannelArguments, restrictionOfTarget } from './grpc-target.ts';
import { type Restriction, restrict } from './reach.ts';
import { restrictionOfRuntime } from './runtime-keys.ts';
import { restrictionOfSocketOption } from './socket-options.ts';

type FieldRule = (value: JsonValue) => Restriction | undefined;
type MessageRule = (message: JsonObject) => Restriction | undefined;

const target: FieldRule = (value) => restrictionOfTarget(String(value));

/** Fields whose value decides. */
export const FIELD_RULES: ReadonlyMap<string, FieldRule> = new Map<string, FieldRule>([
  ['envoy.config.bootstrap.v3.RuntimeLayer.static_layer', restrictionOfRuntime],
  ['envoy.config.cluster.v3.Cluster.type', restrictionOfDiscoveryType],
  ['envoy.config.core.v3.GrpcService.GoogleGrpc.target_uri', target],
  ['envoy.config.core.v3.HealthCheck.alt_port', restrictionOfPort],
  ['envoy.config.endpoint.v3.Endpoint.HealthCheckConfig.port_value', restrictionOfPort],
  ['envoy.extensions.load_balancing_policies.common.v3.OrcaOobReportingConfig.port_value', restrictionOfPort],
  ['envoy.extensions.transport_sockets.alts.v3.Alts.handshaker_service', target],
  ['envoy.extensions.transport_sockets.s2a.v3.S2AConfiguration.s2a_address', target],
]);

const FORMAT_FILE = restrict('host', 'takes a format from a file, which nobody has checked');

/** Messages whose members decide together. */
export const MESSAGE_RULES: ReadonlyMap<string, MessageRule> = new Map<string, MessageRule>([
  ['envoy.config.cluster.v3.Cluster.CustomClusterType', restrictionOfClusterType],
  [
    'envoy.config.core.v3.GrpcService.GoogleGrpc.ChannelArgs',
    ({ args }) => restrictionOfChannelArguments(isJsonObject(args) ? Object.keys(args) : []),
  ],
  [
    'envoy.config.core.v3.SocketAddress',
    ({ address, port_value }) => restrictionOfAddress(String(address ?? ''), port_value),
  ],
  ['envoy.config.core.v3.SocketOption', restrictionOfSocketOption],
  [
    // The service's own files may be written by its access logs, and so by requests.
    'envoy.config.core.v3.SubstitutionFormatString',
    ({ text_format_source: source }) =>
      isJsonObject(source) && source.filename !== undefined ? FORMAT_FILE : undefined,
  ],
  ['envoy.extensions.filters.common.set_filter_state.v3.FilterStateValue', restrictionOfFilterState],
  ['envoy.extensions.filters.http.aws_lambda.v3.Config', restrictionOfLambda],
  ['envoy.extensions.filters.http.aws_request_signing.v3.AwsRequestSigning', restrictionOfSigner],
  ['envoy.extensions.filters.network.redis_proxy.v3.AwsIam', restrictionOfSigner],
]);

/** `message.field` of the members that a message rule reads. */
export const RULED_MEMBERS: ReadonlySet<string> = new Set([
  'envoy.config.cluster.v3.Cluster.CustomClusterType.name',
  'envoy.config.core.v3.GrpcService.GoogleGrpc.ChannelArgs.args',
  'envoy.config.core.v3.SocketAddress.address',
  'envoy.config.core.v3.SocketAddress.port_value',
  'envoy.config.core.v3.SubstitutionFormatString.text_format_source',
]);
