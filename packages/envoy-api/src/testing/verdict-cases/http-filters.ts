import { filter, url, type VerdictCase } from './case.ts';

export const httpFilterCases: readonly VerdictCase[] = [
  filter('router only', 'router.v3.Router', { strict_check_headers: ['x-nothing'] }),
  filter('buffer', 'buffer.v3.Buffer', { max_request_bytes: 1024 }),
  filter('buffer of zero', 'buffer.v3.Buffer', { max_request_bytes: 0 }),
  filter('buffer without a limit', 'buffer.v3.Buffer', {}),
  filter('cors', 'cors.v3.Cors', {}),
  filter('csrf', 'csrf.v3.CsrfPolicy', { filter_enabled: { default_value: { numerator: 1 } } }),
  filter('csrf without enabled', 'csrf.v3.CsrfPolicy', {}),
  filter('fault', 'fault.v3.HTTPFault', { abort: { http_status: 503, percentage: { numerator: 1 } } }),
  filter('fault status 199', 'fault.v3.HTTPFault', { abort: { http_status: 199, percentage: { numerator: 1 } } }),
  filter('fault status 600', 'fault.v3.HTTPFault', { abort: { http_status: 600, percentage: { numerator: 1 } } }),
  filter('fault delay 0', 'fault.v3.HTTPFault', { delay: { fixed_delay: '0s', percentage: { numerator: 1 } } }),
  filter('local rate limit', 'local_ratelimit.v3.LocalRateLimit', {
    stat_prefix: 'x',
    token_bucket: { max_tokens: 1, tokens_per_fill: 1, fill_interval: '1s' },
  }),
  filter('local rate limit without tokens', 'local_ratelimit.v3.LocalRateLimit', {
    stat_prefix: 'x',
    token_bucket: { max_tokens: 0, fill_interval: '1s' },
  }),
  filter('local rate limit without an interval', 'local_ratelimit.v3.LocalRateLimit', {
    stat_prefix: 'x',
    token_bucket: { max_tokens: 1 },
  }),
  filter('local rate limit without a prefix', 'local_ratelimit.v3.LocalRateLimit', {}),
  filter('rate limit', 'ratelimit.v3.RateLimit', {
    domain: 'd',
    rate_limit_service: { transport_api_version: 'V3', grpc_service: { envoy_grpc: { cluster_name: 'c' } } },
  }),
  filter('rate limit without a domain', 'ratelimit.v3.RateLimit', {
    rate_limit_service: { transport_api_version: 'V3', grpc_service: { envoy_grpc: { cluster_name: 'c' } } },
  }),
  filter('rate limit without a service', 'ratelimit.v3.RateLimit', { domain: 'd' }),
  filter('rate limit request type', 'ratelimit.v3.RateLimit', {
    domain: 'd',
    request_type: 'sometimes',
    rate_limit_service: { transport_api_version: 'V3', grpc_service: { envoy_grpc: { cluster_name: 'c' } } },
  }),
  filter('external processor', 'ext_proc.v3.ExternalProcessor', {
    grpc_service: { envoy_grpc: { cluster_name: 'c' } },
    processing_mode: { request_header_mode: 'SEND', response_header_mode: 'SKIP' },
    allow_mode_override: true,
  }),
  filter('external processor mode unknown', 'ext_proc.v3.ExternalProcessor', {
    grpc_service: { envoy_grpc: { cluster_name: 'c' } },
    processing_mode: { request_body_mode: 77 },
  }),
  filter('external processor timeout too long', 'ext_proc.v3.ExternalProcessor', {
    grpc_service: { envoy_grpc: { cluster_name: 'c' } },
    message_timeout: '3601s',
  }),
  filter('external authorization', 'ext_authz.v3.ExtAuthz', {
    transport_api_version: 'V3',
    grpc_service: { envoy_grpc: { cluster_name: 'c' } },
  }),
  filter('external authorization bytes 0', 'ext_authz.v3.ExtAuthz', {
    transport_api_version: 'V3',
    grpc_service: { envoy_grpc: { cluster_name: 'c' } },
    with_request_body: { max_request_bytes: 0 },
  }),
  filter('rbac', 'rbac.v3.RBAC', {
    rules: { action: 'ALLOW', policies: { p: { permissions: [{ any: true }], principals: [{ any: true }] } } },
  }),
  filter('rbac without permissions', 'rbac.v3.RBAC', { rules: { policies: { p: { principals: [{ any: true }] } } } }),
  filter('rbac any false', 'rbac.v3.RBAC', {
    rules: { policies: { p: { permissions: [{ any: false }], principals: [{ any: true }] } } },
  }),
  filter('rbac empty principal', 'rbac.v3.RBAC', {
    rules: { policies: { p: { permissions: [{ any: true }], principals: [{}] } } },
  }),
  filter('jwt', 'jwt_authn.v3.JwtAuthentication', {
    providers: {
      p: {
        local_jwks: {
          inline_string: '{"keys":[{"kty":"oct","alg":"HS256","k":"c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I"}]}',
        },
      },
    },
    rules: [{ match: { prefix: '/' }, requires: { provider_name: 'p' } }],
  }),
  filter('jwt without a match', 'jwt_authn.v3.JwtAuthentication', { rules: [{ requires: { provider_name: 'p' } }] }),
  filter('jwt remote keys without a uri', 'jwt_authn.v3.JwtAuthentication', { providers: { p: { remote_jwks: {} } } }),
  filter('jwt header with a line break', 'jwt_authn.v3.JwtAuthentication', {
    providers: { p: { local_jwks: { inline_string: '{"keys":[]}' }, forward_payload_header: 'a\nb' } },
  }),
  filter('lua', 'lua.v3.Lua', { default_source_code: { inline_string: 'function envoy_on_request(h) end' } }),
  filter('lua deprecated code', 'lua.v3.Lua', { inline_code: 'function envoy_on_request(h) end' }),
  filter('compressor', 'compressor.v3.Compressor', {
    compressor_library: {
      name: 'g',
      typed_config: { '@type': url('envoy.extensions.compression.gzip.compressor.v3.Gzip'), window_bits: 12 },
    },
  }),
  filter('compressor window', 'compressor.v3.Compressor', {
    compressor_library: {
      name: 'g',
      typed_config: { '@type': url('envoy.extensions.compression.gzip.compressor.v3.Gzip'), window_bits: 16 },
    },
  }),
  filter('compressor without a library', 'compressor.v3.Compressor', {}),
  filter('health check', 'health_check.v3.HealthCheck', {
    pass_through_mode: false,
    headers: [{ name: ':path', string_match: { exact: '/up' } }],
  }),
  filter('health check without a mode', 'health_check.v3.HealthCheck', {}),
  filter('grpc web', 'grpc_web.v3.GrpcWeb', {}),
  filter('header to metadata', 'header_to_metadata.v3.Config', {
    request_rules: [{ header: 'x-a', on_header_present: { metadata_namespace: 'n', key: 'k' } }],
  }),
  filter('header to metadata type', 'header_to_metadata.v3.Config', {
    request_rules: [{ header: 'x-a', on_header_present: { key: 'k', type: 9 } }],
  }),
  filter('set metadata', 'set_metadata.v3.Config', { metadata: [{ metadata_namespace: 'n', value: { a: 1 } }] }),
  filter('set metadata without a namespace', 'set_metadata.v3.Config', { metadata: [{ value: { a: 1 } }] }),
  filter('bandwidth limit', 'bandwidth_limit.v3.BandwidthLimit', {
    stat_prefix: 'b',
    enable_mode: 'REQUEST',
    limit_kbps: '100',
  }),
  filter('bandwidth limit of zero', 'bandwidth_limit.v3.BandwidthLimit', {
    stat_prefix: 'b',
    enable_mode: 'REQUEST',
    limit_kbps: '0',
  }),
  filter('bandwidth interval', 'bandwidth_limit.v3.BandwidthLimit', {
    stat_prefix: 'b',
    enable_mode: 'REQUEST',
    limit_kbps: '9',
    fill_interval: '2s',
  }),
  filter('admission control', 'admission_control.v3.AdmissionControl', { success_criteria: { http_criteria: {} } }),
  filter('admission control without criteria', 'admission_control.v3.AdmissionControl', {}),
  filter('oauth2 without a config', 'oauth2.v3.OAuth2', {}),
  filter('basic auth', 'basic_auth.v3.BasicAuth', { users: { inline_string: 'u:{SHA}2kuSN7rMzfGcB2DKt67EqDWQELA=' } }),
  filter('api key auth', 'api_key_auth.v3.ApiKeyAuth', {
    credentials: [{ key: 'k', client: 'c' }],
    key_sources: [{ header: 'x-key' }],
  }),
  filter('api key auth header with a line break', 'api_key_auth.v3.ApiKeyAuth', {
    credentials: [{ key: 'k', client: 'c' }],
    key_sources: [{ header: 'x\nkey' }],
  }),
  filter('stateful session', 'stateful_session.v3.StatefulSession', {
    session_state: {
      name: 'envoy.http.stateful_session.cookie',
      typed_config: {
        '@type': url('envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState'),
        cookie: { name: 'c' },
      },
    },
  }),
  filter('stateful session cookie without a name', 'stateful_session.v3.StatefulSession', {
    session_state: {
      name: 'envoy.http.stateful_session.cookie',
      typed_config: {
        '@type': url('envoy.extensions.http.stateful_session.cookie.v3.CookieBasedSessionState'),
        cookie: {},
      },
    },
  }),
  filter('composite', 'composite.v3.Composite', {}),
  filter('ip tagging', 'ip_tagging.v3.IPTagging', {
    ip_tags: [{ ip_tag_name: 't', ip_list: [{ address_prefix: '192.0.2.0', prefix_len: 24 }] }],
  }),
  filter('original source', 'original_src.v3.OriginalSrc', { mark: 1 }),
];
