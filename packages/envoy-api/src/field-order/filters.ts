import type { FieldGuide } from './guide.ts';

const HTTP = 'envoy.extensions.filters.http';
const NETWORK = 'envoy.extensions.filters.network';

/** The most edited filters. */
export const FILTER_GUIDE: FieldGuide = {
  [`${HTTP}.router.v3.Router`]: {
    dynamic_stats: 'Statistics per cluster; on when left out.',
    suppress_envoy_headers: 'Adds no headers that begin with x-envoy.',
    upstream_log: 'Records of requests to the endpoints, one per attempt.',
    respect_expected_rq_timeout: 'Takes the timeout from the header of another Envoy.',
  },
  [`${HTTP}.cors.v3.CorsPolicy`]: {
    allow_origin_string_match: 'Origins that may ask.',
    allow_methods: 'Methods allowed, separated by commas.',
    allow_headers: 'Request headers allowed, separated by commas.',
    expose_headers: 'Answer headers that scripts may read, separated by commas.',
    max_age: 'Seconds that browsers may remember the answer.',
    allow_credentials: 'Lets browsers send cookies.',
  },
  [`${HTTP}.lua.v3.Lua`]: {
    default_source_code: 'The script that runs for every request.',
    source_codes: 'Further scripts that routes choose by name.',
    stat_prefix: 'Begins the names of its statistics.',
  },
  [`${HTTP}.jwt_authn.v3.JwtAuthentication`]: {
    providers: 'Issuers of tokens, by a name of your choice.',
    rules: 'Which requests need a token, and of which provider; the first that matches counts.',
    requirement_map: 'Requirements that routes choose by name.',
    bypass_cors_preflight: 'Lets preflight requests pass without a token.',
  },
  [`${HTTP}.jwt_authn.v3.JwtProvider`]: {
    issuer: 'What the token must say of its issuer.',
    audiences: 'Audiences of which the token must name one.',
    remote_jwks: 'Keys fetched from an address.',
    local_jwks: 'Keys written here or in a file.',
    forward: 'Leaves the token on the request to the upstream.',
    from_headers: 'Headers in which tokens are looked for; Authorization when left out.',
    from_params: 'Query parameters in which tokens are looked for.',
    from_cookies: 'Cookies in which tokens are looked for.',
    forward_payload_header: 'Header that carries the verified claims upstream.',
    claim_to_headers: 'Claims that become headers.',
    payload_in_metadata: 'Key under which later filters find the claims.',
    clock_skew_seconds: 'How far clocks may differ; 60 when left out.',
  },
  [`${HTTP}.jwt_authn.v3.RemoteJwks`]: {
    http_uri: 'Address and cluster of the keys.',
    cache_duration: 'How long keys are kept; 10 minutes when left out.',
    async_fetch: 'Fetches them ahead of the first request.',
    retry_policy: 'How a failed fetch is tried again.',
  },
  [`${HTTP}.jwt_authn.v3.RequirementRule`]: {
    match: 'Which requests the rule is for.',
    requires: 'What they must bring; nothing when left out.',
    requirement_name: 'A named requirement instead.',
  },
  'envoy.config.core.v3.HttpUri': {
    uri: 'The full address.',
    cluster: 'The cluster through which it is reached.',
    timeout: 'How long the answer may take.',
  },
  [`${HTTP}.ext_authz.v3.ExtAuthz`]: {
    grpc_service: 'The service that decides, by gRPC.',
    http_service: 'The service that decides, by HTTP.',
    transport_api_version: 'Version of the protocol: V3.',
    failure_mode_allow: 'Lets requests pass when the service cannot be reached.',
    with_request_body: 'Sends the body along, up to a size.',
    status_on_error: 'Status when the service cannot be reached; 403 when left out.',
    clear_route_cache: 'Chooses the route again after headers were changed.',
    include_peer_certificate: 'Sends the certificate of the client along.',
    allowed_headers: 'Request headers that the service gets to see.',
  },
  'envoy.config.core.v3.GrpcService': {
    envoy_grpc: 'Through a cluster.',
    timeout: 'How long the answer may take.',
    initial_metadata: 'Headers sent with every call.',
    retry_policy: 'How failed calls are tried again.',
  },
  'envoy.config.core.v3.GrpcService.EnvoyGrpc': {
    cluster_name: 'The cluster of the service; it must speak HTTP/2.',
    authority: 'Authority header; the name of the cluster when left out.',
  },
  [`${HTTP}.rbac.v3.RBAC`]: {
    rules: 'Who may do what.',
    shadow_rules: 'Rules that are only counted and logged.',
    matcher: 'The same as a tree of matchers, instead of rules.',
    rules_stat_prefix: 'Begins the names of their statistics.',
  },
  'envoy.config.rbac.v3.RBAC': {
    action: 'Whether what matches is allowed, denied or only logged.',
    policies: 'Who and what, by a name of your choice.',
  },
  'envoy.config.rbac.v3.Policy': {
    permissions: 'What is asked for; one of them must fit.',
    principals: 'Who asks; one of them must fit.',
    condition: 'A further condition in CEL.',
  },
  [`${HTTP}.local_ratelimit.v3.LocalRateLimit`]: {
    stat_prefix: 'Begins the names of its statistics.',
    token_bucket: 'How many requests, and how fast new ones are allowed.',
    filter_enabled: 'Share of requests that are counted; none when left out.',
    filter_enforced: 'Share of counted requests that are really refused; none when left out.',
    status: 'Status of refused requests; 429 when left out.',
    response_headers_to_add: 'Headers set on refusals.',
    descriptors: 'Other limits for requests that carry certain values.',
    rate_limits: 'How these values are taken from requests.',
    enable_x_ratelimit_headers: 'Tells clients what is left of their limit.',
    local_rate_limit_per_downstream_connection: 'Each connection has a limit of its own.',
  },
  'envoy.type.v3.TokenBucket': {
    max_tokens: 'Most requests at once.',
    tokens_per_fill: 'Requests added at each fill; 1 when left out.',
    fill_interval: 'Time between fills.',
  },
  'envoy.config.core.v3.RuntimeFractionalPercent': {
    default_value: 'The share, unless the runtime key says otherwise.',
    runtime_key: 'Key by which it can be changed while the proxy runs.',
  },
  'envoy.type.v3.FractionalPercent': {
    numerator: 'How many.',
    denominator: 'Of 100, 10,000 or 1,000,000; of 100 when left out.',
  },
  [`${HTTP}.ratelimit.v3.RateLimit`]: {
    domain: 'Name of the set of limits at the service.',
    rate_limit_service: 'The service that counts.',
    failure_mode_deny: 'Refuses requests when the service cannot be reached.',
    timeout: 'How long the service has; 20 ms when left out.',
    enable_x_ratelimit_headers: 'Tells clients what is left of their limit.',
    stage: 'Which rate limits of routes it counts by.',
  },
  [`${HTTP}.compressor.v3.Compressor`]: {
    compressor_library: 'The format, such as gzip or Brotli.',
    response_direction_config: 'Which answers are compressed.',
    request_direction_config: 'Which requests are compressed; none when left out.',
    choose_first: 'Preferred where a client takes several formats equally.',
  },
  [`${HTTP}.compressor.v3.Compressor.CommonDirectionConfig`]: {
    content_type_matcher: 'Content types that are compressed.',
    content_type: 'Content types that are compressed.',
    min_content_length: 'Smallest body that is compressed; 30 bytes when left out.',
    enabled: 'Switches it off at run time.',
  },
  [`${HTTP}.buffer.v3.Buffer`]: {
    max_request_bytes: 'Larger requests are refused with 413.',
  },
  [`${HTTP}.fault.v3.HTTPFault`]: {
    delay: 'Keeps requests waiting.',
    abort: 'Answers with an error instead.',
    headers: 'Only requests whose headers fit.',
    max_active_faults: 'Most faults at a time.',
    response_rate_limit: 'Slows answers down.',
  },
  [`${HTTP}.header_to_metadata.v3.Config`]: {
    request_rules: 'Headers of requests that become metadata.',
    response_rules: 'Headers of answers that become metadata.',
  },
  [`${HTTP}.header_mutation.v3.HeaderMutation`]: {
    mutations: 'Headers that are set, changed and taken off.',
  },
  [`${HTTP}.health_check.v3.HealthCheck`]: {
    pass_through_mode: 'Whether checks reach the upstream or are answered here.',
    headers: 'How a request is recognised as a check.',
    cache_time: 'How long an answer of the upstream is used again.',
    cluster_min_healthy_percentages: 'Answers by the health of clusters.',
  },
  [`${HTTP}.ext_proc.v3.ExternalProcessor`]: {
    grpc_service: 'The service that looks at requests and answers.',
    processing_mode: 'Which parts are sent to it.',
    failure_mode_allow: 'Goes on without it when it cannot be reached.',
    message_timeout: 'How long it has for each message; 200 ms when left out.',
    allow_mode_override: 'Lets it change which parts it gets.',
    mutation_rules: 'Which headers it may change.',
  },
  [`${HTTP}.oauth2.v3.OAuth2`]: {
    config: 'All of its settings.',
  },
  [`${NETWORK}.tcp_proxy.v3.TcpProxy`]: {
    stat_prefix: 'Begins the names of its statistics.',
    cluster: 'Name of the cluster that gets the connection.',
    weighted_clusters: 'Several clusters that share the connections by weight.',
    idle_timeout: 'Closes connections on which nothing moves; 1 hour when left out.',
    access_log: 'Records of connections.',
    max_connect_attempts: 'How often a connection to an endpoint is tried; once when left out.',
    hash_policy: 'What the choice of an endpoint depends on.',
  },
};
