import type { JsonValue } from '@bufbuild/protobuf';
import { parseEnumValue } from '@flotilla/envoy-rules';
import type { EnumPlan, ValuePlan } from '../schema/plan.ts';

/** Its one value is null in JSON. */
const NULL_VALUE = 'google.protobuf.NullValue';

/** Where null is a value of the type and does not mean "not set". */
export function takesNull(value: ValuePlan): boolean {
  if (value.kind === 'message') return value.message().wellKnown === 'value';
  return value.kind === 'enum' && value.enumeration.desc.typeName === NULL_VALUE;
}

/** Returns the number of an enum value that is given by name or number; undefined if the enum has no such value. */
export function parseEnum({ enumeration }: ValuePlan & { kind: 'enum' }, json: JsonValue): number | undefined {
  const { byName, byNumber, open, desc } = enumeration;
  if (json === null) return desc.typeName === NULL_VALUE ? 0 : undefined;
  return parseEnumValue(
    json,
    (name) => byName.get(name)?.number,
    (number) => open || byNumber.has(number),
  );
}

/** The name, where the enum has one for the number. */
export function enumToJson(enumeration: EnumPlan, number: number): JsonValue {
  if (enumeration.desc.typeName === NULL_VALUE) return null;
  return enumeration.byNumber.get(number)?.name ?? number;
}
