import { findNearest } from '@flotilla/kit/nearest';
import { applyValueRules, type Breach, type EnumNames } from './apply.ts';
import { parseEnumValue } from './enums.ts';
import type { FieldRules } from './field-rules.ts';
import { findMissedForm } from './forms.ts';
import { describeScalar, integerRange, isFloatType, parseScalar } from './scalars.ts';
import { wellKnownOf, wrappedScalar } from './well-known.ts';
import { applyWellKnownRules } from './well-known-rules.ts';
import { describeBadEnum, nameJson } from './wording.ts';

/** The type of one value, as the API describes fields. */
export type ValueType =
  | { readonly kind: 'scalar'; readonly type: string }
  | { readonly kind: 'enum'; readonly type: string; readonly values: readonly EnumValue[] }
  | { readonly kind: 'message'; readonly type: string };

export interface EnumValue {
  readonly name: string;
  readonly number: number;
  /** Envoy refuses it by default. */
  readonly disallowed?: boolean | undefined;
}

export interface CheckOptions {
  /** `strict` refuses what only proto-JSON forgives: numbers as texts, other spellings of enum names. */
  readonly dialect?: 'proto' | 'strict';
}

/**
 * Checks the form and the constraints of one value in its own place. Does not look at what is below it. The controller knows more: no
 * breach here does not mean that it accepts the document.
 */
export function checkValue(
  value: ValueType,
  rules: FieldRules | undefined,
  json: unknown,
  { dialect = 'proto' }: CheckOptions = {},
): Breach[] {
  if (value.kind === 'enum') return checkEnum(value, rules, json, dialect);
  const scalar = value.kind === 'scalar' ? value.type : wrappedScalar(value.type);
  if (scalar !== undefined) return checkScalar(scalar, rules, json, dialect);
  const wellKnown = wellKnownOf(value.type);
  const wanted = wellKnown === undefined ? missedMessage(json) : findMissedForm(wellKnown, json);
  if (wanted !== undefined) return [wrongType(wanted, json)];
  const breaches: Breach[] = [];
  if (rules?.type) applyWellKnownRules(rules.type, json, (breach) => breaches.push(breach));
  return breaches;
}

function missedMessage(json: unknown): string | undefined {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? undefined : 'an object';
}

function checkScalar(
  type: string,
  rules: FieldRules | undefined,
  json: unknown,
  dialect: 'proto' | 'strict',
): Breach[] {
  const isText = typeof json === 'string' && (integerRange(type) !== undefined || isFloatType(type));
  const parsed = dialect === 'strict' && isText ? undefined : parseScalar(type, json);
  if (parsed === undefined) return [wrongType(describeScalar(type), json)];
  const breaches: Breach[] = [];
  if (rules?.type) applyValueRules(rules.type, parsed, undefined, (breach) => breaches.push(breach));
  return breaches;
}

function checkEnum(
  { values }: ValueType & { kind: 'enum' },
  rules: FieldRules | undefined,
  json: unknown,
  dialect: 'proto' | 'strict',
): Breach[] {
  const numberOf = (name: string) => values.find((value) => value.name === name)?.number;
  const exact = typeof json === 'string' ? numberOf(json) : undefined;
  // Enums of proto3 are open: a number without a name is a value, unless `defined_only` refuses it.
  const number = dialect === 'strict' ? exact : parseEnumValue(json, numberOf, () => true);
  if (number === undefined) {
    const names = values.filter(({ disallowed }) => disallowed !== true).map(({ name }) => name);
    const near = typeof json === 'string' ? findNearest(json, names, { camelCase: true }) : undefined;
    return [{ rule: 'enum', message: describeBadEnum(names, json, near) }];
  }
  const known = values.find((value) => value.number === number);
  if (known?.disallowed)
    return [{ rule: 'disallowed', message: 'must not be this value: Envoy refuses it by default' }];
  const breaches: Breach[] = [];
  const enumeration: EnumNames = {
    all: () => values.map(({ name }) => name),
    of: (wanted) => values.find((value) => value.number === wanted)?.name,
  };
  if (rules?.type) applyValueRules(rules.type, number, enumeration, (breach) => breaches.push(breach));
  return breaches;
}

function wrongType(wanted: string, json: unknown): Breach {
  return { rule: 'type', message: `must be ${wanted}, not ${nameJson(json)}` };
}
