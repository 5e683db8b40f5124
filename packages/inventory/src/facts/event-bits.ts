import type { EndpointCategory } from '../categories.ts';
import type { PiiCategory } from '../pii.ts';
import { RISK_FLAG_NAMES, RISK_FLAGS, type RiskFlag } from './risk-flags.ts';

export type SensitiveKind = PiiCategory | 'jwt_in_path' | 'secret_in_path';

/** The place of a name is the number of its bit in the event store. Append only: stored events keep their numbers. */
export const PII_BITS = [
  'email',
  'phone',
  'ssn',
  'credit_card',
  'iban',
  'jwt_in_path',
  'secret_in_path',
] as const satisfies readonly SensitiveKind[];

export const CATEGORY_BITS = [
  'admin_endpoint',
  'auth_endpoint',
  'account_management',
  'payment_endpoint',
  'data_export',
  'api_docs',
  'metadata_leak',
] as const satisfies readonly EndpointCategory[];

/** `clock`: the store sets it on events with an impossible time. It is `MARK_CLOCK` of the event store. */
export const EVENT_MARKS = {
  confirmed: 0,
  authenticated: 1,
  anonymous: 2,
  internalSource: 3,
  externalSource: 4,
  clock: 7,
} as const;
export type EventMark = keyof typeof EVENT_MARKS;

const MARK_NAMES = Object.keys(EVENT_MARKS) as readonly EventMark[];
const FLAG_OF: ReadonlyMap<number, RiskFlag> = new Map(RISK_FLAG_NAMES.map((name) => [RISK_FLAGS[name].bit, name]));
const MARK_OF: ReadonlyMap<number, EventMark> = new Map(MARK_NAMES.map((name) => [EVENT_MARKS[name], name]));

export function toFlagBits(flags: Iterable<RiskFlag>): number[] {
  return Array.from(flags, (flag) => RISK_FLAGS[flag].bit);
}

/** Bits that no flag of this version has are left out. So are those of the functions below. */
export function fromFlagBits(bits: Iterable<number>): RiskFlag[] {
  return namesOf(bits, (bit) => FLAG_OF.get(bit));
}

export function toPiiBits(kinds: Iterable<SensitiveKind>): number[] {
  return Array.from(kinds, (kind) => PII_BITS.indexOf(kind));
}

export function fromPiiBits(bits: Iterable<number>): SensitiveKind[] {
  return namesOf(bits, (bit) => PII_BITS[bit]);
}

export function toCategoryBits(categories: Iterable<EndpointCategory>): number[] {
  return Array.from(categories, (category) => CATEGORY_BITS.indexOf(category));
}

export function fromCategoryBits(bits: Iterable<number>): EndpointCategory[] {
  return namesOf(bits, (bit) => CATEGORY_BITS[bit]);
}

export function toMarkBits(marks: Iterable<EventMark>): number[] {
  return Array.from(marks, (mark) => EVENT_MARKS[mark]);
}

export function fromMarkBits(bits: Iterable<number>): EventMark[] {
  return namesOf(bits, (bit) => MARK_OF.get(bit));
}

function namesOf<Name>(bits: Iterable<number>, nameOf: (bit: number) => Name | undefined): Name[] {
  return Array.from(bits).flatMap((bit) => nameOf(bit) ?? []);
}
