import type { DescEnum, DescField, DescMessage, ScalarType } from '@bufbuild/protobuf';
import type { WellKnown as AnyWellKnown, FieldRules } from '@flotilla/envoy-rules';

/** Messages with a JSON form of their own (protobuf.dev/programming-guides/json). */
export type WellKnown = Exclude<AnyWellKnown, 'empty'>;

/** The type of one value: of a field, of a list's element, of a map's value. */
export type ValuePlan =
  | { readonly kind: 'scalar'; readonly scalar: ScalarType }
  | { readonly kind: 'enum'; readonly enumeration: EnumPlan }
  | { readonly kind: 'message'; readonly message: () => MessagePlan; readonly delimited: boolean };

export interface EnumValuePlan {
  readonly name: string;
  readonly number: number;
  readonly deprecated: boolean;
  /** Deprecated and refused by Envoy unless a runtime key allows it. */
  readonly disallowed: boolean;
  readonly deprecatedSince: string | undefined;
}

export interface EnumPlan {
  readonly desc: DescEnum;
  readonly byName: ReadonlyMap<string, EnumValuePlan>;
  readonly byNumber: ReadonlyMap<number, EnumValuePlan>;
  /** A closed enum (proto2) takes only the numbers it names. */
  readonly open: boolean;
}

export interface FieldPlan {
  readonly desc: DescField;
  /** The message that declares it. */
  readonly owner: string;
  /** As in the `.proto` file: snake_case. */
  readonly name: string;
  readonly number: number;
  /** Position in the message's `fields`. */
  readonly index: number;
  readonly shape: 'singular' | 'list' | 'map';
  readonly value: ValuePlan;
  /** Type of a map's key. */
  readonly key: ScalarType | undefined;
  readonly packed: boolean;
  /** A set field differs from one with the zero value. */
  readonly presence: boolean;
  /** proto2 `required`. */
  readonly legacyRequired: boolean;
  /** Index of its oneof in `MessagePlan.oneofs`; undefined outside and for `optional`. */
  readonly oneof: number | undefined;
  readonly deprecated: boolean;
  readonly disallowed: boolean;
  readonly deprecatedSince: string | undefined;
  readonly sensitive: boolean;
  readonly rules: FieldRules | undefined;
}

export interface OneofPlan {
  readonly name: string;
  readonly required: boolean;
  readonly fields: readonly FieldPlan[];
}

/** All that is known of a message, computed once: every walk over JSON or bytes is a walk over plans. */
export interface MessagePlan {
  readonly desc: DescMessage;
  readonly typeName: string;
  readonly wellKnown: WellKnown | undefined;
  /** In the order of their numbers, which is the order on the wire. */
  readonly fields: readonly FieldPlan[];
  /** By snake_case and by camelCase name. */
  readonly byKey: ReadonlyMap<string, FieldPlan>;
  readonly byNumber: ReadonlyMap<number, FieldPlan>;
  readonly oneofs: readonly OneofPlan[];
  readonly validated: boolean;
  /** Carries another message as JSON: `type_url` names it, `value` is it. Envoy reads it as that message. */
  readonly typedStruct: boolean;
  /** Holds an Any named `typed_config`: a place where Envoy takes an extension, and we a reference. */
  readonly extensionSlot: boolean;
}
