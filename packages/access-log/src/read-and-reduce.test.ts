import { describe, expect, it } from 'vitest';
import type { LogEntry } from './entry.ts';
import { Reducer } from './reduce/reducer.ts';
import { COMMON, encodeConnections, encodeMessage, encodeRequests, requestOf } from './testing/messages.ts';
import { MessageReader } from './wire/read-message.ts';

const reader = new MessageReader();
const reducer = new Reducer();

function readAll(message: Buffer, isFiltered = false) {
  const entries: LogEntry[] = [];
  const counts = reader.readEntries(message, (raw) => entries.push(reducer.reduce(raw, { isFiltered })));
  return { entries, counts };
}

function readOne(change: Parameters<typeof requestOf>[0] = {}, isFiltered = false): LogEntry {
  const { entries } = readAll(encodeRequests(requestOf(change)), isFiltered);
  const [entry] = entries;
  if (!entry || entries.length > 1) throw new Error(`${entries.length} entries`);
  return entry;
}

const withHeaders = (headers: Record<string, string>, path = '/v1/orders') =>
  readOne({ request: { path, request_headers: headers } });
const withAnswer = (response_headers: Record<string, string>, request_headers: Record<string, string> = {}) =>
  readOne({ request: { request_headers }, response: { response_headers } });
