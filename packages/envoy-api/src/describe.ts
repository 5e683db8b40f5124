import type { RulesSource } from '@flotilla/envoy-rules';
import { RuleCheck } from './constraints/rule-check.ts';
import { Findings } from './json/findings.ts';
import { nameOf } from './json/scalars.ts';
import type { EnumPlan, FieldPlan, MessagePlan, ValuePlan } from './schema/plan.ts';

/** The type of one value, as a form needs it. `message` has the full name, which can be described in turn. */
export type ValueDescription =
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'enum'; readonly type: string; readonly values: readonly EnumValueDescription[] }
  | { readonly kind: 'message'; readonly type: string; readonly wellKnown: string | undefined };

export interface EnumValueDescription {
  readonly name: string;
  readonly number: number;
  readonly deprecated: boolean;
  readonly disallowed: boolean;
}

export interface FieldDescription {
  readonly name: string;
  readonly number: number;
  readonly shape: 'singular' | 'list' | 'map';
  readonly value: ValueDescription;
  /** For a map: `string`, `uint32`... */
  readonly keyType: string | undefined;
  readonly oneof: string | undefined;
  /** The message is rejected without it. */
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly disallowed: boolean;
  readonly deprecatedSince: string | undefined;
  readonly sensitive: boolean;
  /** The constraint rules as in the `.proto` file: `{ "uint32": { "lte": 65535 } }`. */
  readonly constraint: RulesSource | undefined;
}

export interface MessageDescription {
  readonly typeName: string;
  readonly docsUrl: string;
  readonly deprecated: boolean;
  readonly fields: readonly FieldDescription[];
  readonly oneofs: readonly { readonly name: string; readonly required: boolean; readonly fields: readonly string[] }[];
}

export function describeMessage(plan: MessagePlan, docsUrl: string): MessageDescription {
  return {
    typeName: plan.typeName,
    docsUrl,
    deprecated: plan.desc.deprecated,
    // In file order, which the authors chose
    fields: plan.desc.fields
      .map((desc) => plan.byNumber.get(desc.number))
      .filter((f) => f !== undefined)
      .map((field) => describeField(plan, field)),
    oneofs: plan.oneofs.map(({ name, required, fields }) => ({
      name,
      required,
      fields: fields.map((field) => field.name),
    })),
  };
}

function describeField(plan: MessagePlan, field: FieldPlan): FieldDescription {
  return {
    name: field.name,
    number: field.number,
    shape: field.shape,
    value: describeValue(field.value),
    keyType: field.key === undefined ? undefined : nameOf(field.key),
    oneof: field.oneof === undefined ? undefined : plan.oneofs[field.oneof]?.name,
    required: field.legacyRequired || (plan.validated && field.oneof === undefined && isRequired(field)),
    deprecated: field.deprecated,
    disallowed: field.disallowed,
    deprecatedSince: field.deprecatedSince,
    sensitive: field.sensitive,
    constraint: field.rules?.source,
  };
}

function describeValue(value: ValuePlan): ValueDescription {
  if (value.kind === 'scalar') return { kind: 'scalar', type: nameOf(value.scalar) };
  if (value.kind === 'enum')
    return { kind: 'enum', type: value.enumeration.desc.typeName, values: describeEnum(value.enumeration) };
  const message = value.message();
  return { kind: 'message', type: message.typeName, wellKnown: message.wellKnown };
}

function describeEnum(enumeration: EnumPlan): EnumValueDescription[] {
  return [...enumeration.byName.values()].map(({ name, number, deprecated, disallowed }) => ({
    name,
    number,
    deprecated,
    disallowed,
  }));
}

/** Required if a check fails for a message without the field. */
function isRequired(field: FieldPlan): boolean {
  const findings = new Findings();
  new RuleCheck(findings).unset(field, { parent: undefined, key: field.name });
  return findings.errors.length > 0;
}
