import { type JsonObject, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { parseDuration, parseFieldMask, parseTimestamp, type SecondsNanos, typeNameOfUrl } from '@flotilla/envoy-rules';
import type { FieldPlan, MessagePlan, ValuePlan } from '../schema/plan.ts';
import type { Planner } from '../schema/planner.ts';
import { parseEnum, takesNull } from './enums.ts';
import { isJsonObject } from './object.ts';
import { isZeroScalar, parseMapKey, parseScalar, type Scalar } from './scalars.ts';
import { wireTypeOf, writeScalar } from './wire-scalars.ts';
import { writeList, writeStruct, writeValue } from './write-struct.ts';

/**
 * Encodes proto-JSON that passed the check. Deterministic: fields by number, map entries by key, also inside Any.
 * Throws on unchecked JSON.
 */
export function encodeMessage(planner: Planner, plan: MessagePlan, json: JsonValue): Uint8Array {
  const writer = new BinaryWriter();
  new Encoder(planner, writer).message(plan, json);
  return writer.finish();
}

class Encoder {
  readonly #planner: Planner;
  readonly #writer: BinaryWriter;

  constructor(planner: Planner, writer: BinaryWriter) {
    this.#planner = planner;
    this.#writer = writer;
  }

  message(plan: MessagePlan, json: JsonValue): void {
    switch (plan.wellKnown) {
      case undefined:
        this.#fields(plan, asObject(plan, json));
        return;
      case 'any':
        this.#any(asObject(plan, json));
        return;
      case 'duration':
        this.#secondsNanos(expect(parseDuration(json), plan));
        return;
      case 'timestamp':
        this.#secondsNanos(expect(parseTimestamp(json), plan));
        return;
      case 'field_mask':
        for (const path of expect(parseFieldMask(json), plan))
          this.#writer.tag(1, WireType.LengthDelimited).string(path);
        return;
      case 'struct':
        writeStruct(this.#writer, asObject(plan, json));
        return;
      case 'list_value':
        writeList(this.#writer, json);
        return;
      case 'value':
        writeValue(this.#writer, json);
        return;
      case 'wrapper':
        this.#wrapper(plan, json);
        return;
    }
  }

  #fields(plan: MessagePlan, json: JsonObject): void {
    const values: Array<JsonValue | undefined> = new Array(plan.fields.length);
    for (const key of Object.keys(json)) {
      const field = plan.byKey.get(key);
      if (field) values[field.index] = json[key];
      else if (key !== '@type') throw new Error(`${plan.typeName} has no field ${key}`);
    }
    for (const field of plan.fields) {
      const value = values[field.index];
      if (value === undefined || (value === null && !takesNull(field.value))) continue;
      if (field.shape === 'list') this.#repeated(field, value);
      else if (field.shape === 'map') this.#map(field, value);
      else this.#singular(field.number, field.value, value, field.presence);
    }
  }

  #repeated(field: FieldPlan, json: JsonValue): void {
    if (!Array.isArray(json)) throw new Error(`${field.name} is no array`);
    if (json.length === 0) return;
    if (!field.packed) {
      for (const item of json) this.#singular(field.number, field.value, item, true);
      return;
    }
    this.#writer.tag(field.number, WireType.LengthDelimited).fork();
    for (const item of json) {
      if (field.value.kind === 'scalar')
        writeScalar(this.#writer, field.value.scalar, scalarOf(field.value.scalar, item));
      else this.#writer.int32(enumNumber(field.value, item));
    }
    this.#writer.join();
  }

  #map(field: FieldPlan, json: JsonValue): void {
    if (!isJsonObject(json)) throw new Error(`${field.name} is no object`);
    const keyType = field.key ?? ScalarType.STRING;
    for (const key of Object.keys(json).sort()) {
      const parsed = parseMapKey(keyType, key);
      if (parsed === undefined) throw new Error(`${field.name} has a bad key`);
      this.#writer.tag(field.number, WireType.LengthDelimited).fork();
      this.#writer.tag(1, wireTypeOf(keyType));
      writeScalar(this.#writer, keyType, parsed);
      this.#singular(2, field.value, json[key] as JsonValue, true);
      this.#writer.join();
    }
  }

  #singular(number: number, value: ValuePlan, json: JsonValue, presence: boolean): void {
    if (value.kind === 'scalar') {
      const scalar = scalarOf(value.scalar, json);
      if (!presence && isZeroScalar(scalar)) return;
      writeScalar(this.#writer.tag(number, wireTypeOf(value.scalar)), value.scalar, scalar);
    } else if (value.kind === 'enum') {
      const parsed = enumNumber(value, json);
      if (presence || parsed !== 0) this.#writer.tag(number, WireType.Varint).int32(parsed);
    } else if (value.delimited) {
      this.#writer.tag(number, WireType.StartGroup);
      this.message(value.message(), json);
      this.#writer.tag(number, WireType.EndGroup);
    } else {
      this.#writer.tag(number, WireType.LengthDelimited).fork();
      this.message(value.message(), json);
      this.#writer.join();
    }
  }

  #any(json: JsonObject): void {
    const url = json['@type'];
    // An empty Any is `{}`
    if (url === undefined && Object.keys(json).length === 0) return;
    const plan = typeof url === 'string' ? this.#planner.find(typeNameOfUrl(url) ?? '') : undefined;
    if (typeof url !== 'string' || !plan) throw new Error(`unknown @type ${String(url)}`);
    this.#writer.tag(1, WireType.LengthDelimited).string(url);
    const content = encodeMessage(this.#planner, plan, plan.wellKnown ? (json.value ?? null) : json);
    // Bytes have no presence: an empty message omits them
    if (content.length > 0) this.#writer.tag(2, WireType.LengthDelimited).bytes(content);
  }

  #wrapper(plan: MessagePlan, json: JsonValue): void {
    const field = plan.fields[0];
    if (field) this.#singular(1, field.value, json, false);
  }

  #secondsNanos({ seconds, nanos }: SecondsNanos): void {
    if (seconds !== 0n) this.#writer.tag(1, WireType.Varint).int64(seconds);
    if (nanos !== 0) this.#writer.tag(2, WireType.Varint).int32(nanos);
  }
}

function enumNumber(value: ValuePlan, json: JsonValue): number {
  const number = value.kind === 'enum' ? parseEnum(value, json) : undefined;
  if (number === undefined) throw new Error('bad enum value');
  return number;
}

function scalarOf(type: ScalarType, json: JsonValue): Scalar {
  const scalar = parseScalar(type, json);
  if (scalar === undefined) throw new Error('bad scalar value');
  return scalar;
}

function asObject(plan: MessagePlan, json: JsonValue): JsonObject {
  if (!isJsonObject(json)) throw new Error(`${plan.typeName} is no object`);
  return json;
}

function expect<T>(value: T | undefined, plan: MessagePlan): T {
  if (value === undefined) throw new Error(`bad ${plan.typeName}`);
  return value;
}
