import type { JsonValue } from '@bufbuild/protobuf';
import * as rules from '@flotilla/envoy-rules';
import { findNearest } from '@flotilla/kit';
import type { EnumPlan, MessagePlan } from '../schema/plan.ts';
import type { Planner } from '../schema/planner.ts';
import type { Findings } from './findings.ts';

/** Sentences for unknown names; the first ones with a suggestion (`Findings.takeHint`). */
export function describeUnknownField(plan: MessagePlan, key: string, findings: Findings): string {
  const near = findings.takeHint() ? findNearest(key, plan.byKey.keys()) : undefined;
  return `${plan.typeName} has no field ${rules.quoteName(key)}${hint(near === undefined ? undefined : plan.byKey.get(near)?.name)}`;
}

export function describeBadEnum(enumeration: EnumPlan, json: JsonValue, findings: Findings): string {
  const names = [...enumeration.byName.keys()];
  const near = typeof json === 'string' && findings.takeHint() ? findNearest(json, names) : undefined;
  return rules.describeBadEnum(names, json, near);
}

export function describeUnknownType(planner: Planner, typeName: string, findings: Findings): string {
  const near = findings.takeHint() ? planner.findSimilarType(typeName) : undefined;
  return `this Envoy knows no message ${rules.quoteName(typeName)}${hint(near)}`;
}

function hint(near: string | undefined): string {
  return near === undefined ? '' : `; did you mean ${near}?`;
}
