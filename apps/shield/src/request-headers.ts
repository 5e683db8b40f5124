import { deriveSourceIp, type RequestView } from '@flotilla/engines';
import { canonicalHost, readPath, splitTarget } from '@flotilla/policy';
import type { extProc } from '@flotilla/proto';

/** The request view over the header message of one exchange. Nothing is read before an engine asks for it. */
export class RequestHeaders implements RequestView {
  readonly #headers: readonly extProc.HeaderValue[];
  readonly #peerAddress: string;
  readonly #trustedHops: number;
  readonly host: string;
  readonly rawPath: string;
  readonly query: string;
  readonly paths: readonly string[];

  constructor(headers: readonly extProc.HeaderValue[], options: { peerAddress: string; trustedHops: number }) {
    this.#headers = headers;
    this.#peerAddress = options.peerAddress;
    this.#trustedHops = options.trustedHops;
    this.host = canonicalHost(this.#first(':authority') ?? this.#first('host') ?? '');
    const { path, query } = splitTarget(this.#first(':path') ?? '/');
    this.rawPath = path;
    this.query = query;
    this.paths = readPath(path);
  }

  get method(): string {
    return this.#first(':method') ?? '';
  }

  get sourceIp(): string {
    const forwardedFor = this.header('x-forwarded-for');
    return deriveSourceIp({ forwardedFor, peerAddress: this.#peerAddress }, this.#trustedHops);
  }

  header(name: string): readonly string[] {
    const values: string[] = [];
    for (const header of this.#headers) if (hasName(header, name)) values.push(headerText(header).trim());
    return values;
  }

  #first(name: string): string | undefined {
    for (const header of this.#headers) if (hasName(header, name)) return headerText(header);
    return undefined;
  }
}

function hasName(header: extProc.HeaderValue, name: string): boolean {
  return header.key === name || (header.key.length === name.length && header.key.toLowerCase() === name);
}

/** Envoy sends either the text or the raw bytes. Bytes that are not UTF-8 become U+FFFD and match no configured text. */
function headerText(header: extProc.HeaderValue): string {
  if (header.value !== '' || header.rawValue.length === 0) return header.value;
  const { buffer, byteOffset, byteLength } = header.rawValue;
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}
