import { any, ask, JSON_ACCESS_LOG, type Starter } from './starter.ts';

const HTTP = 'envoy.extensions.filters.http';

export const EXTENSION_STARTERS: readonly Starter[] = [
  {
    id: 'filter-router',
    title: 'Router',
    description: 'Sends requests where their route says; every chain of HTTP filters ends with it.',
    collection: 'filters',
    type: `${HTTP}.router.v3.Router`,
    name: 'router',
    resource: {},
  },
  {
    id: 'filter-cors',
    title: 'CORS',
    description: 'Answers preflight requests of browsers; each route says in its own settings who may ask.',
    collection: 'filters',
    type: `${HTTP}.cors.v3.Cors`,
    name: 'cors',
    resource: {},
  },
  {
    id: 'filter-local-ratelimit',
    title: 'Local rate limit',
    description: 'Limits the requests a second on each proxy; the rest gets 429.',
    collection: 'filters',
    type: `${HTTP}.local_ratelimit.v3.LocalRateLimit`,
    name: 'local-rate-limit',
    questions: [ask('count', 'Requests a second', 'token_bucket.max_tokens', 'token_bucket.tokens_per_fill')],
    resource: {
      stat_prefix: 'local_rate_limit',
      token_bucket: { max_tokens: 100, tokens_per_fill: 100, fill_interval: '1s' },
      filter_enabled: { default_value: { numerator: 100, denominator: 'HUNDRED' } },
      filter_enforced: { default_value: { numerator: 100, denominator: 'HUNDRED' } },
    },
  },
  {
    id: 'filter-jwt',
    title: 'JSON web tokens',
    description: 'Requests below a path need a token of an issuer, whose keys are fetched through a cluster.',
    collection: 'filters',
    type: `${HTTP}.jwt_authn.v3.JwtAuthentication`,
    name: 'jwt',
    questions: [
      ask('text', 'Issuer', 'providers.issuer.issuer'),
      ask('text', 'Audience', 'providers.issuer.audiences[0]'),
      ask('text', 'Address of its keys', 'providers.issuer.remote_jwks.http_uri.uri'),
      ask('cluster', 'Cluster of the issuer', 'providers.issuer.remote_jwks.http_uri.cluster'),
      ask('http_path', 'Path that needs a token', 'rules[0].match.prefix'),
    ],
    resource: {
      providers: {
        issuer: {
          issuer: 'https://issuer.example.com/',
          audiences: ['api.example.com'],
          remote_jwks: {
            http_uri: {
              uri: 'https://issuer.example.com/.well-known/jwks.json',
              cluster: 'issuer',
              timeout: '5s',
            },
            cache_duration: '300s',
          },
          forward: true,
        },
      },
      rules: [{ match: { prefix: '/api' }, requires: { provider_name: 'issuer' } }],
    },
  },
  {
    id: 'filter-compressor',
    title: 'gzip',
    description: 'Compresses text, JSON and scripts for clients that take it.',
    collection: 'filters',
    type: `${HTTP}.compressor.v3.Compressor`,
    name: 'gzip',
    resource: {
      response_direction_config: {
        common_config: {
          // The content types are omitted: Envoy's default covers text, JSON and scripts, and newer versions use
          // another field.
          min_content_length: 512,
        },
      },
      compressor_library: {
        name: 'gzip',
        typed_config: any('envoy.extensions.compression.gzip.compressor.v3.Gzip'),
      },
    },
  },
  {
    id: 'filter-headers',
    title: 'Set and remove headers',
    description: 'Adds a header to every answer and takes one off.',
    collection: 'filters',
    type: `${HTTP}.header_mutation.v3.HeaderMutation`,
    name: 'headers',
    resource: {
      mutations: {
        response_mutations: [
          {
            append: {
              header: { key: 'strict-transport-security', value: 'max-age=31536000' },
              append_action: 'OVERWRITE_IF_EXISTS_OR_ADD',
            },
          },
          { remove: 'x-powered-by' },
        ],
      },
    },
  },
  {
    id: 'filter-ext-authz',
    title: 'External authorization',
    description: 'Asks a service by gRPC about every request; its cluster must speak HTTP/2.',
    collection: 'filters',
    type: `${HTTP}.ext_authz.v3.ExtAuthz`,
    name: 'authorization',
    questions: [ask('cluster', 'Cluster', 'grpc_service.envoy_grpc.cluster_name')],
    resource: {
      transport_api_version: 'V3',
      grpc_service: { envoy_grpc: { cluster_name: 'authorization' }, timeout: '0.5s' },
      failure_mode_allow: false,
    },
  },
  {
    id: 'extension-log-stdout',
    title: 'Access log as JSON',
    description: 'One JSON object per request in the log of the proxy.',
    collection: 'extensions',
    type: 'envoy.extensions.access_loggers.stream.v3.StdoutAccessLog',
    name: 'access-log',
    resource: JSON_ACCESS_LOG,
  },
  {
    id: 'extension-log-file',
    title: 'Access log in a file',
    description: 'Lines in a file of the service, in the usual format of Envoy.',
    collection: 'extensions',
    type: 'envoy.extensions.access_loggers.file.v3.FileAccessLog',
    name: 'access-file',
    questions: [ask('file', 'File', 'path')],
    resource: { path: 'files/access.log' },
  },
];
