import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { listenAsUpstream } from './listen.ts';
import type { CloudRecord, CloudRecords } from './openstack-records.ts';

export * from './openstack-records.ts';

type Json = Readonly<Record<string, unknown>>;

const COLLECTIONS: readonly Collection[] = ['ports', 'networks', 'subnets'];
type Collection = keyof CloudRecords;

export interface OpenStackOptions {
  readonly records: CloudRecords;
  /** The largest page, whatever `limit` says, like `pagination_max_limit` of Neutron. */
  readonly pageMax?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Milliseconds for which a token is valid. */
  readonly tokenMs?: number;
  /** Answers instead of the server if it returns something. */
  readonly instead?: (request: IncomingMessage) => { readonly status: number; readonly body: string } | undefined;
  /** Runs when a write of this port has arrived, before it is checked. */
  readonly beforeWrite?: (portId: string) => void;
  /** Address of the Networking API in the catalog; by default that of this server. */
  readonly networkUrl?: string;
}

/** `max_allowed_address_pair` of Neutron. */
const PAIRS_MAX = 10;

export const CREDENTIAL = { id: 'c0ffee', secret: 'Sesame-4711' } as const;
export const CLOUD_USER = { name: 'flo', domain: 'Default', password: 'Open-4711' } as const;
export const CLOUD_PROJECT = '0123456789abcdef0123456789abcdef';
export const CLOUD_REGION = 'north';

/**
 * The Identity API v3 and the Networking API v2.0 of an OpenStack cloud, as far as Flotilla and openstacksdk use them.
 * Refuses what the real ones refuse, and query parameters that it does not know. `requests` lists what was asked.
 */
export class OpenStackServer {
  readonly url: string;
  readonly requests: string[] = [];
  readonly #options: OpenStackOptions;
  readonly #server: ReturnType<typeof createServer>;
  readonly #tokens = new Map<string, number>();
  readonly #changed = new Map<string, CloudRecord>();

  private constructor(server: ReturnType<typeof createServer>, options: OpenStackOptions) {
    this.#server = server;
    this.#options = options;
    this.url = `${options.tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(options: OpenStackOptions): Promise<OpenStackServer> {
    let opened: OpenStackServer | undefined;
    const listener = (request: IncomingMessage, response: ServerResponse) => {
      void opened?.answer(request, response);
    };
    const server = await listenAsUpstream(() =>
      options.tls ? createTlsServer(options.tls, listener) : createServer(listener),
    );
    opened = new OpenStackServer(server, options);
    return opened;
  }

  /** Ends all tokens, as the expiry of a signing key does. */
  revokeTokens(): void {
    this.#tokens.clear();
  }

  countSignIns(): number {
    return this.requests.filter((line) => line.startsWith('POST ')).length;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    this.requests.push(`${request.method} ${url.pathname}${url.search}`);
    const instead = this.#options.instead?.(request);
    if (instead) return send(response, instead.status, instead.body);
    if (request.method === 'POST' && url.pathname === '/v3/auth/tokens')
      return this.#signIn(JSON.parse(await text(request)), response);
    if (request.method === 'PUT') return this.#changePort(request, response, url);
    if (request.method !== 'GET') return send(response, 405, '{}');
    if (url.pathname === '/v3' || url.pathname === '/v3/')
      return sendJson(response, 200, { version: this.#version('v3.14', `${this.url}/v3/`) });
    if (url.pathname === '/v2.0' || url.pathname === '/v2.0/') return sendJson(response, 200, { resources: [] });
    if (url.pathname === '/')
      return sendJson(response, 200, { versions: [this.#version('v2.0', `${this.url}/v2.0/`)] });
    const [, version, collection, ...rest] = url.pathname.split('/');
    if (version !== 'v2.0' || rest.length > 0 || !isCollection(collection)) return sendNeutronError(response, 404);
    if (!this.#isSignedIn(request)) return sendJson(response, 401, { error: { code: 401, message: 'Unauthorized' } });
    return this.#list(collection, url, response);
  }

  #version(id: string, href: string) {
    return { id, status: id.startsWith('v3') ? 'stable' : 'CURRENT', links: [{ rel: 'self', href }] };
  }

  #isSignedIn({ headers }: IncomingMessage): boolean {
    const end = this.#tokens.get(String(headers['x-auth-token']));
    return end !== undefined && end > Date.now();
  }

  #signIn(body: Json, response: ServerResponse): void {
    const project = judgeCredential(body);
    if (project === undefined) {
      const message = 'The request you have made requires authentication.';
      sendJson(response, 401, { error: { code: 401, title: 'Unauthorized', message } });
      return;
    }
    const token = `token-${this.#tokens.size}-${Math.random().toString(36).slice(2)}`;
    const end = Date.now() + (this.#options.tokenMs ?? 3_600_000);
    this.#tokens.set(token, end);
    const url = this.#options.networkUrl ?? this.url;
    response.setHeader('x-subject-token', token);
    sendJson(response, 201, {
      token: {
        methods: ['password'],
        expires_at: new Date(end).toISOString().replace('Z', '000Z'),
        issued_at: new Date().toISOString().replace('Z', '000Z'),
        user: { id: 'u1', name: CLOUD_USER.name, domain: { id: 'default', name: 'Default' } },
        ...(project !== '' && {
          project: { id: project, name: 'demo', domain: { id: 'default', name: 'Default' } },
          catalog: [
            { type: 'identity', name: 'keystone', id: 'i', endpoints: [endpoint('public', CLOUD_REGION, `${url}/v3`)] },
            {
              type: 'network',
              name: 'neutron',
              id: 'n',
              endpoints: [
                endpoint('public', 'south', 'https://south.example.com:9696'),
                endpoint('admin', CLOUD_REGION, 'https://admin.example.com:9696'),
                endpoint('public', CLOUD_REGION, url),
              ],
            },
          ],
        }),
      },
    });
  }

  /** The record of a port as it is now. */
  readPort(id: string): Json {
    return this.#changed.get(id) ?? this.#options.records.ports.find((port) => port.id === id) ?? {};
  }

  /** Changes a port as another client of the cloud does. */
  writePort(id: string, change: Json): void {
    const before = this.readPort(id);
    const revision = typeof before.revision_number === 'number' ? { revision_number: before.revision_number + 1 } : {};
    this.#changed.set(id, { ...before, ...change, ...revision, id });
  }

  /** Only address pairs can be changed. Neutron completes them, and refuses a second pair with the same parts. */
  async #changePort(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    if (!this.#isSignedIn(request)) return sendJson(response, 401, { error: { code: 401, message: 'Unauthorized' } });
    const [, version, collection, id = '', ...rest] = url.pathname.split('/');
    const before = this.readPort(id);
    if (version !== 'v2.0' || collection !== 'ports' || rest.length > 0 || before.id === undefined)
      return sendNeutronError(response, 404, `Port ${id} could not be found.`);
    const { port } = JSON.parse(await text(request)) as { port?: { allowed_address_pairs?: readonly Json[] } };
    this.#options.beforeWrite?.(id);
    const match = /^revision_number=(\d+)$/.exec(String(request.headers['if-match'] ?? ''));
    const current = this.readPort(id);
    if (match && Number(match[1]) !== current.revision_number)
      return sendNeutronError(response, 412, `Constrained to ${match[1]}, but current revision is different.`);
    const pairs = (port?.allowed_address_pairs ?? []).map((pair) => ({ mac_address: current.mac_address, ...pair }));
    const keys = pairs.map((pair) => JSON.stringify([pair.mac_address, (pair as Json).ip_address]));
    if (new Set(keys).size < keys.length)
      return sendNeutronError(response, 400, 'Request contains duplicate address pair.');
    if (pairs.length > PAIRS_MAX)
      return sendNeutronError(response, 400, `Exceeded maximum allowed address pair limit of ${PAIRS_MAX}.`);
    this.writePort(id, { allowed_address_pairs: pairs });
    sendJson(response, 200, { port: this.readPort(id) });
  }

  #list(collection: Collection, url: URL, response: ServerResponse): void {
    const { pageMax = 1000 } = this.#options;
    const { networks, subnets, ports } = this.#options.records;
    const records = { networks, subnets, ports: ports.map((port) => this.#changed.get(port.id) ?? port) };
    const { limit, marker, fields, filters } = readQuery(url.searchParams);
    const unknown = Object.keys(filters).filter((name) => !records[collection].some((record) => name in record));
    const all = records[collection].filter((record) =>
      Object.entries(filters).every(([name, values]) => values.includes(String(record[name]))),
    );
    const start = marker === null ? 0 : all.findIndex(({ id }) => id === marker) + 1;
    const problem =
      unknown.length > 0
        ? `['${unknown.join("', '")}'] is invalid attribute`
        : marker !== null && start === 0 && `The marker ${marker} was not found`;
    if (problem) sendNeutronError(response, 400, problem);
    else {
      const size = limit === null ? pageMax : Math.min(Number(limit), pageMax);
      const page = all.slice(start, start + size);
      const next = new URL(url);
      next.searchParams.set('marker', page.at(-1)?.id ?? '');
      const hasMore = limit !== null && start + size < all.length;
      sendJson(response, 200, {
        [collection]: page.map((record) => pick(record, fields)),
        ...(hasMore && { [`${collection}_links`]: [{ rel: 'next', href: next.href }] }),
      });
    }
  }
}

function pick(record: Json, fields: readonly string[]): Json {
  if (fields.length === 0) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => fields.includes(name)));
}

