import {
  type DescEnum,
  type DescEnumValue,
  type DescField,
  type DescMessage,
  type JsonObject,
  type Registry,
  ScalarType,
} from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { findNearest } from '@flotilla/kit';
import { parseFieldRules } from '../constraints/rules.ts';
import { Annotations } from './annotations.ts';
import type { EnumPlan, EnumValuePlan, FieldPlan, MessagePlan, OneofPlan, ValuePlan, WellKnown } from './plan.ts';

const WELL_KNOWN: ReadonlyMap<string, WellKnown> = new Map<string, WellKnown>([
  ['google.protobuf.Any', 'any'],
  ['google.protobuf.Duration', 'duration'],
  ['google.protobuf.Timestamp', 'timestamp'],
  ['google.protobuf.Struct', 'struct'],
  ['google.protobuf.Value', 'value'],
  ['google.protobuf.ListValue', 'list'],
  ['google.protobuf.FieldMask', 'field_mask'],
  ...['Double', 'Float', 'Int64', 'UInt64', 'Int32', 'UInt32', 'Bool', 'String', 'Bytes'].map(
    (name): [string, WellKnown] => [`google.protobuf.${name}Value`, 'wrapper'],
  ),
]);

const TYPED_STRUCTS = ['xds.type.v3.TypedStruct', 'udpa.type.v1.TypedStruct'];

const LEGACY_REQUIRED = FeatureSet_FieldPresence.LEGACY_REQUIRED;
const IMPLICIT = FeatureSet_FieldPresence.IMPLICIT;

/** Makes plans on demand and keeps them: a process touches a few hundred of the 1,700 messages. */
export class Planner {
  readonly #registry: Registry;
  readonly #annotations: Annotations;
  readonly #messages = new Map<DescMessage, MessagePlan>();
  #names: readonly string[] | undefined;
  readonly #enums = new Map<DescEnum, EnumPlan>();

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#annotations = new Annotations(registry);
  }

  /** The plan of a full message name; undefined for a name that this Envoy does not know. */
  find(typeName: string): MessagePlan | undefined {
    const desc = this.#registry.getMessage(typeName);
    return desc ? this.plan(desc) : undefined;
  }

  /** The message inside a TypedStruct; undefined where this Envoy does not know it (a plugin's own configuration). */
  findInTypedStruct(json: JsonObject): MessagePlan | undefined {
    const url = json.type_url ?? json.typeUrl;
    // Unlike in an Any, Envoy does not ask for a slash here (TypeUtil::typeUrlToDescriptorFullName).
    const inner = typeof url === 'string' ? this.find(url.slice(url.lastIndexOf('/') + 1)) : undefined;
    return inner?.wellKnown ? undefined : inner;
  }

  /** A message of the same short name, or one with a name nearly the same, for a hint. */
  findSimilarType(typeName: string): string | undefined {
    this.#names ??= listMessages(this.#registry);
    const short = typeName.slice(typeName.lastIndexOf('.') + 1);
    const sameShort = this.#names.filter((name) => name.endsWith(`.${short}`));
    return findNearest(typeName, sameShort) ?? sameShort[0] ?? findNearest(typeName, this.#names);
  }

  /** Full names of all messages, sorted. Map entries are no messages of their own. */
  messages(): readonly string[] {
    this.#names ??= listMessages(this.#registry);
    return this.#names;
  }

  plan(desc: DescMessage): MessagePlan {
    const known = this.#messages.get(desc);
    if (known) return known;
    const fields = [...desc.fields]
      .sort((a, b) => a.number - b.number)
      .map((field, index) => this.#planField(field, index));
    const byKey = new Map<string, FieldPlan>();
    for (const field of fields) byKey.set(field.desc.jsonName, field);
    for (const field of fields) byKey.set(field.name, field);
    const plan: MessagePlan = {
      desc,
      typeName: desc.typeName,
      wellKnown: WELL_KNOWN.get(desc.typeName),
      fields,
      byKey,
      byNumber: new Map(fields.map((field) => [field.number, field])),
      oneofs: desc.oneofs.map(
        (oneof, index): OneofPlan => ({
          name: oneof.name,
          required: this.#annotations.isRequired(oneof),
          fields: fields.filter((field) => field.oneof === index),
        }),
      ),
      validated: !this.#annotations.isValidationOff(desc),
      typedStruct: TYPED_STRUCTS.includes(desc.typeName),
      extensionSlot: desc.fields.some(
        (field) => field.name === 'typed_config' && field.message?.typeName === 'google.protobuf.Any',
      ),
    };
    this.#messages.set(desc, plan);
    return plan;
  }

  #planField(desc: DescField, index: number): FieldPlan {
    const oneof = desc.oneof ? desc.parent.oneofs.indexOf(desc.oneof) : undefined;
    const rules = this.#annotations.rules(desc);
    return {
      desc,
      owner: desc.parent.typeName,
      name: desc.name,
      number: desc.number,
      index,
      shape: desc.fieldKind === 'list' ? 'list' : desc.fieldKind === 'map' ? 'map' : 'singular',
      value: this.#planValue(desc),
      key: desc.fieldKind === 'map' ? desc.mapKey : undefined,
      packed: desc.fieldKind === 'list' && desc.packed,
      presence: desc.fieldKind !== 'list' && desc.fieldKind !== 'map' && desc.presence !== IMPLICIT,
      legacyRequired: desc.presence === LEGACY_REQUIRED,
      oneof,
      deprecated: desc.deprecated,
      disallowed: this.#annotations.isDisallowed(desc),
      deprecatedSince: this.#annotations.deprecatedSince(desc),
      sensitive: this.#annotations.isSensitive(desc),
      rules: rules === undefined ? undefined : parseFieldRules(rules),
    };
  }

  #planValue(desc: DescField): ValuePlan {
    if (desc.message) {
      const message = desc.message;
      const delimited = desc.fieldKind !== 'map' && 'delimitedEncoding' in desc && desc.delimitedEncoding === true;
      return { kind: 'message', message: () => this.plan(message), delimited };
    }
    if (desc.enum) return { kind: 'enum', enumeration: this.#planEnum(desc.enum) };
    return { kind: 'scalar', scalar: desc.scalar ?? ScalarType.STRING };
  }

  #planEnum(desc: DescEnum): EnumPlan {
    const known = this.#enums.get(desc);
    if (known) return known;
    const values = desc.values.map((value) => this.#planEnumValue(value));
    // Of aliases the first is the canonical name
    const byNumber = new Map([...values].reverse().map((value) => [value.number, value]));
    const plan: EnumPlan = {
      desc,
      byName: new Map(values.map((value) => [value.name, value])),
      byNumber,
      open: desc.open,
    };
    this.#enums.set(desc, plan);
    return plan;
  }

  #planEnumValue(desc: DescEnumValue): EnumValuePlan {
    return {
      name: desc.name,
      number: desc.number,
      deprecated: desc.deprecated,
      disallowed: this.#annotations.isDisallowed(desc),
      deprecatedSince: this.#annotations.deprecatedSince(desc),
    };
  }
}

function listMessages(registry: Registry): string[] {
  const names: string[] = [];
  for (const type of registry) if (type.kind === 'message') names.push(type.typeName);
  return names.sort();
}
