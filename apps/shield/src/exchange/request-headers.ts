import { type AlikeNames, deriveSourceIp, type RequestView } from '@flotilla/engines';
import { HeaderName, type ProcessingRequestReader } from '@flotilla/grpc-wire';
import { type PathBytes, type PathReadings, readPath, splitTarget } from '@flotilla/policy';
import type { AnsweredRequest } from './answers.ts';
import { type HostReading, type RecentReadings, trimLine } from './recent-readings.ts';

const METHOD = new HeaderName(':method');
const AUTHORITY = new HeaderName(':authority');
const HOST = new HeaderName('host');
const PATH = new HeaderName(':path');
const FORWARDED_FOR = new HeaderName('x-forwarded-for');
const PEER_ATTRIBUTE = 'source.address';

/** Policies use few different header names. */
const NAMES_KEPT_MAX = 1024;
const NO_VALUES: readonly string[] = [];
const NO_HOST: HostReading = { host: '', hosts: undefined };

/**
 * Presents the header message in the reader to engines. One view per reader serves all requests in turn; strings are
 * created on demand, and only once.
 */
export class RequestHeaders implements RequestView, PathBytes, AnsweredRequest {
  readonly #reader: ProcessingRequestReader;
  readonly #recent: RecentReadings;
  readonly #names = new Map<string, HeaderName>();
  /** The last lookup: most policies read one header. */
  #lastName = '';
  #lastHeader = new HeaderName('');
  #host: HostReading | undefined;
  #pathIndex = -1;
  #target: string | undefined;
  #rawPath = '';
  #query = '';
  #paths: PathReadings | undefined;
  #sourceIp: string | undefined;

  constructor(reader: ProcessingRequestReader, recent: RecentReadings) {
    this.#reader = reader;
    this.#recent = recent;
    this.begin();
  }

  /** Resets the view. Call after the reader has read another header message. */
  begin(): void {
    this.#host = undefined;
    this.#pathIndex = this.#reader.headers.find(PATH);
    this.#target = undefined;
    this.#paths = undefined;
    this.#sourceIp = undefined;
  }

  get method(): string {
    const { headers } = this.#reader;
    const index = headers.find(METHOD);
    return index === -1 ? '' : headers.valueAt(index);
  }

  get host(): string {
    return this.#readHost().host;
  }

  get hosts(): readonly string[] | undefined {
    return this.#readHost().hosts;
  }

  #readHost(): HostReading {
    if (this.#host !== undefined) return this.#host;
    const { headers } = this.#reader;
    let index = headers.find(AUTHORITY);
    if (index === -1 || headers.valueStart(index) === headers.valueEnd(index)) index = headers.find(HOST);
    this.#host = index === -1 ? NO_HOST : headers.recallAt(index, this.#recent.hosts);
    return this.#host;
  }

  get pathBytes(): PathBytes | undefined {
    return this.#pathIndex === -1 ? undefined : this;
  }

  get bytes(): Uint8Array {
    return this.#reader.headers.bytes;
  }

  get start(): number {
    return this.#reader.headers.valueStart(this.#pathIndex);
  }

  get end(): number {
    return this.#reader.headers.valueEnd(this.#pathIndex);
  }

  /** The value of `:path`, as sent. */
  get target(): string {
    if (this.#target === undefined) {
      this.#target = (this.#pathIndex === -1 ? '' : this.#reader.headers.valueAt(this.#pathIndex)) || '/';
      const { path, query } = splitTarget(this.#target);
      this.#rawPath = path;
      this.#query = query;
    }
    return this.#target;
  }

  get rawPath(): string {
    return this.target === '' ? '' : this.#rawPath;
  }

  get query(): string {
    return this.target === '' ? '' : this.#query;
  }

  get paths(): PathReadings {
    this.#paths ??= readPath(this.rawPath, this.query);
    return this.#paths;
  }

  get sourceIp(): string {
    this.#sourceIp ??= this.#readSourceIp();
    return this.#sourceIp;
  }

  #readSourceIp(): string {
    const { headers } = this.#reader;
    const index = headers.find(FORWARDED_FOR);
    if (index !== -1 && headers.find(FORWARDED_FOR, index + 1) === -1) {
      return headers.recallAt(index, this.#recent.sourceIps);
    }
    const forwardedFor = index === -1 ? NO_VALUES : this.#lines(FORWARDED_FOR, index);
    const peerAddress = index === -1 ? this.#reader.attribute(PEER_ATTRIBUTE) : '';
    return deriveSourceIp({ forwardedFor, peerAddress }, this.#recent.trustedHops);
  }

  header(name: string): readonly string[] {
    const wanted = this.#nameOf(name);
    const index = this.#reader.headers.find(wanted);
    return index === -1 ? NO_VALUES : this.#lines(wanted, index);
  }

  findNames(alike: AlikeNames): readonly string[] {
    const { headers } = this.#reader;
    let names: string[] | undefined;
    for (let index = 0; index < headers.count; index++) {
      if (!alike.lengths.has(headers.nameLength(index))) continue;
      const name = headers.nameAt(index);
      if (!alike.has(name)) continue;
      names ??= [];
      names.push(name);
    }
    return names ?? NO_VALUES;
  }

  /** All lines of a header whose first one is at `first`. */
  #lines(name: HeaderName, first: number): readonly string[] {
    const { headers } = this.#reader;
    let index = headers.find(name, first + 1);
    if (index === -1) return headers.recallAt(first, this.#recent.lines);
    const values = [trimLine(headers.valueAt(first))];
    for (; index !== -1; index = headers.find(name, index + 1)) values.push(trimLine(headers.valueAt(index)));
    return values;
  }

  #nameOf(name: string): HeaderName {
    if (name === this.#lastName) return this.#lastHeader;
    let header = this.#names.get(name);
    if (header === undefined) {
      if (this.#names.size >= NAMES_KEPT_MAX) this.#names.clear();
      header = new HeaderName(name);
      this.#names.set(name, header);
    }
    this.#lastName = name;
    this.#lastHeader = header;
    return header;
  }
}
