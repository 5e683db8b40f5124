import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { isJsonObject } from './object.ts';

/** Writes JSON as google.protobuf.Struct, map entries by key. */
export function writeStruct(writer: BinaryWriter, json: JsonObject): void {
  for (const key of Object.keys(json).sort()) {
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key);
    writer.tag(2, WireType.LengthDelimited).fork();
    writeValue(writer, json[key] as JsonValue);
    writer.join().join();
  }
}

/** Writes JSON as google.protobuf.ListValue. */
export function writeList(writer: BinaryWriter, json: JsonValue): void {
  if (!Array.isArray(json)) throw new Error('a list is no array');
  for (const item of json) {
    writer.tag(1, WireType.LengthDelimited).fork();
    writeValue(writer, item);
    writer.join();
  }
}

/** Writes JSON as google.protobuf.Value: a oneof, numbered by the kind of JSON (struct.proto). */
export function writeValue(writer: BinaryWriter, json: JsonValue): void {
  if (json === null) writer.tag(1, WireType.Varint).int32(0);
  else if (typeof json === 'number') writer.tag(2, WireType.Bit64).double(json);
  else if (typeof json === 'string') writer.tag(3, WireType.LengthDelimited).string(json);
  else if (typeof json === 'boolean') writer.tag(4, WireType.Varint).bool(json);
  else {
    writer.tag(isJsonObject(json) ? 5 : 6, WireType.LengthDelimited).fork();
    if (isJsonObject(json)) writeStruct(writer, json);
    else writeList(writer, json);
    writer.join();
  }
}