const encodeJwt = (claims: object) =>
  `${toBase64({ alg: 'none' })}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
const toBase64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('an HTTP entry of Envoy', () => {
  it('becomes an entry with everything but its credentials, its query and its bodies', () => {
    expect(readOne()).toEqual({
      timeMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
      latencyUs: 12_345,
      protocol: 'http/2',
      method: 'GET',
      authority: 'shop.example.com',
      path: '/v1/orders/4711',
      status: 200,
      grpcStatus: 255,
      requestBytes: 312,
      responseBytes: 2100,
      requestId: '0b4a2c6e-1b2c-4d3e-8f90-a1b2c3d4e5f6',
      sourceAddress: '203.0.113.7',
      userAgent: 'curl/8.5.0',
      responseFlags: '',
      route: 'orders',
      cluster: 'shop',
      tlsVersion: 'TLSv1_3',
      requestContentType: '',
      contentType: 'application/json',
      graphqlOperation: '',
      origin: '',
      auth: 'none',
      identityHash: '',
      tokenLifetimeS: 0,
      queryNames: ['page', 'expand'],
      queryPii: [],
      signs: [],
      action: '',
      engine: '',
    });
  });

  it.each([
    ['HTTP10', 'http/1.0'],
    ['HTTP11', 'http/1.1'],
    ['HTTP2', 'http/2'],
    ['HTTP3', 'http/3'],
  ])('of protocol %s has the protocol %s', (protocol, expected) => {
    expect(readOne({ protocol }).protocol).toBe(expected);
  });

  it('has the short names of its response flags in their order', () => {
    const response_flags = {
      upstream_retry_limit_exceeded: true,
      upstream_connection_failure: true,
      unauthorized_details: { reason: 'EXTERNAL_SERVICE' },
      downstream_remote_reset: true,
      no_route_found: false,
    };
    expect(readOne({ common: { response_flags } }).responseFlags).toBe('DR,UAEX,UF,URX');
  });

  it('that was written before the end of its request is left out and counted', () => {
    const early: Record<string, string | boolean>[] = [
      { access_log_type: 'DownstreamStart' },
      { access_log_type: 'NotSet', intermediate_log_entry: true },
    ];
    const { entries, counts } = readAll(encodeRequests(...early.map((common) => requestOf({ common })), requestOf({})));
    expect(entries).toHaveLength(1);
    expect(counts).toEqual({ entries: 1, intermediate: 2, malformed: 0 });
  });

  it('has no address if the client came over a socket of the host', () => {
    const pipe = { pipe: { path: '/run/x.sock' } };
    const common = { downstream_remote_address: pipe, downstream_direct_remote_address: pipe };
    expect(readOne({ common }).sourceAddress).toBe('');
  });

  it('has the path that the client sent if a filter has rewritten it', () => {
    const entry = readOne({ request: { path: '/internal?x=1', original_path: '/v1/a?token=s' } });
    expect(entry.path).toBe('/v1/a');
    expect(entry.queryNames).toEqual(['token']);
  });

  it('with a negative or absurd time has the time 0', () => {
    expect(readOne({ common: { start_time: '0001-01-01T00:00:00Z' } }).timeMs).toBe(0);
    expect(readOne({ common: { time_to_last_downstream_tx_byte: '-5s', duration: '-7s' } }).latencyUs).toBe(0);
  });

  it('has a gRPC status from the trailers, otherwise from the headers', () => {
    const response_headers = { 'content-type': 'application/grpc', 'grpc-status': '13' };
    expect(readOne({ response: { response_headers } }).grpcStatus).toBe(13);
    const both = { response_headers, response_trailers: { 'grpc-status': '0' } };
    expect(readOne({ response: both }).grpcStatus).toBe(0);
    expect(readOne({ response: { response_trailers: { 'grpc-status': 'x' } } }).grpcStatus).toBe(255);
  });

  it('has the name of a GraphQL operation only if it is one', () => {
    expect(withHeaders({ 'x-apollo-operation-name': 'GetOrders' }).graphqlOperation).toBe('GetOrders');
    expect(withHeaders({ 'x-apollo-operation-name': 'a b; drop' }).graphqlOperation).toBe('');
  });

  it('loses a password in the authority', () => {
    expect(readOne({ request: { authority: 'bob:secret@shop.example.com' } }).authority).toBe('shop.example.com');
  });
});

describe('a TCP entry of Envoy', () => {
  it('becomes an entry of a connection, with the certificate of the client', () => {
    const tls_properties = { tls_version: 'TLSv1_2', peer_certificate_properties: { subject: 'CN=meter-7' } };
    const { entries } = readAll(
      encodeConnections({
        common_properties: { ...COMMON, tls_properties, access_log_type: 'TcpConnectionEnd' },
        connection_properties: { received_bytes: '7', sent_bytes: '9' },
      }),
    );
    expect(entries).toMatchObject([
      {
        protocol: 'tcp',
        method: '',
        path: '',
        status: 0,
        requestBytes: 7,
        responseBytes: 9,
        cluster: 'shop',
        tlsVersion: 'TLSv1_2',
        auth: 'mtls',
      },
    ]);
    expect(entries[0]?.identityHash).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('the authentication of a request', () => {
  const exp = 1_800_000_000;

  it('is that of a JWT with its subject and its lifetime', () => {
    const entry = withHeaders({ authorization: `Bearer ${encodeJwt({ sub: 'alice', iat: exp - 600, exp })}` });
    expect(entry).toMatchObject({ auth: 'jwt', tokenLifetimeS: 600 });
    expect(entry.identityHash).toMatch(/^[0-9a-f]{32}$/);
    const other = withHeaders({ authorization: `Bearer ${encodeJwt({ sub: 'alice', jti: 'other', exp })}` });
    expect(other.identityHash).toBe(entry.identityHash);
    expect(other.tokenLifetimeS).toBe(0);
  });

  it.each([
    ['Bearer opaque-token', 'bearer'],
    [`Basic ${Buffer.from('bob:secret').toString('base64')}`, 'basic'],
    ['ApiKey abcdef', 'apikey'],
    ['AWS4-HMAC-SHA256 Credential=x, Signature=y', 'signature'],
    ['Hawk id="x"', 'signature'],
    ['Negotiate YII', 'other'],
    ['', 'none'],
  ])('is read from the header Authorization (%s)', (authorization, auth) => {
    expect(withHeaders({ authorization }).auth).toBe(auth);
  });

  it('is that of a client certificate, an API key, a cookie of a session, a signature or a signed URL', () => {
    const tls_properties = { tls_version: 'TLSv1_3', peer_certificate_properties: { subject: 'CN=x' } };
    expect(readOne({ common: { tls_properties } }).auth).toBe('mtls');
    expect(withHeaders({ 'x-api-key': 'k' }).auth).toBe('apikey');
    expect(withHeaders({ cookie: 'theme=dark; __Host-session=abc' }).auth).toBe('cookie');
    expect(withHeaders({ cookie: 'theme=dark; csrf-token=abc' }).auth).toBe('none');
    expect(withHeaders({ 'stripe-signature': 't=1,v1=2' }).auth).toBe('signature');
    expect(withHeaders({}, '/file?X-Amz-Signature=00ff&X-Amz-Date=x').auth).toBe('signature');
    expect(withHeaders({}, '/x?api_key=k').auth).toBe('apikey');
  });

  it('names the subject of the token before the certificate, and this before a key', () => {
    const tls_properties = { tls_version: 'TLSv1_3', peer_certificate_properties: { subject: 'CN=x' } };
    const identify = (headers: Record<string, string>, hasCertificate: boolean) =>
      readOne({
        common: hasCertificate ? { tls_properties } : {},
        request: { request_headers: headers },
      }).identityHash;
    const token = { authorization: `Bearer ${encodeJwt({ sub: 'alice' })}` };
    const certificate = identify({}, true);
    expect(identify({ ...token, 'x-api-key': 'k' }, true)).toBe(identify(token, false));
    expect(identify({ 'x-api-key': 'k' }, true)).toBe(certificate);
    expect(identify({ authorization: 'Bearer opaque' }, true)).toBe(certificate);
    expect(new Set([certificate, identify(token, false), identify({ 'x-api-key': 'k' }, false)]).size).toBe(3);
    expect(identify({ 'x-api-key': 'alice' }, false)).not.toBe(identify(token, false));
  });

  it('is that of an opaque token by a hash that other kinds of credentials do not share, unless it is short', () => {
    const token = 'tok_4f9c2a7d81e6b350';
    const bearer = withHeaders({ authorization: `Bearer ${token}` });
    expect(bearer).toMatchObject({ auth: 'bearer', tokenLifetimeS: 0 });
    expect(bearer.identityHash).toMatch(/^[0-9a-f]{32}$/);
    expect(JSON.stringify(bearer)).not.toContain(token.slice(4));
    expect(withHeaders({ authorization: `bearer  ${token} ` }).identityHash).toBe(bearer.identityHash);
    expect(withHeaders({ authorization: `Bearer ${token}1` }).identityHash).not.toBe(bearer.identityHash);
    expect(withHeaders({ 'x-api-key': token }).identityHash).not.toBe(bearer.identityHash);
    const byQuery = withHeaders({}, `/v1?access_token=${token}`);
    expect(byQuery.identityHash).toBe(bearer.identityHash);
    expect(JSON.stringify(byQuery)).not.toContain(token.slice(4));
    for (const short of ['', 'a', 'secret', 'x'.repeat(15)])
      expect(withHeaders({ authorization: `Bearer ${short}` }), short).toMatchObject({ identityHash: '' });
  });

  it('does not fail on broken tokens and oversized headers', () => {
    for (const authorization of [
      'Bearer eyJ.eyJ.x',
      'Bearer eyJhbGciOiJub25lIn0.W10.x',
      'Bearer eyJhbGciOiJub25lIn0.bnVsbA.',
      `Bearer ${'x'.repeat(60_000)}`,
      `Basic ${'='.repeat(100)}`,
    ]) {
      expect(withHeaders({ authorization }).identityHash, authorization.slice(0, 40)).toBe('');
    }
  });
});

describe('the query of a request', () => {
  it('leaves the names that look like names', () => {
    const query = 'Page=2&filter[name]=x&3f9a8c7d6e5f=1&12345=1&a%20b=1&q=%zz&eyJhbGciOi=1&alice@example.com=1';
    expect(withHeaders({}, `/x?${query}`).queryNames).toEqual(['page', 'filter[name]', 'q']);
  });

  it('leaves at most 32 names of 256 parameters', () => {
    const many = Array.from({ length: 1000 }, (_, i) => `p-${String.fromCharCode(97 + (i % 26))}${i % 10}x${i % 7}=1`);
    expect(withHeaders({}, `/x?${many.join('&')}`).queryNames).toHaveLength(32);
  });

  it('leaves the kinds of personal data, never the data', () => {
    const entry = withHeaders({}, '/x?email=alice%40example.com&ssn=219-09-1234&note=hello');
    expect(entry.queryPii).toEqual(['email', 'ssn']);
    expect(JSON.stringify(entry)).not.toMatch(/alice|219-09/);
  });

  it('shows a parameter that is named like a credential and has a value', () => {
    const signsOf = (query: string) => withHeaders({}, `/x?${query}`).signs;
    for (const name of ['token', 'Access_Token', 'user_password', 'x-api_key', 'jwt', 'secret[]'])
      expect(signsOf(`${name}=s3cret`), name).toEqual(['query_credential']);
    for (const query of ['token=', 'token', 'tokens=x', 'mytoken=x', 'key=x'])
      expect(signsOf(query), query).toEqual([]);
  });
});

describe('the headers of a request and its answer', () => {
  it('leave signs', () => {
    const headers = {
      'content-security-policy': "default-src 'self'",
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'strict-transport-security': 'max-age=1',
      server: 'nginx/1.25',
      'access-control-allow-origin': 'https://evil.example.net',
      'access-control-allow-credentials': 'true',
    };
    const request = { origin: 'https://evil.example.net', 'x-forwarded-proto': 'http, https' };
    expect(withAnswer(headers, request).signs).toEqual([
      'csp',
      'frame_options',
      'nosniff',
      'hsts',
      'banner',
      'cors_reflected',
      'cors_credentials',
      'forwarded_https',
    ]);
    expect(withAnswer({ server: 'envoy', 'access-control-allow-origin': '*' }).signs).toEqual(['cors_any']);
    expect(withAnswer({ 'access-control-allow-origin': 'null' }).signs).toEqual(['cors_null']);
  });

  it.each([
    ['sid=1; Secure; HttpOnly; SameSite=Lax', []],
    ['sid=1; Path=/', ['cookie_no_secure', 'cookie_no_httponly']],
    ['xsrf-token=1; Secure', []],
    ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Secure; HttpOnly,b=2; HttpOnly', ['cookie_no_secure']],
    ['a=1; SameSite=None; HttpOnly', ['cookie_no_secure', 'cookie_samesite_none']],
  ])('leave signs of cookies (%s)', (cookie, signs) => {
    expect(withAnswer({ 'set-cookie': cookie }).signs).toEqual(signs);
  });
});

describe('the decision of the request filter', () => {
  const metadata = (fields: Record<string, string>) => ({
    metadata: { filter_metadata: { 'other.filter': { action: 'x' }, 'flotilla.shield': fields } },
  });
  const blockedBy = (details: string) =>
    readOne({ response: { response_code: 403, response_code_details: details } }, true);

  it('is a block by the engine of its reason', () => {
    expect(blockedBy('ratelimit.exceeded')).toMatchObject({ action: 'block', engine: 'rate_limit' });
    expect(blockedBy('apikey.unknown')).toMatchObject({ action: 'block', engine: 'api_key' });
    expect(blockedBy('body.too_large')).toMatchObject({ action: 'block', engine: 'body' });
    expect(blockedBy('engine.error')).toMatchObject({ action: 'block', engine: '' });
  });

  it('is a detection that the filter has written into the metadata', () => {
    const common = metadata({ action: 'detect', engine: 'jwt', subject: 'alice' });
    expect(readOne({ common }, true)).toMatchObject({ action: 'detect', engine: 'jwt' });
  });

  it('is an allowance only if the filter says so, and empty for a request that it has not inspected', () => {
    expect(readOne({ common: metadata({ action: 'allow' }) }, true)).toMatchObject({ action: 'allow', engine: '' });
    expect(readOne({ common: metadata({ subject: 'alice' }) }, true)).toMatchObject({ action: '', engine: '' });
    expect(readOne({ common: metadata({ action: 'permit' }) }, true)).toMatchObject({ action: '', engine: '' });
    expect(readOne({}, true)).toMatchObject({ action: '', engine: '' });
    expect(readOne({ common: metadata({ action: 'allow' }) }, false)).toMatchObject({ action: '', engine: '' });
    expect(blockedBy('ext_proc_error_gRPC_error_14')).toMatchObject({ action: '' });
    const response = { response_code: 500, response_code_details: 'ext_proc_error_gRPC_error_14' };
    expect(readOne({ common: metadata({ action: 'allow' }), response }, true)).toMatchObject({ action: '' });
  });
});

it('the name of the log is read from the first message', () => {
  const first = encodeMessage({ identifier: { node: { id: 'n' }, log_name: 'http' }, http_logs: { log_entry: [] } });
  expect(reader.readLogName(first)).toBe('http');
  expect(reader.readLogName(encodeRequests(requestOf({})))).toBeUndefined();
  expect(reader.readLogName(Buffer.from([0xff, 0xff]))).toBeUndefined();
});
