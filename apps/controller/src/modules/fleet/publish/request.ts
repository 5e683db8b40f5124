import { isIP } from 'node:net';
import {
  failPublish,
  type Parsed,
  type PublishBody,
  parsePublishedHost,
  parsePublishedPath,
  parseUpstreamTarget,
  type UpstreamTarget,
} from '@flotilla/contract';
import type { Violation } from '@flotilla/kit';

export interface Upstream extends UpstreamTarget {
  readonly weight: number | undefined;
}

/** A request whose hosts, path and upstreams have one spelling each. */
export interface PublishRequest extends Omit<PublishBody, 'upstreams' | 'hosts' | 'path' | 'clients'> {
  readonly upstreams: readonly Upstream[];
  readonly hosts: readonly [string, ...string[]];
  readonly path: string;
  readonly clients: PublishBody['clients'];
}

/** Throws publish.invalid with every problem and the path of its field. */
export function readRequest(body: PublishBody): PublishRequest {
  const problems: Violation[] = [];
  const take = <T>(path: string, parsed: Parsed<T>): T[] => {
    if (parsed.ok) return [parsed.value];
    problems.push({ path, rule: 'format', message: parsed.message });
    return [];
  };
  const upstreams = body.upstreams.flatMap((upstream, i) =>
    take(`upstreams[${i}]`, parseUpstreamTarget(upstream)).map((target) => ({ ...target, weight: upstream.weight })),
  );
  const hosts = body.hosts.flatMap((host, i) => take(`hosts[${i}]`, parsePublishedHost(host)));
  const [path = '/'] = take('path', parsePublishedPath(body.path));
  if (body.health_check) take('health_check.path', parsePublishedPath(body.health_check.path));
  if (problems.length === 0) problems.push(...findRepeated(upstreams, hosts), ...findMixed(body, upstreams));
  const clients = body.clients.map((client) => ({ ...client, client_id: client.client_id.toLowerCase() }));
  if (new Set(clients.map(({ client_id }) => client_id)).size < clients.length)
    problems.push({ path: 'clients', rule: 'unique', message: 'names a client twice' });
  const [first, ...others] = hosts;
  if (problems.length > 0 || first === undefined) throw refuse(problems);
  return { ...body, upstreams, hosts: [first, ...others], path, clients };
}

export function refuse(problems: readonly Violation[]): Error {
  const [first] = problems;
  return failPublish('publish.invalid', { reason: `${first?.path} ${first?.message}` }, { details: problems });
}

function findRepeated(upstreams: readonly Upstream[], hosts: readonly string[]): Violation[] {
  const lists = { upstreams: upstreams.map(({ address, port }) => `${address} ${port ?? ''}`), hosts };
  return Object.entries(lists).flatMap(([path, texts]) => {
    const seen = new Set<string>();
    const index = texts.findIndex((text) => seen.size === seen.add(text).size);
    return index < 0 ? [] : [{ path: `${path}[${index}]`, rule: 'unique', message: 'occurs twice' }];
  });
}

/** Envoy resolves either all endpoints of a cluster or none, and a Unix socket cannot be resolved. */
function findMixed({ upstream_tls: tls }: PublishBody, upstreams: readonly Upstream[]): Violation[] {
  const hasName = upstreams.some((upstream) => isName(upstream));
  const socket = upstreams.findIndex(({ port }) => port === undefined);
  const path = `upstreams[${socket}]`;
  if (socket >= 0 && hasName) return [{ path, rule: 'kind', message: 'is a Unix socket beside host names' }];
  const verifies = tls?.authorities !== undefined && tls.sni === undefined;
  return verifies && !hasName
    ? [{ path: 'upstream_tls.sni', rule: 'required', message: 'is required, because no upstream has a host name' }]
    : [];
}

export function isName({ address, port }: UpstreamTarget): boolean {
  return port !== undefined && isIP(address) === 0;
}
