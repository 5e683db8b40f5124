import { type AlikeNames, deriveSourceIp, parseAddress, type RequestView } from '@flotilla/engines';
import { canonicalHost, findAuthority, type PathReadings, readHosts, readPath, splitTarget } from '@flotilla/policy';
import type { ExplainedRequest } from './explanation.ts';
import type { TrialRequest } from './trial-request.ts';

const NO_LINES: readonly string[] = [];

/** A trial request as engines see it, read by the same functions as a live request. */
export class TrialView implements RequestView {
  readonly method: string;
  readonly host: string;
  readonly hosts: readonly string[] | undefined;
  readonly rawPath: string;
  readonly query: string;
  readonly paths: PathReadings;
  readonly sourceIp: string;
  readonly sourceIpFrom: ExplainedRequest['source_ip_from'];
  readonly #lines: ReadonlyMap<string, readonly string[]>;

  constructor(request: TrialRequest) {
    const lines = groupLines(request);
    this.#lines = lines;
    this.method = request.method;
    const authority =
      request.host ?? lines.get(':authority')?.[0] ?? lines.get('host')?.[0] ?? findAuthority(request.url) ?? '';
    this.host = canonicalHost(authority);
    this.hosts = readHosts(authority);
    const { path, query } = splitTarget(request.url);
    this.rawPath = path;
    this.query = query;
    this.paths = readPath(path, query);
    const forwardedFor = this.header('x-forwarded-for');
    this.sourceIp =
      request.source_ip === undefined
        ? deriveSourceIp({ forwardedFor, peerAddress: request.peer ?? '' }, request.trusted_hops ?? 0)
        : parseAddress(request.source_ip);
    if (this.sourceIp === '') this.sourceIpFrom = 'unknown';
    else if (request.source_ip !== undefined) this.sourceIpFrom = 'given';
    else
      this.sourceIpFrom = request.peer !== undefined && (request.trusted_hops ?? 0) === 0 ? 'peer' : 'x-forwarded-for';
  }

  header(name: string): readonly string[] {
    return this.#lines.get(name) ?? NO_LINES;
  }

  findNames(alike: AlikeNames): readonly string[] {
    return [...this.#lines].flatMap(([name, { length }]) => (alike.has(name) ? Array<string>(length).fill(name) : []));
  }
}

/** The bytes of the body as sent; undefined if the trial has none. */
export function bodyOfTrial(request: TrialRequest): Buffer | undefined {
  if (request.body_base64 !== undefined) return Buffer.from(request.body_base64, 'base64');
  return request.body === undefined ? undefined : Buffer.from(request.body);
}

function groupLines({ headers = [], peer }: TrialRequest): ReadonlyMap<string, readonly string[]> {
  const lines = new Map<string, string[]>();
  const add = (name: string, value: string) => {
    const known = lines.get(name);
    if (known === undefined) lines.set(name, [value]);
    else known.push(value);
  };
  for (const [name, value] of headers) add(name.toLowerCase(), value.trim());
  // With `use_remote_address`, Envoy has appended its peer's address before the filter sees the request.
  const address = peer === undefined ? '' : parseAddress(peer);
  if (address !== '') add('x-forwarded-for', address);
  return lines;
}
