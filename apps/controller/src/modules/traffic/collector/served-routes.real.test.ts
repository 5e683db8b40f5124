import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RouteNames, readRouteTable } from '@flotilla/inventory';
import { ensureTestEnvoy, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';

type Json = Readonly<Record<string, unknown>>;

const TEMPLATE_POLICY = 'type.googleapis.com/envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig';
const template = (path_template: string): Json => ({
  path_match_policy: {
    name: 'envoy.path.match.uri_template.uri_template_matcher',
    typed_config: { '@type': TEMPLATE_POLICY, path_template },
  },
});
const regex = (text: string): Json => ({ safe_regex: { regex: text } });
const onMethod = (string_match: Json, more: Json = {}): Json => ({
  headers: [{ name: ':method', string_match, ...more }],
});

/** The forms that routes take. Tables are random choices of them, in random orders. */
const MATCHES: readonly Json[] = [
  { path: '/users/123' },
  { path: '/users/me' },
  { path: '/Users/Me', case_sensitive: false },
  { path: '/users' },
  { path: '/a%20b' },
  { prefix: '/' },
  { prefix: '/users/1' },
  { prefix: '/API/', case_sensitive: false },
  { path_separated_prefix: '/users/7' },
  { path_separated_prefix: '/api/v1' },
  template('/users/{id}'),
  template('/users/*/orders'),
  template('/users/{user}/orders/{order}'),
  template('/{name=users/*}/carts'),
  template('/files/{path=**}'),
  template('/files/**'),
  template('/reports/{id}.json'),
  template('/api/v1/{kind}/{id}'),
  regex('/users/[^/]+'),
  regex('^/users/(\\d+)/orders$'),
  regex('/users/(?P<user>[a-z]+)/?'),
  regex('/api/v[0-9]+/.*'),
  regex('/(users|files)/x'),
  regex('/files/[a-z]+\\.json'),
];
const METHODS: readonly Json[] = [
  {},
  {},
  {},
  onMethod({ exact: 'GET' }),
  onMethod({ exact: 'POST' }),
  onMethod({ exact: 'get', ignore_case: true }),
  onMethod({ exact: 'GET' }, { invert_match: true }),
  onMethod({ safe_regex: { regex: 'GET|PUT' } }),
  onMethod({ prefix: 'P' }),
];
const DOMAINS = [
  '*',
  '*.example',
  '*.shop.example',
  'www.*',
  'a.example',
  'A.SHOP.example',
  'a.example:8080',
  '*-x.example',
];

const PATHS = [
  '/users',
  '/users/',
  '/users/123',
  '/users/124',
  '/users/me',
  '/USERS/ME',
  '/users/7',
  '/users/7/',
  '/users/7/orders',
  '/users/7/orders/9',
  '/users/abc',
  '/users/abc/',
  '/users/7/carts',
  '/users/x',
  '/files/a',
  '/files/a/b',
  '/files/',
  '/files/x',
  '/files/abc.json',
  '/reports/7.json',
  '/reports/.json',
  '/api/v1',
  '/api/v1/x',
  '/api/v1/orders/9',
  '/api/v12/y/z',
  '/aPi/x',
  '/a%20b',
  '/users/123?x=/users/me',
  '/users/%41',
  '/',
];
const HOSTS = [
  'a.example',
  'A.Example',
  'b.example',
  'x.shop.example',
  'a.shop.example',
  'www.test',
  'a.example:8080',
  'a.example:9090',
  'q-x.example',
  '-x.example',
  'other.test',
];

/** A small generator, so that each run tries the same tables. */
function createRandom(start: number) {
  let state = start;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const pick = <T>(list: readonly T[]): T => list[next(list.length)] as T;
  return { next, pick };
}

/** Route configurations whose routes answer with the place of the route: `host/route`. */
function createTables(count: number): Json[] {
  const { next, pick } = createRandom(20_261_128);
  return Array.from({ length: count }, (_, table) => {
    const domains = new Set(Array.from({ length: 4 }, () => pick(DOMAINS)));
    const virtual_hosts = [...domains].map((domain, host) => ({
      name: `host-${host}`,
      domains: [domain],
      routes: Array.from({ length: 1 + next(7) }, (__, route) => ({
        match: { ...pick(MATCHES), ...pick(METHODS) },
        direct_response: { status: 200, body: { inline_string: `${host}/${route}` } },
      })),
    }));
    return { name: `table-${table}`, ignore_port_in_host_matching: next(2) === 1, virtual_hosts };
  });
}

function toListener(table: Json, path: string): Json {
  const router = {
    name: 'router',
    typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
  };
  return {
    name: String(table.name),
    address: { pipe: { path } },
    filter_chains: [
      {
        filters: [
          {
            name: 'http',
            typed_config: {
              '@type':
                'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
              stat_prefix: 'x',
              route_config: table,
              http_filters: [router],
            },
          },
        ],
      },
    ],
  };
}

async function startEnvoy(version: string, tables: readonly Json[]) {
  const { path: binary } = await ensureTestEnvoy(version);
  const dir = await mkdtemp(join(tmpdir(), 'served-routes-'));
  const sockets = tables.map((_, index) => join(dir, `${index}.sock`));
  const listeners = tables.map((table, index) => toListener(table, sockets[index] ?? ''));
  const config = join(dir, 'bootstrap.json');
  await writeFile(config, JSON.stringify({ static_resources: { listeners } }));
  const child = spawn(binary, ['-c', config, '--disable-hot-restart', '--concurrency', '1', '-l', 'error'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += String(chunk);
  });
  onTestFinished(async () => {
    await end(child);
    await rm(dir, { recursive: true, force: true });
  });
  const asked = { method: 'GET', host: 'a.example', path: '/' };
  const isUp = () =>
    ask(sockets.at(-1) ?? '', asked).then(
      () => true,
      () => false,
    );
  await expect.poll(async () => child.exitCode !== null || (await isUp())).toBe(true);
  expect(child.exitCode, log).toBeNull();
  return sockets;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** The place of the route that Envoy chose; undefined if it chose none. */
function ask(
  socketPath: string,
  { method, host, path }: { method: string; host: string; path: string },
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method, path, headers: { host }, timeout: 30_000 }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      answer.on('end', () => resolve(answer.statusCode === 200 ? body : undefined));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** The name that the only route of a table gives, whatever the others are. */
function nameBy(match: Json, path: string): string | undefined {
  const virtual_hosts = [{ domains: ['*'], routes: [{ match }] }];
  const table = readRouteTable({ virtual_hosts }, { resolve: (value) => value, room: 1 });
  return new RouteNames({ tables: [table], places: { here: [0] } }).find({
    method: 'GET',
    authority: 'x',
    path,
    place: 'here',
  });
}

describe.each(TIER_ENVOY_VERSIONS)('names by routes, compared with Envoy %s', { timeout: 240_000 }, (version) => {
  it('are those of the route that Envoy chooses, for every request', async () => {
    const tables = createTables(24);
    const sockets = await startEnvoy(version, tables);
    const { pick } = createRandom(7);
    let named = 0;
    for (const [index, table] of tables.entries()) {
      const read = readRouteTable(table, { resolve: (value) => value, room: 1000 });
      const names = new RouteNames({ tables: [read], places: { here: [0] } });
      const hosts = table.virtual_hosts as { routes: { match: Json }[] }[];
      for (let round = 0; round < 120; round += 1) {
        const sent = { method: pick(['GET', 'POST', 'PUT', 'DELETE']), host: pick(HOSTS), path: pick(PATHS) };
        const chosen = await ask(sockets[index] ?? '', sent);
        const name = names.find({ method: sent.method, authority: sent.host, path: sent.path, place: 'here' });
        const [host = 0, route = 0] = (chosen ?? '').split('/').map(Number);
        const { headers: _, ...match } = hosts[host]?.routes[route]?.match ?? {};
        const expected = chosen === undefined ? undefined : nameBy(match, sent.path);
        expect(name, JSON.stringify({ sent, chosen, match, table })).toBe(expected);
        if (name !== undefined) named += 1;
      }
    }
    expect(named).toBeGreaterThan(200);
  });
});
