export { applyOrder, applySize, applyValueRules, type Breach, type EnumNames } from './apply.ts';
export { type CheckOptions, checkValue, type EnumValue, type ValueType } from './check-value.ts';
export { describeItemRules, describeRules } from './describe-rules.ts';
export { parseEnumValue } from './enums.ts';
export { type FieldRules, parseFieldRules, type RulesSource, type TypeRules } from './field-rules.ts';
export { findMissedForm } from './forms.ts';
export {
  describeScalar,
  integerRange,
  isBase64,
  isFloatType,
  isWideType,
  parseMapKey,
  parseScalar,
  type Scalar,
} from './scalars.ts';
export {
  formatDuration,
  formatFieldMask,
  formatTimestamp,
  fromNanos,
  parseDuration,
  parseFieldMask,
  parseTimestamp,
  type SecondsNanos,
  toCamelCase,
  toNanos,
  typeNameOfUrl,
  type WellKnown,
  wellKnownOf,
  wrappedScalar,
} from './well-known.ts';
export { applyWellKnownRules } from './well-known-rules.ts';
export { count, describeBadEnum, nameJson, quoteName } from './wording.ts';
