import { TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { type Listening, startHono, startHonoGraphql, startYoga } from '@flotilla/upstreams';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FilteredEnvoy, startFilteredEnvoy } from './testing/filtered-envoy.ts';
import { RawClient } from './testing/raw-client.ts';

const FORM = 'application/x-www-form-urlencoded';
const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: readers }
spec:
  defaults: { inspect_request_body: true, max_request_body_bytes: 4096 }
  domains:
    - hosts: [api.example.com]
      policy:
        engines:
          graphql: { paths: [/graphql], block_introspection: true, max_depth: 2, content_types: [application/json, ${FORM}] }
    - hosts: [keys.example.com]
      policy: { engines: { api_key: { keys: [{ key: posting, subject: writer, methods: [POST] }] } } }
`;
const INTROSPECTION = 'query={__schema{queryType{name}}}';
const DEEP = 'query={a{b{c}}}';

const SERVERS = ['yoga', 'hono-graphql', 'hono'] as const;

/** Each server behind the filter, and behind the same Envoy without it. */
function describeListeners() {
  return Object.fromEntries(
    SERVERS.flatMap((cluster) => {
      const routes = [{ match: { prefix: '/' }, route: { cluster } }];
      return [
        [cluster, { routes }],
        [`${cluster} without filter`, { routes, isOpen: true }],
      ];
    }),
  );
}

const clusterOf = (name: string, port: number) => ({
  name,
  type: 'STATIC',
  load_assignment: {
    cluster_name: name,
    endpoints: [
      { lb_endpoints: [{ endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: port } } } }] },
    ],
  },
});

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s,', (version) => {
  let filtered: FilteredEnvoy;
  let servers: readonly Listening[] = [];

  beforeAll(async () => {
    servers = await Promise.all([startYoga(), startHonoGraphql(), startHono()]);
    const clusters = servers.map(({ port }, at) => clusterOf(SERVERS[at] ?? '', port));
    filtered = await startFilteredEnvoy({ version, policy: POLICY, listeners: describeListeners(), clusters });
  });

  afterAll(async () => {
    await filtered?.close();
    await Promise.all(servers.map((server) => server.close()));
  });

  async function send(listener: string, line: string, { body = '', headers = '' } = {}) {
    const client = new RawClient(filtered.envoy.portOf(listener));
    const host = listener.startsWith('hono-graphql') || listener.startsWith('yoga') ? 'api' : 'keys';
    const type = body === '' ? '' : `content-type: ${FORM}\r\n`;
    const head = `${line} HTTP/1.1\r\nhost: ${host}.example.com\r\n${type}${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    const answer = await client.send(Buffer.from(head + body));
    client.close();
    return { status: answer.status, text: answer.body.toString() };
  }

  it('foreign servers get no GraphQL query that another question mark hides (attack 6)', async () => {
    const hidden = [
      { server: 'yoga', line: `GET /graphql??${INTROSPECTION}`, answer: '"queryType"' },
      { server: 'yoga', line: `GET /graphql??${DEEP}`, answer: '"c":1' },
      { server: 'yoga', line: 'POST /graphql', body: `?${DEEP}`, answer: '"c":1' },
      { server: 'yoga', line: 'POST /graphql', body: `?${INTROSPECTION}`, answer: '"queryType"' },
      { server: 'hono-graphql', line: 'POST /graphql', body: `?${DEEP}`, answer: '"c":1' },
      { server: 'hono-graphql', line: 'POST /graphql', body: `\ufeff?${INTROSPECTION}`, answer: '"queryType"' },
    ];
    for (const { server, line, answer, body } of hidden) {
      const open = await send(`${server} without filter`, line, { body });
      expect(open, `${server} executes ${line} ${body}`).toMatchObject({
        status: 200,
        text: expect.stringContaining(answer),
      });
      expect((await send(server, line, { body })).status, `${line} ${body}`).toBe(403);
    }
  });

  it('foreign servers get every query that the policy allows, after question marks or not (attack 6)', async () => {
    for (const server of ['yoga', 'hono-graphql']) {
      expect(await send(server, 'GET /graphql?query={c}')).toMatchObject({
        status: 200,
        text: expect.stringContaining('"c":1'),
      });
      expect(await send(server, 'POST /graphql', { body: '?query={c}' })).toMatchObject({
        status: 200,
        text: expect.stringContaining('"c":1'),
      });
    }
    expect(await send('yoga', 'GET /graphql?query={c(s:"what?")}')).toMatchObject({ status: 200 });
  });

  it('foreign servers do not use another method for a POST with a key (attack 7)', async () => {
    const headers = 'x-api-key: posting\r\n';
    const isMethod = (method: string) => expect.stringContaining(`"method":"${method}"`);
    for (const body of ['_method=DELETE', '?_method=DELETE', '?%5Fmethod=DELETE', '?a=1&_method=PUT']) {
      const open = await send('hono without filter', 'POST /x', { body, headers });
      expect(open, body).toMatchObject({ status: 200, text: isMethod(body.includes('PUT') ? 'PUT' : 'DELETE') });
      expect((await send('hono', 'POST /x', { body, headers })).status, body).toBe(403);
    }
    for (const line of ['POST /x??_method=DELETE', 'POST /x%3F_method=DELETE'])
      expect((await send('hono', line, { headers })).status, line).toBe(403);
    expect(await send('hono', 'POST /x', { body: '?_method=POST', headers })).toMatchObject({
      status: 200,
      text: isMethod('POST'),
    });
    expect(await send('hono', 'POST /x?a=what?', { body: 'a=1', headers })).toMatchObject({ status: 200 });
  });
});
