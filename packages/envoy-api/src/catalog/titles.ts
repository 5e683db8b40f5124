const WORDS: Readonly<Record<string, string>> = {
  a2a: 'A2A',
  ai: 'AI',
  api: 'API',
  alts: 'ALTS',
  aws: 'AWS',
  cdn: 'CDN',
  cel: 'CEL',
  cors: 'CORS',
  csrf: 'CSRF',
  cpu: 'CPU',
  dns: 'DNS',
  dlb: 'DLB',
  ext: 'external',
  gcp: 'GCP',
  grpc: 'gRPC',
  gso: 'GSO',
  http: 'HTTP',
  http1: 'HTTP/1',
  id: 'ID',
  ip: 'IP',
  json: 'JSON',
  jwt: 'JWT',
  lb: 'LB',
  mcp: 'MCP',
  oauth2: 'OAuth2',
  quic: 'QUIC',
  ratelimit: 'rate limit',
  rbac: 'RBAC',
  san: 'SAN',
  sni: 'SNI',
  sse: 'SSE',
  sxg: 'SXG',
  tcp: 'TCP',
  tls: 'TLS',
  udp: 'UDP',
  uri: 'URI',
  url: 'URL',
  uuid: 'UUID',
  xff: 'X-Forwarded-For',
  starttls: 'StartTLS',
  re2: 'RE2',
  authn: 'authentication',
  authz: 'authorization',
  proc: 'processing',
  dst: 'destination',
  src: 'source',
};

/** Last parts of names that mean nothing without the previous part. */
const TOO_GENERAL = /^(?:compressor|decompressor|default|generic|input|v\d+)$/;

/** `envoy.filters.http.jwt_authn` -> `JWT authentication`. */
export function titleOf(name: string): string {
  const parts = name.split('.').filter((part) => !/^v\d+$/.test(part));
  const last = parts.at(-1) ?? name;
  const before = parts.at(-2) ?? '';
  const chosen = TOO_GENERAL.test(last) && parts.length > 2 && before !== 'http' ? `${before}_${last}` : last;
  const words = chosen
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]/)
    .map((word) => (Object.hasOwn(WORDS, word) ? WORDS[word] : word));
  const title = words.join(' ');
  return title.startsWith('gRPC') ? title : title.slice(0, 1).toUpperCase() + title.slice(1);
}
