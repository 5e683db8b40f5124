import { type JsonObject, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { formatDuration, formatFieldMask, formatTimestamp, typeNameOfUrl } from '@flotilla/envoy-rules';
import type { FieldPlan, MessagePlan, ValuePlan } from '../schema/plan.ts';
import type { Planner } from '../schema/planner.ts';
import { enumToJson } from './enums.ts';
import { MAX_DEPTH } from './limits.ts';
import { setOwn } from './object.ts';
import { isZeroScalar, type Scalar, scalarToJson, zeroScalar } from './scalars.ts';
import { readScalar, wireTypeOf } from './wire-scalars.ts';

/**
 * Decodes protobuf bytes to snake_case proto-JSON. Omits fields that this Envoy does not know; an Any of an unknown
 * type (or with bytes that do not match its type) becomes `{ "@type": ..., "$raw": <base64> }`. Throws on malformed
 * bytes and on more than 100 levels.
 */
export function decodeMessage(planner: Planner, plan: MessagePlan, bytes: Uint8Array): JsonValue {
  return new Decoder(planner).message(plan, bytes, 1);
}

class Decoder {
  readonly #planner: Planner;

  constructor(planner: Planner) {
    this.#planner = planner;
  }

  message(plan: MessagePlan, bytes: Uint8Array, depth: number): JsonValue {
    if (depth > MAX_DEPTH) throw new Error(`${plan.typeName} is nested deeper than ${MAX_DEPTH}`);
    if (plan.wellKnown === 'any') return this.#any(plan, bytes, depth);
    const values = this.#read(plan, bytes, depth);
    return plan.wellKnown === undefined ? this.#object(plan, values) : toWellKnown(plan, values);
  }

  #any(plan: MessagePlan, bytes: Uint8Array, depth: number): JsonValue {
    const values = this.#read(plan, bytes, depth);
    const url = (values[0] ?? '') as string;
    const content = Buffer.from((values[1] ?? '') as string, 'base64');
    if (url === '' && content.length === 0) return {};
    const inner = this.#planner.find(typeNameOfUrl(url) ?? '');
    const raw = { '@type': url, $raw: content.toString('base64') };
    if (!inner) return raw;
    try {
      const json = this.message(inner, content, depth + 1);
      return inner.wellKnown ? { '@type': url, value: json } : { '@type': url, ...(json as JsonObject) };
    } catch {
      // The bytes do not match the type: shown raw, as for an unknown type
      return raw;
    }
  }

  /** Field values by index: JSON of singular fields, arrays of lists, objects of maps. */
  #read(plan: MessagePlan, bytes: Uint8Array, depth: number): Array<JsonValue | undefined> {
    const reader = new BinaryReader(bytes);
    const values: Array<JsonValue | undefined> = new Array(plan.fields.length);
    // The parts of a split singular message are merged (encoding guide, "last one wins")
    const parts = new Map<FieldPlan, Uint8Array[]>();
    while (reader.pos < reader.len) {
      const [number, wire] = reader.tag();
      const field = plan.byNumber.get(number);
      if (!field || !fits(field, wire)) {
        reader.skip(wire, number);
        continue;
      }
      if (field.oneof !== undefined) {
        for (const other of plan.oneofs[field.oneof]?.fields ?? []) {
          if (other === field) continue;
          values[other.index] = undefined;
          parts.delete(other);
        }
      }
      if (field.shape === 'map') {
        values[field.index] ??= {};
        this.#mapEntry(field, reader.bytes(), values[field.index] as JsonObject, depth);
      } else if (field.shape === 'list') {
        values[field.index] ??= [];
        const list = values[field.index] as JsonValue[];
        if (field.value.kind !== 'message') readItems(list, field.value, reader, wire);
        else list.push(this.message(field.value.message(), readSubmessage(reader, wire, number), depth + 1));
      } else if (field.value.kind === 'message') {
        const known = parts.get(field);
        const part = readSubmessage(reader, wire, number);
        if (known) known.push(part);
        else parts.set(field, [part]);
      } else values[field.index] = readLeaf(reader, field.value, field.presence);
    }
    for (const [field, chunks] of parts) {
      const content = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      if (field.value.kind === 'message') values[field.index] = this.message(field.value.message(), content, depth + 1);
    }
    return values;
  }

  #mapEntry(field: FieldPlan, entry: Uint8Array, map: JsonObject, depth: number): void {
    const keyType = field.key ?? ScalarType.STRING;
    let key: Scalar = zeroScalar(keyType);
    let value: JsonValue | undefined;
    const reader = new BinaryReader(entry);
    while (reader.pos < reader.len) {
      const [number, wire] = reader.tag();
      if (number === 1) key = readScalar(reader, keyType);
      else if (number !== 2) reader.skip(wire, number);
      else if (field.value.kind === 'message') value = this.message(field.value.message(), reader.bytes(), depth + 1);
      else value = readLeaf(reader, field.value, true);
    }
    setOwn(map, String(key), value ?? this.#zeroValue(field.value, depth));
  }

  #zeroValue(value: ValuePlan, depth: number): JsonValue {
    if (value.kind === 'message') return this.message(value.message(), new Uint8Array(0), depth + 1);
    return value.kind === 'enum'
      ? enumToJson(value.enumeration, 0)
      : scalarToJson(value.scalar, zeroScalar(value.scalar));
  }

  #object(plan: MessagePlan, values: Array<JsonValue | undefined>): JsonObject {
    const object: JsonObject = {};
    for (const field of plan.fields) {
      const value = values[field.index];
      if (value !== undefined) setOwn(object, field.name, value);
    }
    return object;
  }
}

