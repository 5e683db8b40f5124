import { Buffer } from 'node:buffer';
import { failCloudLookup } from '@flotilla/contract';
import * as z from 'zod';
import type { AddressGuard, OutboundAnswer } from '../../../../platform/outbound/index.ts';
import type { ChangedPort } from './answers.ts';
import { callCloud, readAnswer, refusedBy } from './cloud.ts';
import type { CloudSessions, SessionOwner } from './sessions.ts';

const PAGE_SIZE = 500;
const PAGES_MAX = 100;

type Query = Readonly<Record<string, string | readonly string[]>>;

interface Call {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** The Networking API v2.0 of a cloud, for one project of it. */
export class Networking {
  readonly #sessions: CloudSessions;
  readonly #owner: SessionOwner;
  readonly #guard: AddressGuard;

  constructor(sessions: CloudSessions, owner: SessionOwner, guard: AddressGuard) {
    this.#sessions = sessions;
    this.#owner = owner;
    this.#guard = guard;
  }

  /**
   * Reads all pages of a collection. A cloud may send smaller pages than were asked for: its link to the next page decides.
   * The link itself is not followed, because it could lead elsewhere.
   */
  async list<S extends z.ZodType<{ readonly id: string }>>(
    collection: 'ports' | 'networks' | 'subnets',
    record: S,
    query: Query,
  ): Promise<z.output<S>[]> {
    const page = z.object({
      [collection]: z.array(record),
      [`${collection}_links`]: z.array(z.object({ rel: z.string() })).optional(),
    });
    const records: z.output<S>[] = [];
    for (let marker: string | undefined, pages = 0; ; pages += 1) {
      if (pages === PAGES_MAX) throw this.#invalid(`it has more than ${PAGES_MAX} pages of ${collection}`);
      const body = await this.#get(collection, page, {
        ...query,
        limit: String(PAGE_SIZE),
        ...(marker && { marker }),
      });
      const found = (body[collection] ?? []) as z.output<S>[];
      records.push(...found);
      const links = (body[`${collection}_links`] ?? []) as readonly { readonly rel: string }[];
      const last = found.at(-1)?.id;
      if (!last || !links.some(({ rel }) => rel === 'next')) return records;
      if (last === marker) throw this.#invalid(`its pages of ${collection} do not end`);
      marker = last;
    }
  }

  /**
   * Replaces the address pairs of a port, unless it has changed since it was read. False: it has. A cloud that knows no revisions
   * writes in any case.
   */
  async replacePairs(
    { id, revision_number: revision }: Pick<ChangedPort, 'id' | 'revision_number'>,
    pairs: ChangedPort['allowed_address_pairs'],
  ): Promise<boolean> {
    const answer = await this.#call({
      method: 'PUT',
      path: `ports/${encodeURIComponent(id)}`,
      headers: {
        'content-type': 'application/json',
        ...(revision !== undefined && { 'if-match': `revision_number=${revision}` }),
      },
      body: Buffer.from(JSON.stringify({ port: { allowed_address_pairs: pairs } })),
    });
    if (answer.status === 412) return false;
    if (answer.status !== 200) throw refusedBy(this.#owner.cloud, answer);
    return true;
  }

  async #get<S extends z.ZodType>(path: string, schema: S, query: Query): Promise<z.output<S>> {
    const { cloud } = this.#owner;
    const answer = await this.#call({ method: 'GET', path, query });
    if (answer.status !== 200) throw refusedBy(cloud, answer);
    return readAnswer(cloud, schema, answer);
  }

  /** Signs in again if the cloud refuses the token. */
  async #call(request: Call): Promise<OutboundAnswer> {
    const session = await this.#sessions.get(this.#owner, this.#guard);
    const answer = await this.#send(session, request);
    if (answer.status !== 401) return answer;
    await this.#sessions.drop(this.#owner, session);
    return this.#send(await this.#sessions.get(this.#owner, this.#guard), request);
  }

  #send(
    { networking, token }: { readonly networking: string; readonly token: string },
    { method, path, query = {}, headers, body }: Call,
  ): Promise<OutboundAnswer> {
    const url = new URL(`${networking}/${path}`);
    for (const [name, values] of Object.entries(query))
      for (const value of [values].flat()) url.searchParams.append(name, value);
    const request = {
      method,
      url: url.href,
      headers: { 'x-auth-token': token, accept: 'application/json', ...headers },
      ...(body && { body }),
    };
    return callCloud(this.#owner.cloud, request, this.#guard);
  }

  #invalid(reason: string): Error {
    return failCloudLookup('cloud.invalid_answer', { cloud: this.#owner.cloud.name, reason });
  }
}