function isCollection(name: string | undefined): name is Collection {
  return COLLECTIONS.some((collection) => collection === name);
}

function readQuery(query: URLSearchParams) {
  const names = [...new Set(query.keys())].filter((name) => !['limit', 'marker', 'fields'].includes(name));
  const filters = Object.fromEntries(names.map((name) => [name, query.getAll(name)]));
  return { limit: query.get('limit'), marker: query.get('marker'), fields: query.getAll('fields'), filters };
}

function endpoint(kind: string, region: string, url: string) {
  return { id: `${kind}-${region}`, interface: kind, region, region_id: region, url };
}

/** The project of the token: empty for a token without a scope, undefined for a refused credential. */
function judgeCredential(body: Json): string | undefined {
  // biome-ignore lint/suspicious/noExplicitAny: a body of a test
  const { identity, scope } = (body as any).auth ?? {};
  const [method, ...more] = identity?.methods ?? [];
  if (more.length > 0) return undefined;
  if (method === 'application_credential') {
    const { id, secret } = identity.application_credential ?? {};
    // The Identity API refuses to scope an application credential to something else.
    if (id !== CREDENTIAL.id || secret !== CREDENTIAL.secret || scope !== undefined) return undefined;
    return CLOUD_PROJECT;
  }
  const { name, domain, password } = identity?.password?.user ?? {};
  const isUser = name === CLOUD_USER.name && password === CLOUD_USER.password && domain?.name === CLOUD_USER.domain;
  if (method !== 'password' || !isUser) return undefined;
  if (scope === undefined) return '';
  return scope.project?.id === CLOUD_PROJECT ? CLOUD_PROJECT : undefined;
}

function sendNeutronError(response: ServerResponse, status: number, message = 'The resource could not be found.') {
  sendJson(response, status, { NeutronError: { type: 'HTTPError', message, detail: '' } });
}

function sendJson(response: ServerResponse, status: number, body: Json): void {
  send(response, status, JSON.stringify(body));
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
