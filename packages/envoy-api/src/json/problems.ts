import type { JsonValue } from '@bufbuild/protobuf';
import { findNearest } from '@flotilla/kit';
import type { EnumPlan, MessagePlan } from '../schema/plan.ts';
import type { Planner } from '../schema/planner.ts';
import { quoteName } from './findings.ts';

/** Sentences for names that are not there, with the one that was probably meant. */
export function describeUnknownField(plan: MessagePlan, key: string): string {
  const near = findNearest(key, plan.byKey.keys());
  return `${plan.typeName} has no field ${quoteName(key)}${hint(near === undefined ? undefined : plan.byKey.get(near)?.name)}`;
}

export function describeBadEnum(enumeration: EnumPlan, json: JsonValue): string {
  const names = [...enumeration.byName.keys()];
  const near = typeof json === 'string' ? findNearest(json, names) : undefined;
  return `must be one of ${names.join(', ')}, not ${quoteName(json)}${hint(near)}`;
}

export function describeUnknownType(planner: Planner, typeName: string): string {
  return `this Envoy knows no message ${quoteName(typeName)}${hint(planner.findSimilarType(typeName))}`;
}

function hint(near: string | undefined): string {
  return near === undefined ? '' : `; did you mean ${near}?`;
}
