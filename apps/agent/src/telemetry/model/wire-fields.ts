import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/**
 * Calls the handlers of a message's fields with their bytes, in the order of the wire. Skips all other fields, so a large route
 * configuration costs little. Throws if the bytes are not a protobuf message.
 */
export function readFields(message: Uint8Array, handlers: Readonly<Record<number, (bytes: Uint8Array) => void>>): void {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const handler = handlers[field];
    if (handler && type === WireType.LengthDelimited) handler(reader.bytes());
    else reader.skip(type, field);
  }
}

/** Returns the last value of a number field, as protobuf does. */
export function readNumber(message: Uint8Array, wanted: number): number {
  const reader = new BinaryReader(message);
  let found = 0;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === wanted && type === WireType.Varint) found = reader.uint32();
    else reader.skip(type, field);
  }
  return found;
}

const decoder = new TextDecoder();

/** Returns a text field, or an empty text if the message does not contain it. */
export function readText(message: Uint8Array, wanted: number): string {
  let found = '';
  readFields(message, {
    [wanted]: (bytes) => {
      found = decoder.decode(bytes);
    },
  });
  return found;
}
