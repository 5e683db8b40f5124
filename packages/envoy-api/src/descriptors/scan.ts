import { type FileHandle, open } from 'node:fs/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { type FileDescriptorProto, FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';

const CHUNK_BYTES = 4 << 20;
/** Most files fit; longer ones are read again with a larger window. */
const FIRST_WINDOW_BYTES = 16 << 10;
/** Much larger than any file of Envoy's API; a longer walk is an error. */
const MAX_DESCRIPTOR_BYTES = 4 << 20;
/** Names of 128 bytes and more would need a two-byte length; the API has none. */
const MAX_NAME_BYTES = 127;
const SUFFIX = Buffer.from('.proto');
const NAME_TAG = 0x0a;

/** Top-level fields of FileDescriptorProto (descriptor.proto) and their possible wire types. */
const FIELD_WIRE_TYPES: ReadonlyMap<number, readonly number[]> = new Map([
  [1, [2]], // name
  [2, [2]], // package
  [3, [2]], // dependency
  [4, [2]], // message_type
  [5, [2]], // enum_type
  [6, [2]], // service
  [7, [2]], // extension
  [8, [2]], // options
  [10, [0, 2]], // public_dependency
  [11, [0, 2]], // weak_dependency
  [12, [2]], // syntax
  [14, [0]], // edition
  [15, [2]], // option_dependency
]);

/**
 * Finds the file descriptors in the read-only data of a C++ program, one per `.proto` file, in no order.
 *
 * protoc embeds each as a serialized FileDescriptorProto. It is found by its name, the first field (`0a <length>
 * x.proto`). Its end is found by walking the top-level fields, which are in numeric order: the first tag that is
 * unknown, out of order or of another wire type ends it. Following bytes may look like another field by accident, so
 * the longest prefix that parses is used. A file that occurs more than once counts once. The binary (100 MB) is read in
 * chunks.
 */
export async function scanDescriptors(binaryPath: string): Promise<FileDescriptorProto[]> {
  const file = await open(binaryPath, 'r');
  try {
    const found = new Map<string, Candidate>();
    const window = Buffer.allocUnsafe(MAX_DESCRIPTOR_BYTES);
    for await (const start of findNames(file)) {
      const candidate = await readDescriptor(file, start, window);
      if (!candidate) continue;
      const known = found.get(candidate.proto.name);
      if (!known || known.size < candidate.size) found.set(candidate.proto.name, candidate);
    }
    return [...found.values()].map((entry) => entry.proto);
  } finally {
    await file.close();
  }
}

/** File offsets of possible name fields of `.proto` files. */
async function* findNames(file: FileHandle): AsyncGenerator<number> {
  const overlap = MAX_NAME_BYTES + 2 + SUFFIX.length;
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES + overlap);
  let kept = 0;
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(chunk, kept, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    const length = kept + bytesRead;
    const base = position - kept;
    const view = chunk.subarray(0, length);
    for (let at = view.indexOf(SUFFIX); at !== -1; at = view.indexOf(SUFFIX, at + 1)) {
      const start = findNameStart(view, at + SUFFIX.length);
      // A hit that ended inside the kept part was already found in the previous chunk
      if (start !== undefined && at + SUFFIX.length > kept) yield base + start;
    }
    position += bytesRead;
    kept = Math.min(overlap, length);
    chunk.copy(chunk, 0, length - kept, length);
  }
}

/** The offset of `0a <length>` before a name that ends at `end`, if present. */
function findNameStart(view: Buffer, end: number): number | undefined {
  for (let at = end - SUFFIX.length - 1; at >= 2 && end - at <= MAX_NAME_BYTES; at -= 1) {
    if (!isNameByte(view[at])) return undefined;
    if (view[at - 1] === end - at && view[at - 2] === NAME_TAG) return at - 2;
  }
  return undefined;
}

function isNameByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  // a-z A-Z 0-9 - . / _
  return (
    (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x2d && byte <= 0x39) || byte === 0x5f
  );
}

interface Candidate {
  readonly proto: FileDescriptorProto;
  readonly size: number;
}

/** `window` is the read buffer, reused to avoid allocations. */
async function readDescriptor(file: FileHandle, start: number, window: Buffer): Promise<Candidate | undefined> {
  for (let size = FIRST_WINDOW_BYTES; size <= window.length; size *= 4) {
    const { bytesRead } = await file.read(window, 0, size, start);
    const bytes = window.subarray(0, bytesRead);
    const { ends, truncated } = walkFields(bytes);
    if (truncated && bytesRead === size) continue;
    return parseLongest(bytes, ends);
  }
  return undefined;
}

/** The offsets after each top-level field; `truncated` if the walk got to the end of the window. */
function walkFields(bytes: Uint8Array): { ends: number[]; truncated: boolean } {
  const ends: number[] = [];
  let lastField = 0;
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at);
    if (!tag) return { ends, truncated: bytes.length - at < 10 };
    const field = tag.value >>> 3;
    const wire = tag.value & 7;
    const inOrder = field === 1 ? lastField === 0 : field >= lastField;
    if (!inOrder || !FIELD_WIRE_TYPES.get(field)?.includes(wire)) return { ends, truncated: false };
    const value = readVarint(bytes, tag.end);
    if (!value) return { ends, truncated: bytes.length - at < 20 };
    const end = wire === 2 ? value.end + value.value : value.end;
    if (end > bytes.length) return { ends, truncated: true };
    ends.push(end);
    lastField = field;
    at = end;
  }
  return { ends, truncated: true };
}

function readVarint(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let i = 0; i < 5; i += 1) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return value <= 0x7fffffff ? { value, end: at + i + 1 } : undefined;
  }
  return undefined;
}

function parseLongest(bytes: Uint8Array, ends: readonly number[]): Candidate | undefined {
  // A name alone is not a file: it needs at least a package, a message, an enum or a syntax
  for (const end of ends.slice(1).reverse()) {
    try {
      // Copied, because unknown options are kept as views of the parsed bytes
      const proto = fromBinary(FileDescriptorProtoSchema, Uint8Array.from(bytes.subarray(0, end)));
      if ((proto.$unknown?.length ?? 0) > 0) continue;
      return { proto, size: end };
    } catch {
      // This prefix included foreign bytes: try without the last field
    }
  }
  return undefined;
}
