import type { JsonObject, JsonValue, VisitedField } from '@flotilla/envoy-api';
import { FREE_EXTENSIONS } from './free-extensions.ts';
import { isKnownField } from './known-fields.ts';
import { type Restriction, UNDECIDED } from './reach.ts';
import { RESTRICTED_FIELDS } from './restricted-fields.ts';
import { restrictionByType } from './restricted-messages.ts';
import { FIELD_RULES, MESSAGE_RULES } from './rules.ts';

/** The restriction for a message that Envoy accepts in an Any. Undecided messages are restricted. */
export function restrictionOfExtension(type: string): Restriction | undefined {
  return restrictionByType(type) ?? (FREE_EXTENSIONS.has(type) ? undefined : UNDECIDED);
}

export function restrictionOfMessage(type: string, message: JsonObject): Restriction | undefined {
  return restrictionByType(type) ?? MESSAGE_RULES.get(type)?.(message);
}

/** Decided by the field alone, the same for every document. */
type Decision =
  | { readonly by: 'field'; readonly restriction: Restriction }
  | { readonly by: 'value'; readonly rule: Rule };
type Rule = (value: JsonValue) => Restriction | undefined;

/** One lookup per field: the objects are shared by all documents of a version. */
const decisions = new WeakMap<VisitedField, Decision | 'free'>();

/** The restriction for a field that is set. Undecided fields are restricted, whatever their value. */
export function restrictionOfField(field: VisitedField, value: JsonValue): Restriction | undefined {
  let decision = decisions.get(field);
  if (decision === undefined) {
    decision = decide(field.owner, field.name);
    decisions.set(field, decision);
  }
  if (decision === 'free') return undefined;
  return decision.by === 'value' ? decision.rule(value) : isSilent(value) ? undefined : decision.restriction;
}

function decide(owner: string, name: string): Decision | 'free' {
  const restriction = RESTRICTED_FIELDS.get(`${owner}.${name}`);
  if (restriction) return { by: 'field', restriction };
  const rule = FIELD_RULES.get(`${owner}.${name}`);
  if (rule) return { by: 'value', rule };
  return isKnownField(owner, name) ? 'free' : { by: 'field', restriction: UNDECIDED };
}

/** Whether the value equals an absent one. */
function isSilent(value: JsonValue): boolean {
  return value === false || value === 0 || value === '' || (Array.isArray(value) && value.length === 0);
}
