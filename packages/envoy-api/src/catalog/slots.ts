/** Any extension is accepted; Envoy decides. */
export const ANY_SLOT = '*';

/**
 * Per-route settings of HTTP filters: maps from the filter's name to its message for routes. Not one of Envoy's
 * categories.
 */
export const PER_ROUTE_SLOT = 'envoy.filters.http.per_route';

/** Slots that accept several of Envoy's categories. */
const UNIONS: Readonly<Record<string, readonly string[]>> = {
  'envoy.transport_sockets': ['envoy.transport_sockets.downstream', 'envoy.transport_sockets.upstream'],
  'envoy.matching.input': [
    'envoy.matching.http.input',
    'envoy.matching.network.input',
    'envoy.matching.common_inputs',
    'envoy.matching.transport_socket.input',
    'envoy.matching.generic_proxy_request_input.input',
    'envoy.matching.stat_matching_data.input',
    'envoy.matching.stat_tag_matching_data.input',
  ],
  'envoy.matching.custom': [
    'envoy.matching.input_matchers',
    'envoy.matching.http.custom_matchers',
    'envoy.matching.network.custom_matchers',
  ],
  'envoy.filters.listener_or_udp': ['envoy.filters.listener', 'envoy.filters.udp_listener'],
  'envoy.filters.upstream_network_any': ['envoy.filters.upstream_network', 'envoy.filters.network'],
};

/** Envoy's categories for a slot. */
export function categoriesOf(slot: string): readonly string[] {
  return UNIONS[slot] ?? [slot];
}

const CONFIG = 'envoy.config';
const EXT = 'envoy.extensions';
const HCM = `${EXT}.filters.network.http_connection_manager.v3`;
const TLS = `${EXT}.transport_sockets.tls.v3`;

