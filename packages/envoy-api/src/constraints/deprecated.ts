import type { Findings } from '../json/findings.ts';
import type { PathNode } from '../json/path.ts';
import type { EnumPlan, FieldPlan } from '../schema/plan.ts';

const ADVICE = 'see the documentation of the message for what replaces it';

/** Reports a deprecated field that is set: a warning, or an error if Envoy rejects it unless a runtime key allows it. */
export function reportDeprecatedField(field: FieldPlan, at: PathNode, findings: Findings): void {
  if (!field.deprecated) return;
  const text = `${field.owner}.${field.name} is deprecated${since(field.deprecatedSince)}`;
  if (field.disallowed) findings.error(at, 'disallowed', `${text} and Envoy refuses it by default; ${ADVICE}`);
  else findings.warn(at, 'deprecated', `${text}; ${ADVICE}`);
}

/** The same for an enum value. Envoy also checks the default of an unset field. */
export function reportDeprecatedEnum(
  enumeration: EnumPlan,
  number: number,
  at: PathNode | undefined,
  findings: Findings,
): void {
  const value = enumeration.byNumber.get(number);
  if (!value?.deprecated) return;
  const text = `${value.name} is deprecated${since(value.deprecatedSince)}`;
  if (value.disallowed) findings.error(at, 'disallowed', `${text} and Envoy refuses it by default; ${ADVICE}`);
  else findings.warn(at, 'deprecated', `${text}; ${ADVICE}`);
}

function since(version: string | undefined): string {
  return version === undefined ? '' : ` since ${version}`;
}
