import { isIbanValid, isLuhnValid } from './checksums.ts';

/** Categories of the specification. */
export type PiiCategory = 'email' | 'phone' | 'ssn' | 'credit_card' | 'iban';

/** A value and, if there is one, the name of the parameter or the segment before it. */
export interface PiiContext {
  readonly name?: string;
}

const VALUE_CHARACTERS_MAX = 320;

/**
 * The categories that a single value has. A shape that is also one of other things (nine digits, a bare run of digits) needs a name that says so, or the
 * separators that people write. Linear in the length of the value, which is never stored.
 */
export function findPii(value: string, { name = '' }: PiiContext = {}): readonly PiiCategory[] {
  if (value.length < 7 || value.length > VALUE_CHARACTERS_MAX) return [];
  const text = value.trim();
  const found: PiiCategory[] = [];
  if (isEmail(text)) found.push('email');
  if (!/\d{2}/.test(text)) return found;
  const label = toLabel(name);
  if (isIban(text)) found.push('iban');
  else if (isCreditCard(text, label)) found.push('credit_card');
  else if (isSsn(text, label)) found.push('ssn');
  else if (isPhone(text, label)) found.push('phone');
  return found;
}

/** `customerPhone`, `customer-phone` and `customer_phone` have one label, with words between underscores. */
function toLabel(name: string): string {
  const words = name.slice(0, 128).replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return `_${words.toLowerCase().replace(/[^a-z0-9]+/g, '_')}_`;
}

const EMAIL =
  /^[a-z0-9_](?:[a-z0-9_%+'-]|\.(?!\.)){0,63}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}([a-z]{2,24}|xn--[a-z0-9-]{2,59})$/i;
/** `logo@2x.png` is a file. */
const FILE_ENDINGS =
  /^(?:png|jpe?g|gif|svg|webp|avif|ico|css|js|mjs|map|json|xml|html?|pdf|txt|zip|gz|mp[34]|woff2?|ttf)$/i;
const MACHINES = /(?:\.gserviceaccount\.com|\.iam|\.local|\.internal|\.svc)$/i;

function isEmail(text: string): boolean {
  const match = EMAIL.exec(text);
  if (match === null || text.includes('.@')) return false;
  return !FILE_ENDINGS.test(match[1] ?? '') && !MACHINES.test(text);
}

function isIban(text: string): boolean {
  const compact = /^[A-Za-z]{2}\d{2}(?: [A-Za-z0-9]{4}){2,7}(?: [A-Za-z0-9]{1,4})?$/.test(text)
    ? text.replaceAll(' ', '')
    : text;
  return isIbanValid(compact.toUpperCase());
}

const CARD_LABEL = /_(?:card|cards|cc|ccnum|ccn|pan|cardnumber|cardno|creditcard|debitcard)_/;
/** 4-4-4-4, the 4-6-5 of American Express and the 4-6-4 of Diners Club, with one separator throughout. */
const CARD_GROUPS = /^(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -])\d{6}\2\d{5}|3[068]\d{2}([ -])\d{6}\3\d{4})$/;
/** Networks by prefix and length: Visa, Mastercard, American Express, Discover, Diners Club, JCB, UnionPay, Maestro. */
const CARD =
  /^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d{2}|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|5\d{2}|4[4-9]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|(?:5018|5020|5038|6304|6759|676[1-3])\d{8,15})$/;

function isCreditCard(text: string, label: string): boolean {
  const isGrouped = CARD_GROUPS.test(text);
  if (!isGrouped && !CARD_LABEL.test(label)) return false;
  const digits = text.replace(/[ -]/g, '');
  return CARD.test(digits) && isLuhnValid(digits) && !/^(\d)\1+$/.test(digits);
}

const SSN_LABEL = /_(?:ssn|social_security|socialsecurity|social|tin|tax_id|taxid|taxpayer|itin)_/;
/** 000, 666 and 900 to 999 are never issued, and no part is all zeros. */
const SSN = /^(?!000|666|9\d{2})\d{3}([ -]?)(?!00)\d{2}\1(?!0000)\d{4}$/;
/** Printed on specimen cards. */
const SPECIMENS = new Set(['078051120', '219099999', '123456789']);

function isSsn(text: string, label: string): boolean {
  const isDashed = /^\d{3}-\d{2}-\d{4}$/.test(text);
  if (!isDashed && !SSN_LABEL.test(label)) return false;
  return SSN.test(text) && !SPECIMENS.has(text.replace(/[ -]/g, ''));
}

const PHONE_LABEL =
  /_(?:phone|phones|phonenumber|mobile|mobilenumber|msisdn|tel|telephone|cell|cellphone|fax|whatsapp|sms)_/;
const INTERNATIONAL = /^\+[1-9]\d{0,2}(?:[ .-]?\(?\d{1,5}\)?){1,6}$/;
const NORTH_AMERICAN = /^(?:1[ .-]?)?\([2-9]\d{2}\) ?[2-9]\d{2}[ .-]\d{4}$/;
const BARE = /^(?:00)?[0-9](?:[ .()/-]{0,2}\d){6,14}$/;
/** `phone_verified_at` is a name with `phone`. */
const DATE = /^\d{4}-\d{2}-\d{2}/;
const PHONE_DIGITS_MIN = 8;
const PHONE_DIGITS_MAX = 15;

function isPhone(text: string, label: string): boolean {
  if (DATE.test(text)) return false;
  const digits = text.replace(/\D/g, '');
  if (PHONE_LABEL.test(label))
    return (
      digits.length >= 7 &&
      digits.length <= PHONE_DIGITS_MAX &&
      (BARE.test(text) || INTERNATIONAL.test(text) || NORTH_AMERICAN.test(text))
    );
  if (NORTH_AMERICAN.test(text)) return true;
  return INTERNATIONAL.test(text) && digits.length >= PHONE_DIGITS_MIN && digits.length <= PHONE_DIGITS_MAX;
}