/** `message.field` -> category. Lists both the Any inside a message and the fields that hold such a message. */
const SLOTS: Readonly<Record<string, string>> = {
  // Listeners
  [`${CONFIG}.listener.v3.Listener.listener_filters`]: 'envoy.filters.listener_or_udp',
  [`${CONFIG}.listener.v3.ListenerFilter.typed_config`]: 'envoy.filters.listener_or_udp',
  [`${CONFIG}.listener.v3.Filter.typed_config`]: 'envoy.filters.network',
  [`${CONFIG}.listener.v3.FilterChain.transport_socket`]: 'envoy.transport_sockets.downstream',
  [`${CONFIG}.listener.v3.UdpListenerConfig.udp_packet_packet_writer_config`]: 'envoy.udp_packet_writer',
  [`${CONFIG}.listener.v3.QuicProtocolOptions.crypto_stream_config`]: 'envoy.quic.server.crypto_stream',
  [`${CONFIG}.listener.v3.QuicProtocolOptions.proof_source_config`]: 'envoy.quic.proof_source',
  [`${CONFIG}.listener.v3.QuicProtocolOptions.connection_id_generator_config`]: 'envoy.quic.connection_id_generator',
  [`${CONFIG}.listener.v3.QuicProtocolOptions.connection_debug_visitor_config`]: 'envoy.quic.connection_debug_visitor',
  [`${CONFIG}.listener.v3.QuicProtocolOptions.server_preferred_address_config`]: 'envoy.quic.server_preferred_address',
  [`${CONFIG}.listener.v3.Listener.ConnectionBalanceConfig.extend_balance`]: 'envoy.network.connection_balance',
  // HTTP connection manager
  [`${HCM}.HttpFilter.typed_config`]: 'envoy.filters.http',
  [`${HCM}.RequestIDExtension.typed_config`]: 'envoy.request_id',
  [`${HCM}.HttpConnectionManager.early_header_mutation_extensions`]: 'envoy.http.early_header_mutation',
  [`${HCM}.HttpConnectionManager.original_ip_detection_extensions`]: 'envoy.http.original_ip_detection',
  [`${HCM}.HttpConnectionManager.typed_header_validation_config`]: 'envoy.http.header_validators',
  [`${CONFIG}.trace.v3.Tracing.Http.typed_config`]: 'envoy.tracers',
  [`${CONFIG}.trace.v3.OpenTelemetryConfig.resource_detectors`]: 'envoy.tracers.opentelemetry.resource_detectors',
  [`${CONFIG}.trace.v3.OpenTelemetryConfig.sampler`]: 'envoy.tracers.opentelemetry.samplers',
  [`${EXT}.tracers.opentelemetry.samplers.v3.ParentBasedSamplerConfig.wrapped_sampler`]:
    'envoy.tracers.opentelemetry.samplers',
  // Routes
  [`${CONFIG}.route.v3.RouteConfiguration.typed_per_filter_config`]: PER_ROUTE_SLOT,
  [`${CONFIG}.route.v3.VirtualHost.typed_per_filter_config`]: PER_ROUTE_SLOT,
  [`${CONFIG}.route.v3.Route.typed_per_filter_config`]: PER_ROUTE_SLOT,
  [`${CONFIG}.route.v3.WeightedCluster.ClusterWeight.typed_per_filter_config`]: PER_ROUTE_SLOT,
  [`${CONFIG}.route.v3.FilterConfig.config`]: PER_ROUTE_SLOT,
  [`${CONFIG}.route.v3.ClusterSpecifierPlugin.extension`]: 'envoy.router.cluster_specifier_plugin',
  [`${CONFIG}.route.v3.RouteConfiguration.route_specifiers`]: 'envoy.router.route_specifiers',
  [`${CONFIG}.route.v3.VirtualHost.route_specifiers`]: 'envoy.router.route_specifiers',
  [`${CONFIG}.route.v3.Route.route_specifiers`]: 'envoy.router.route_specifiers',
  [`${CONFIG}.route.v3.InternalRedirectPolicy.predicates`]: 'envoy.internal_redirect_predicates',
  [`${CONFIG}.route.v3.RateLimit.Action.extension`]: 'envoy.rate_limit_descriptors',
  [`${CONFIG}.route.v3.RetryPolicy.RetryHostPredicate.typed_config`]: 'envoy.retry_host_predicates',
  [`${CONFIG}.route.v3.RetryPolicy.RetryPriority.typed_config`]: 'envoy.retry_priorities',
  [`${CONFIG}.route.v3.RetryPolicy.retry_options_predicates`]: 'envoy.retry_options_predicates',
  [`${CONFIG}.route.v3.RouteAction.early_data_policy`]: 'envoy.route.early_data_policy',
  [`${CONFIG}.route.v3.RouteAction.path_rewrite_policy`]: 'envoy.path.rewrite',
  [`${CONFIG}.route.v3.RouteMatch.path_match_policy`]: 'envoy.path.match',
  // Clusters
  [`${CONFIG}.core.v3.RetryPolicy.RetryHostPredicate.typed_config`]: 'envoy.retry_host_predicates',
  [`${CONFIG}.core.v3.RetryPolicy.RetryPriority.typed_config`]: 'envoy.retry_priorities',
  [`${CONFIG}.cluster.v3.Cluster.CustomClusterType.typed_config`]: 'envoy.clusters',
  [`${CONFIG}.cluster.v3.Cluster.transport_socket`]: 'envoy.transport_sockets.upstream',
  [`${CONFIG}.cluster.v3.Cluster.TransportSocketMatch.transport_socket`]: 'envoy.transport_sockets.upstream',
  [`${CONFIG}.cluster.v3.Cluster.typed_dns_resolver_config`]: 'envoy.network.dns_resolver',
  [`${CONFIG}.cluster.v3.Cluster.typed_extension_protocol_options`]: 'envoy.upstream_options',
  [`${CONFIG}.cluster.v3.Cluster.upstream_config`]: 'envoy.upstreams',
  [`${CONFIG}.cluster.v3.Filter.typed_config`]: 'envoy.filters.upstream_network_any',
  [`${CONFIG}.cluster.v3.LoadBalancingPolicy.Policy.typed_extension_config`]: 'envoy.load_balancing_policies',
  [`${CONFIG}.cluster.v3.Cluster.QueuingPolicies.pending_rq_policy`]: 'envoy.queue_policy',
  [`${CONFIG}.cluster.v3.OutlierDetection.monitors`]: 'envoy.outlier_detection_monitors',
  [`${CONFIG}.core.v3.BindConfig.local_address_selector`]: 'envoy.upstream.local_address_selector',
  [`${CONFIG}.core.v3.HealthCheck.CustomHealthCheck.typed_config`]: 'envoy.health_checkers',
  [`${CONFIG}.core.v3.HealthCheck.event_logger`]: 'envoy.health_check.event_sinks',
  [`${CONFIG}.core.v3.Http1ProtocolOptions.HeaderKeyFormat.stateful_formatter`]:
    'envoy.http.stateful_header_formatters',
  [`${CONFIG}.core.v3.QuicProtocolOptions.client_packet_writer`]: 'envoy.quic.client_packet_writer',
  [`${EXT}.upstreams.http.v3.HttpProtocolOptions.header_validation_config`]: 'envoy.http.header_validators',
  [`${EXT}.upstreams.http.v3.HttpProtocolOptions.http_filters`]: 'envoy.filters.http.upstream',
  [`${EXT}.clusters.dns.v3.DnsCluster.typed_dns_resolver_config`]: 'envoy.network.dns_resolver',
  [`${EXT}.common.dynamic_forward_proxy.v3.DnsCacheConfig.typed_dns_resolver_config`]: 'envoy.network.dns_resolver',
  [`${EXT}.filters.udp.dns_filter.v3.DnsFilterConfig.ClientContextConfig.typed_dns_resolver_config`]:
    'envoy.network.dns_resolver',
  // TLS
  [`${CONFIG}.core.v3.TransportSocket.typed_config`]: 'envoy.transport_sockets',
  [`${TLS}.CertificateValidationContext.custom_validator_config`]: 'envoy.tls.cert_validator',
  [`${TLS}.CommonTlsContext.custom_handshaker`]: 'envoy.tls_handshakers',
  [`${TLS}.CommonTlsContext.custom_tls_certificate_selector`]: 'envoy.tls.certificate_selectors',
  [`${TLS}.PrivateKeyProvider.typed_config`]: 'envoy.tls.key_providers',
  [`${EXT}.transport_sockets.tls.cert_selectors.on_demand_secret.v3.Config.certificate_mapper`]:
    'envoy.tls.certificate_mappers',
  // Logs, formats, matchers
  [`${CONFIG}.accesslog.v3.AccessLog.typed_config`]: 'envoy.access_loggers',
  [`${CONFIG}.accesslog.v3.ExtensionFilter.typed_config`]: 'envoy.access_loggers.extension_filters',
  [`${CONFIG}.core.v3.SubstitutionFormatString.formatters`]: 'envoy.formatter',
  [`${CONFIG}.core.v3.HttpService.formatters`]: 'envoy.formatter',
  [`${EXT}.access_loggers.fluentd.v3.FluentdAccessLogConfig.formatters`]: 'envoy.formatter',
  [`${EXT}.access_loggers.open_telemetry.v3.OpenTelemetryAccessLogConfig.formatters`]: 'envoy.formatter',
  [`${EXT}.access_loggers.open_telemetry.v3.OpenTelemetryAccessLogConfig.resource_detectors`]:
    'envoy.tracers.opentelemetry.resource_detectors',
  [`${EXT}.filters.http.header_mutation.v3.Mutations.formatters`]: 'envoy.formatter',
  [`${EXT}.filters.network.tcp_proxy.v3.TcpProxy.TunnelingConfig.formatters`]: 'envoy.formatter',
  [`${EXT}.filters.udp.udp_proxy.v3.UdpProxyConfig.UdpTunnelingConfig.formatters`]: 'envoy.formatter',
  [`${EXT}.bootstrap.reverse_tunnel.downstream_socket_interface.v3.DownstreamReverseConnectionSocketInterface.HttpHandshakeConfig.formatters`]:
    'envoy.formatter',
  'envoy.type.matcher.v3.StringMatcher.custom': 'envoy.string_matcher',
  'xds.type.matcher.v3.StringMatcher.custom': 'envoy.string_matcher',
  ...matcherSlots('xds.type.matcher.v3'),
  ...matcherSlots('envoy.config.common.matcher.v3'),
  // HTTP filters
  [`${EXT}.filters.http.ai_protocol_manager.v3.AiProtocolManager.filters`]: 'envoy.http.ai_filters',
  [`${EXT}.filters.http.aws_eventstream_parser.v3.AwsEventstreamParser.ProcessingRules.content_parser`]:
    'envoy.content_parsers',
  [`${EXT}.filters.http.compressor.v3.Compressor.compressor_library`]: 'envoy.compression.compressor',
  [`${EXT}.filters.http.compressor.v3.CompressorOverrides.compressor_library`]: 'envoy.compression.compressor',
  [`${EXT}.filters.http.decompressor.v3.Decompressor.decompressor_library`]: 'envoy.compression.decompressor',
  [`${EXT}.filters.http.cache.v3.CacheConfig.typed_config`]: 'envoy.http.cache',
  [`${EXT}.filters.http.cache_v2.v3.CacheV2Config.typed_config`]: 'envoy.http.cache_v2',
  [`${EXT}.filters.http.credential_injector.v3.CredentialInjector.credential`]: 'envoy.http.injected_credentials',
  [`${EXT}.filters.http.composite.v3.ExecuteFilterAction.typed_config`]: 'envoy.filters.http',
  [`${EXT}.filters.http.composite.v3.FilterChainConfiguration.typed_config`]: 'envoy.filters.http',
  [`${EXT}.filters.http.filter_chain.v3.FilterChain.filters`]: 'envoy.filters.http',
  [`${EXT}.common.matching.v3.ExtensionWithMatcher.extension_config`]: 'envoy.filters.http',
  [`${EXT}.filters.http.ext_proc.v3.ExtProcOverrides.processing_request_modifier`]:
    'envoy.http.ext_proc.processing_request_modifiers',
  [`${EXT}.filters.http.ext_proc.v3.ExternalProcessor.processing_request_modifier`]:
    'envoy.http.ext_proc.processing_request_modifiers',
  [`${EXT}.filters.http.ext_proc.v3.ExternalProcessor.on_processing_response`]:
    'envoy.http.ext_proc.response_processors',
  [`${EXT}.filters.http.geoip.v3.Geoip.provider`]: 'envoy.geoip_providers',
  [`${EXT}.filters.http.rate_limit_quota.v3.RateLimitQuotaBucketSettings.BucketIdBuilder.ValueBuilder.custom_value`]:
    'envoy.matching.http.input',
  [`${EXT}.filters.http.stateful_session.v3.StatefulSession.session_state`]: 'envoy.http.stateful_session',
  [`${EXT}.filters.http.sse_to_metadata.v3.SseToMetadata.ProcessingRules.content_parser`]: 'envoy.content_parsers',
  [`${EXT}.http.custom_response.redirect_policy.v3.RedirectPolicy.modify_request_headers_action`]:
    'envoy.http.early_header_mutation',
  // Other filters
  [`${EXT}.filters.network.geoip.v3.Geoip.provider`]: 'envoy.geoip_providers',
  [`${EXT}.filters.network.generic_proxy.v3.GenericProxy.codec_config`]: 'envoy.generic_proxy.codecs',
  [`${EXT}.filters.network.generic_proxy.v3.GenericProxy.filters`]: 'envoy.generic_proxy.filters',
  [`${EXT}.filters.network.dubbo_proxy.v3.DubboFilter.config`]: 'envoy.dubbo_proxy.filters',
  [`${EXT}.filters.network.thrift_proxy.v3.ThriftFilter.typed_config`]: 'envoy.thrift_proxy.filters',
  [`${EXT}.filters.udp.udp_proxy.v3.UdpProxyConfig.SessionFilter.typed_config`]: 'envoy.filters.udp.session',
  [`${CONFIG}.rbac.v3.Permission.matcher`]: 'envoy.rbac.matchers',
  [`${CONFIG}.rbac.v3.Permission.uri_template`]: 'envoy.path.match',
  [`${CONFIG}.rbac.v3.Principal.custom`]: 'envoy.rbac.principals',
  [`${CONFIG}.rbac.v3.RBAC.AuditLoggingOptions.AuditLoggerConfig.audit_logger`]: 'envoy.rbac.audit_loggers',
  // Bootstrap
  [`${CONFIG}.bootstrap.v3.Bootstrap.bootstrap_extensions`]: 'envoy.bootstrap',
  [`${CONFIG}.bootstrap.v3.Bootstrap.default_regex_engine`]: 'envoy.regex_engines',
  [`${CONFIG}.bootstrap.v3.Bootstrap.listener_manager`]: 'envoy.listener_manager_impl',
  [`${CONFIG}.bootstrap.v3.Bootstrap.typed_dns_resolver_config`]: 'envoy.network.dns_resolver',
  [`${CONFIG}.bootstrap.v3.Watchdog.WatchdogAction.config`]: 'envoy.guarddog_actions',
  [`${CONFIG}.common.key_value.v3.KeyValueStoreConfig.config`]: 'envoy.common.key_value',
  [`${CONFIG}.core.v3.AlternateProtocolsCacheOptions.key_value_store_config`]: 'envoy.common.key_value',
  [`${CONFIG}.core.v3.ApiConfigSource.config_validators`]: 'envoy.config.validators',
  [`${CONFIG}.metrics.v3.StatsSink.typed_config`]: 'envoy.stats_sinks',
  [`${EXT}.stat_sinks.open_telemetry.v3.SinkConfig.resource_detectors`]:
    'envoy.tracers.opentelemetry.resource_detectors',
  [`${CONFIG}.overload.v3.ResourceMonitor.typed_config`]: 'envoy.resource_monitors',
};

function matcherSlots(of: string): Record<string, string> {
  return {
    [`${of}.Matcher.MatcherList.Predicate.SinglePredicate.input`]: 'envoy.matching.input',
    [`${of}.Matcher.MatcherList.Predicate.SinglePredicate.custom_match`]: 'envoy.matching.custom',
    [`${of}.Matcher.MatcherTree.input`]: 'envoy.matching.input',
    [`${of}.Matcher.MatcherTree.custom_match`]: 'envoy.matching.custom',
  };
}

/** The defined category of a field, if any. */
export function namedSlot(message: string, field: string): string | undefined {
  return Object.hasOwn(SLOTS, `${message}.${field}`) ? SLOTS[`${message}.${field}`] : undefined;
}

/** `message.field` of every defined slot. */
export function namedSlotFields(): readonly string[] {
  return Object.keys(SLOTS);
}
