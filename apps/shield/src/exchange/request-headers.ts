import { deriveSourceIp, type RequestView } from '@flotilla/engines';
import { HeaderName, type ProcessingRequestReader } from '@flotilla/grpc-wire';
import { canonicalHost, readHosts, readPath, splitTarget } from '@flotilla/policy';

const METHOD = new HeaderName(':method');
const AUTHORITY = new HeaderName(':authority');
const HOST = new HeaderName('host');
const PATH = new HeaderName(':path');
const FORWARDED_FOR = 'x-forwarded-for';
const PEER_ATTRIBUTE = 'source.address';

/** Names of headers that policies ask for are few and the same all the time. */
const NAMES_KEPT_MAX = 1024;
const NO_VALUES: readonly string[] = [];

/**
 * The view of engines over the header message that a reader has just read. One view per reader serves one request after
 * another; nothing is made a text before an engine asks for it, and nothing twice.
 */
export class RequestHeaders implements RequestView {
  readonly #reader: ProcessingRequestReader;
  readonly #trustedHops: number;
  readonly #names = new Map<string, HeaderName>();
  #host: string | undefined;
  #target: string | undefined;
  #rawPath = '';
  #query = '';
  #paths: readonly string[] | undefined;
  #sourceIp: string | undefined;

  constructor(reader: ProcessingRequestReader, trustedHops: number) {
    this.#reader = reader;
    this.#trustedHops = trustedHops;
  }

  /** Forgets the request before. Call it when the reader has read another header message. */
  begin(): void {
    this.#host = undefined;
    this.#target = undefined;
    this.#paths = undefined;
    this.#sourceIp = undefined;
  }

  get method(): string {
    return this.#first(METHOD);
  }

  get host(): string {
    this.#host ??= canonicalHost(this.#authority);
    return this.#host;
  }

  get hosts(): readonly string[] | undefined {
    return readHosts(this.#authority);
  }

  get #authority(): string {
    return this.#first(AUTHORITY) || this.#first(HOST);
  }

  /** The value of `:path`, as sent. */
  get target(): string {
    if (this.#target === undefined) {
      this.#target = this.#first(PATH) || '/';
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

  get paths(): readonly string[] {
    this.#paths ??= readPath(this.rawPath);
    return this.#paths;
  }

  get sourceIp(): string {
    if (this.#sourceIp === undefined) {
      const forwardedFor = this.header(FORWARDED_FOR);
      const peerAddress = forwardedFor.length === 0 ? this.#reader.attribute(PEER_ATTRIBUTE) : '';
      this.#sourceIp = deriveSourceIp({ forwardedFor, peerAddress }, this.#trustedHops);
    }
    return this.#sourceIp;
  }

  header(name: string): readonly string[] {
    const { headers } = this.#reader;
    const wanted = this.#nameOf(name);
    let index = headers.find(wanted);
    if (index === -1) return NO_VALUES;
    const values = [headers.valueAt(index).trim()];
    for (index = headers.find(wanted, index + 1); index !== -1; index = headers.find(wanted, index + 1)) {
      values.push(headers.valueAt(index).trim());
    }
    return values;
  }

  #first(name: HeaderName): string {
    const { headers } = this.#reader;
    const index = headers.find(name);
    return index === -1 ? '' : headers.valueAt(index);
  }

  #nameOf(name: string): HeaderName {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    if (this.#names.size >= NAMES_KEPT_MAX) this.#names.clear();
    const made = new HeaderName(name);
    this.#names.set(name, made);
    return made;
  }
}