/** The JSON of a message with its own JSON form, from its field values. */
function toWellKnown(plan: MessagePlan, values: ReadonlyArray<JsonValue | undefined>): JsonValue {
  const seconds = () => ({ seconds: BigInt((values[0] ?? '0') as string), nanos: (values[1] ?? 0) as number });
  switch (plan.wellKnown) {
    case 'duration':
      return formatDuration(seconds());
    case 'timestamp':
      return formatTimestamp(seconds());
    case 'field_mask':
      return formatFieldMask((values[0] ?? []) as string[]);
    case 'struct':
      return values[0] ?? {};
    case 'list_value':
      return values[0] ?? [];
    case 'value':
      return values.find((value) => value !== undefined) ?? null;
    case 'wrapper':
      return values[0] ?? wrapperZero(plan);
    default:
      throw new Error(`${plan.typeName} has no JSON form of its own`);
  }
}

function wrapperZero(plan: MessagePlan): JsonValue {
  const value = plan.fields[0]?.value;
  return value?.kind === 'scalar' ? scalarToJson(value.scalar, zeroScalar(value.scalar)) : null;
}

/** A wire type that the field cannot have is skipped like an unknown field. */
function fits(field: FieldPlan, wire: WireType): boolean {
  if (field.value.kind === 'message' && field.value.delimited) return wire === WireType.StartGroup;
  if (field.shape === 'map') return wire === WireType.LengthDelimited;
  return wire === wireTypeOfValue(field.value) || (field.shape === 'list' && wire === WireType.LengthDelimited);
}

function wireTypeOfValue(value: ValuePlan): WireType {
  if (value.kind === 'scalar') return wireTypeOf(value.scalar);
  return value.kind === 'enum' ? WireType.Varint : WireType.LengthDelimited;
}

function readSubmessage(reader: BinaryReader, wire: WireType, number: number): Uint8Array {
  // `skip` returns the raw bytes with a group's end tag, which the decoder of the group's fields does not expect
  if (wire === WireType.StartGroup) return reader.skip(wire, number).slice(0, -1);
  return reader.bytes();
}

/** Reads one item, or several packed ones. */
function readItems(list: JsonValue[], value: ValuePlan, reader: BinaryReader, wire: WireType): void {
  if (wire !== WireType.LengthDelimited || wireTypeOfValue(value) === WireType.LengthDelimited) {
    list.push(readLeaf(reader, value, true) as JsonValue);
    return;
  }
  const end = reader.uint32() + reader.pos;
  while (reader.pos < end) list.push(readLeaf(reader, value, true) as JsonValue);
}

/** Undefined for the zero value of a field without presence, which equals an unset field. */
function readLeaf(reader: BinaryReader, value: ValuePlan, presence: boolean): JsonValue | undefined {
  if (value.kind === 'enum') {
    const number = reader.int32();
    return number === 0 && !presence ? undefined : enumToJson(value.enumeration, number);
  }
  if (value.kind === 'message') return undefined;
  const scalar = readScalar(reader, value.scalar);
  return !presence && isZeroScalar(scalar) ? undefined : scalarToJson(value.scalar, scalar);
}
