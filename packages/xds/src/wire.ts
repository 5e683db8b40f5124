import type { Resource } from './resource.ts';

/**
 * Discovery responses put together from ready pieces. Each resource is encoded once (kept weakly beside the resource
 * object) and every stream that sends it copies those bytes. Fields: envoy/service/discovery/v3/discovery.proto;
 * encoding: protobuf wire format, length-delimited fields.
 */
export interface DeltaResponse {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly systemVersion: string;
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
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

/** How many resources were encoded since the process started: a bench and a test read it. */
export function countEncodings(): number {
  return encodings;
}

function encodeVarint(value: number): Buffer {
  const out: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    out.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  out.push(rest);
  return Buffer.from(out);
}

function encodeField(number: number, ...parts: Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.from([(number << 3) | 2]), encodeVarint(length), ...parts]);
}

function encodeText(number: number, text: string): Buffer {
  return text === '' ? Buffer.alloc(0) : encodeField(number, Buffer.from(text, 'utf8'));
}

function encodeAny(resource: Resource): Buffer {
  return Buffer.concat([encodeText(1, resource.typeUrl), encodeField(2, resource.bytes)]);
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

/** `resources` field 2 of DeltaDiscoveryResponse with its tag and length. */
function encodeDeltaResource(resource: Resource): Uint8Array {
  return remember(deltaForms, resource, () => {
    const parts = [encodeText(1, resource.version), encodeField(2, encodeAny(resource)), encodeText(3, resource.name)];
    return encodeField(2, ...parts);
  });
}

/** `resources` field 2 of DiscoveryResponse with its tag and length. */
function encodeSotwResource(resource: Resource): Uint8Array {
  return remember(sotwForms, resource, () => encodeField(2, encodeAny(resource)));
}

export function encodeDeltaResponse(response: DeltaResponse): Buffer {
  return Buffer.concat([
    encodeText(1, response.systemVersion),
    ...response.resources.map(encodeDeltaResource),
    encodeText(4, response.typeUrl),
    encodeText(5, response.nonce),
    ...response.removed.map((name) => encodeText(6, name)),
  ]);
}

export function encodeSotwResponse(response: SotwResponse): Buffer {
  return Buffer.concat([
    encodeText(1, response.version),
    ...response.resources.map(encodeSotwResource),
    encodeText(4, response.typeUrl),
    encodeText(5, response.nonce),
  ]);
}
