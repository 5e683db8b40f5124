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
import { parseFieldRules, wellKnownOf } from '@flotilla/envoy-rules';
import { findNearest } from '@flotilla/kit';
import { Annotations } from './annotations.ts';
import type { EnumPlan, EnumValuePlan, FieldPlan, MessagePlan, OneofPlan, ValuePlan, WellKnown } from './plan.ts';

/** Empty is written as an object without fields, like any other message. */
function formOf(typeName: string): WellKnown | undefined {
  const form = wellKnownOf(typeName);
  return form === 'empty' ? undefined : form;
}

const TYPED_STRUCTS = ['xds.type.v3.TypedStruct', 'udpa.type.v1.TypedStruct'];

const LEGACY_REQUIRED = FeatureSet_FieldPresence.LEGACY_REQUIRED;
const IMPLICIT = FeatureSet_FieldPresence.IMPLICIT;

/** Creates plans on demand and caches them: a process uses a few hundred of the 1,700 messages. */
export class Planner {
  readonly #registry: Registry;
  readonly #annotations: Annotations;
  readonly #messages = new Map<DescMessage, MessagePlan>();
  #names: readonly string[] | undefined;
  #shortNames: ReadonlySet<string> | undefined;
  readonly #enums = new Map<DescEnum, EnumPlan>();

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#annotations = new Annotations(registry);
  }

  /** The plan of a message; undefined for a name that this Envoy does not know. */
  find(typeName: string): MessagePlan | undefined {
    const desc = this.#registry.getMessage(typeName);
    return desc ? this.plan(desc) : undefined;
  }

  /** The message in a TypedStruct; undefined if this Envoy does not know it (a plugin's own configuration). */
  findInTypedStruct(json: JsonObject): MessagePlan | undefined {
    const url = json.type_url ?? json.typeUrl;
    // Unlike for an Any, Envoy does not require a slash here (TypeUtil::typeUrlToDescriptorFullName).
    const inner = typeof url === 'string' ? this.find(url.slice(url.lastIndexOf('/') + 1)) : undefined;
    return inner?.wellKnown ? undefined : inner;
  }

  /** A message with the same short name or a similar name, as a suggestion. */
  findSimilarType(typeName: string): string | undefined {
    this.#names ??= listMessages(this.#registry);
    const short = shortName(typeName);
    const sameShort = this.#names.filter((name) => name.endsWith(`.${short}`));
    if (sameShort.length > 0) return findNearest(typeName, sameShort) ?? sameShort[0];
    // Short names are compared first: few of the 1,700 full names have a similar last part, so this takes a tenth of
    // the time.
    this.#shortNames ??= new Set(this.#names.map(shortName));
    const nearShort = findNearest(short, this.#shortNames);
    const candidates = this.#names.filter((name) => shortName(name) === nearShort);
    return findNearest(typeName, candidates) ?? candidates[0];
  }

  /** Full names of all messages, sorted. Excludes map entries. */
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
      wellKnown: formOf(desc.typeName),
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
    // The first of several aliases is the canonical name
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

function shortName(typeName: string): string {
  return typeName.slice(typeName.lastIndexOf('.') + 1);
}

function listMessages(registry: Registry): string[] {
  const names: string[] = [];
  for (const type of registry) if (type.kind === 'message') names.push(type.typeName);
  return names.sort();
}
