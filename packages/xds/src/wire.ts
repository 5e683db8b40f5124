import type { Resource } from './resource.ts';
import { RESOURCE_TYPE } from './resource-type.ts';

/**
 * Builds discovery responses from encoded parts. Each resource is encoded once (cached weakly by the resource object),
 * and every stream that sends it copies those bytes. Fields: envoy/service/discovery/v3/discovery.proto; encoding:
 * protobuf wire format, length-delimited fields.
 */
export interface DeltaResponse {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly systemVersion: string;
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
  /** Those of `removed` that the client requested and never had. */
  readonly missing?: readonly string[];
}

export interface SotwResponse {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly version: string;
  readonly resources: readonly Resource[];
}

const deltaForms = new WeakMap<Resource, Uint8Array>();
const sotwForms = new WeakMap<Resource, Uint8Array>();
let encodings = 0;

/** Number of resources encoded since the process started, for a benchmark and a test. */
export function countEncodings(): number {
  return encodings;
}

/** Bytes of a length-delimited field: tag (one byte, because all our field numbers are below 16), length, content. */
function sizeField(length: number): number {
  return 1 + sizeVarint(length) + length;
}

function sizeVarint(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
}

/** Empty strings are not written, because they are the default (proto3). */
function sizeText(text: string): number {
  return text === '' ? 0 : sizeField(Buffer.byteLength(text));
}

/** Writes fields from front to back into a buffer of exactly the right size. */
class FieldWriter {
  readonly buffer: Buffer;
  #at = 0;

  constructor(buffer: Buffer) {
    this.buffer = buffer;
  }

  header(field: number, length: number): this {
    this.buffer[this.#at++] = (field << 3) | 2;
    let rest = length;
    while (rest > 0x7f) {
      this.buffer[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.buffer[this.#at++] = rest;
    return this;
  }

  raw(bytes: Uint8Array): this {
    this.buffer.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }

  text(field: number, text: string): this {
    return text === '' ? this : this.element(field, text);
  }

  /** Writes an element of a repeated field, even if it is empty. */
  element(field: number, text: string): this {
    this.header(field, Buffer.byteLength(text));
    this.#at += this.buffer.write(text, this.#at, 'utf8');
    return this;
  }
}

function sizeAny({ typeUrl, bytes }: Resource): number {
  return sizeText(typeUrl) + sizeField(bytes.length);
}

function remember(forms: WeakMap<Resource, Uint8Array>, resource: Resource, encode: () => Uint8Array): Uint8Array {
  let form = forms.get(resource);
  if (!form) {
    encodings += 1;
    form = encode();
    forms.set(resource, form);
  }
  return form;
}

/** Field 2 (`resources`) of DeltaDiscoveryResponse with its tag and length. */
function encodeDeltaResource(resource: Resource): Uint8Array {
  return remember(deltaForms, resource, () => {
    const { typeUrl, name, version, bytes } = resource;
    const any = sizeAny(resource);
    const size = sizeText(version) + sizeField(any) + sizeText(name);
    // Kept for long, so it must not pin the pool that small buffers share.
    const writer = new FieldWriter(Buffer.allocUnsafeSlow(sizeField(size)));
    writer.header(2, size).text(1, version).header(2, any);
    return writer.text(1, typeUrl).header(2, bytes.length).raw(bytes).text(3, name).buffer;
  });
}

/**
 * A virtual host that a request needs and that does not exist: a resource without content, identified by its alias. A
 * removal would leave the request waiting (Envoy docs, "VHDS").
 */
function encodeMissing(name: string): Uint8Array {
  const size = 2 * sizeText(name);
  return new FieldWriter(Buffer.allocUnsafe(sizeField(size))).header(2, size).text(3, name).text(4, name).buffer;
}

/** Field 2 (`resources`) of DiscoveryResponse with its tag and length. */
function encodeSotwResource(resource: Resource): Uint8Array {
  return remember(sotwForms, resource, () => {
    const { typeUrl, bytes } = resource;
    const any = sizeAny(resource);
    const writer = new FieldWriter(Buffer.allocUnsafeSlow(sizeField(any)));
    return writer.header(2, any).text(1, typeUrl).header(2, bytes.length).raw(bytes).buffer;
  });
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}

export function encodeDeltaResponse(response: DeltaResponse): Buffer {
  const { systemVersion, typeUrl, nonce } = response;
  const missing = new Set(typeUrl === RESOURCE_TYPE.virtualHost ? response.missing : []);
  const removed = response.removed.filter((name) => !missing.has(name));
  const resources = [...response.resources.map(encodeDeltaResource), ...[...missing].map(encodeMissing)];
  const texts = sizeText(systemVersion) + sizeText(typeUrl) + sizeText(nonce);
  const size =
    texts + sum(resources.map(({ length }) => length)) + sum(removed.map((name) => sizeField(Buffer.byteLength(name))));
  const writer = new FieldWriter(Buffer.allocUnsafe(size)).text(1, systemVersion);
  for (const resource of resources) writer.raw(resource);
  writer.text(4, typeUrl).text(5, nonce);
  for (const name of removed) writer.element(6, name);
  return writer.buffer;
}

export function encodeSotwResponse(response: SotwResponse): Buffer {
  const { version, typeUrl, nonce } = response;
  const resources = response.resources.map(encodeSotwResource);
  const size = sizeText(version) + sizeText(typeUrl) + sizeText(nonce) + sum(resources.map(({ length }) => length));
  const writer = new FieldWriter(Buffer.allocUnsafe(size)).text(1, version);
  for (const resource of resources) writer.raw(resource);
  return writer.text(4, typeUrl).text(5, nonce).buffer;
}
