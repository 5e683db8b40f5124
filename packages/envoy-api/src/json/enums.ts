import { type JsonValue, ScalarType } from '@bufbuild/protobuf';
import type { EnumPlan, ValuePlan } from '../schema/plan.ts';
import { parseScalar } from './scalars.ts';

/** Its one value is null in JSON. */
const NULL_VALUE = 'google.protobuf.NullValue';

/** Where null is a value of its own and not "not set". */
export function takesNull(value: ValuePlan): boolean {
  if (value.kind === 'message') return value.message().wellKnown === 'value';
  return value.kind === 'enum' && value.enumeration.desc.typeName === NULL_VALUE;
}

/**
 * The number of an enum value given by name or number; undefined when the enum has no such value. As in Envoy's own reader, names may
 * be written small and with dashes (`round_robin`): many published examples are.
 */
export function parseEnum(value: ValuePlan & { kind: 'enum' }, json: JsonValue): number | undefined {
  const { byName, byNumber, open, desc } = value.enumeration;
  if (typeof json === 'string') {
    return (byName.get(json) ?? byName.get(json.toUpperCase().replaceAll('-', '_')))?.number;
  }
  if (json === null) return desc.typeName === NULL_VALUE ? 0 : undefined;
  const number = parseScalar(ScalarType.INT32, json);
  if (typeof json !== 'number' || typeof number !== 'number') return undefined;
  return open || byNumber.has(number) ? number : undefined;
}

/** The name, where the enum has one for the number. */
export function enumToJson(enumeration: EnumPlan, number: number): JsonValue {
  if (enumeration.desc.typeName === NULL_VALUE) return null;
  return enumeration.byNumber.get(number)?.name ?? number;
}
