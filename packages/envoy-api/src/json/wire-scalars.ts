import { ScalarType } from '@bufbuild/protobuf';
import { type BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Scalar } from './scalars.ts';

export function wireTypeOf(type: ScalarType): WireType {
  switch (type) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return WireType.Bit64;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return WireType.Bit32;
    default:
      return WireType.Varint;
  }
}

/** Writes the value without its tag. */
export function writeScalar(writer: BinaryWriter, type: ScalarType, value: Scalar): void {
  switch (type) {
    case ScalarType.STRING:
      writer.string(value as string);
      return;
    case ScalarType.BOOL:
      writer.bool(value as boolean);
      return;
    case ScalarType.BYTES:
      writer.bytes(value as Uint8Array);
      return;
    case ScalarType.DOUBLE:
      writer.double(value as number);
      return;
    case ScalarType.FLOAT:
      writer.float(value as number);
      return;
    case ScalarType.INT32:
      writer.int32(value as number);
      return;
    case ScalarType.SINT32:
      writer.sint32(value as number);
      return;
    case ScalarType.SFIXED32:
      writer.sfixed32(value as number);
      return;
    case ScalarType.UINT32:
      writer.uint32(value as number);
      return;
    case ScalarType.FIXED32:
      writer.fixed32(value as number);
      return;
    case ScalarType.INT64:
      writer.int64(value as bigint);
      return;
    case ScalarType.SINT64:
      writer.sint64(value as bigint);
      return;
    case ScalarType.SFIXED64:
      writer.sfixed64(value as bigint);
      return;
    case ScalarType.UINT64:
      writer.uint64(value as bigint);
      return;
    case ScalarType.FIXED64:
      writer.fixed64(value as bigint);
      return;
  }
}

/** Reads the value without its tag. */
export function readScalar(reader: BinaryReader, type: ScalarType): Scalar {
  switch (type) {
    case ScalarType.STRING:
      return reader.string(true);
    case ScalarType.BOOL:
      return reader.bool();
    case ScalarType.BYTES:
      return reader.bytes();
    case ScalarType.DOUBLE:
      return reader.double();
    case ScalarType.FLOAT:
      return reader.float();
    case ScalarType.INT32:
      return reader.int32();
    case ScalarType.SINT32:
      return reader.sint32();
    case ScalarType.SFIXED32:
      return reader.sfixed32();
    case ScalarType.UINT32:
      return reader.uint32();
    case ScalarType.FIXED32:
      return reader.fixed32();
    case ScalarType.INT64:
      return BigInt(reader.int64());
    case ScalarType.SINT64:
      return BigInt(reader.sint64());
    case ScalarType.SFIXED64:
      return BigInt(reader.sfixed64());
    case ScalarType.UINT64:
      return BigInt(reader.uint64());
    case ScalarType.FIXED64:
      return BigInt(reader.fixed64());
  }
}
