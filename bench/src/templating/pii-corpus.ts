import { isIbanValid, isLuhnValid, type PiiCategory } from '@flotilla/inventory';
import { Random } from '@flotilla/testkit/random';
import { FIRST_NAMES, LAST_NAMES, NOUNS } from './value-lists.ts';

/** A value as it may be in a path or a query, with the name of its parameter, and what it is. */
export interface Labelled {
  readonly value: string;
  readonly name: string;
  readonly truth: PiiCategory | undefined;
}

type Make = (random: Random) => Omit<Labelled, 'truth'>;

const PLAIN_NAMES = ['id', 'q', 'ref', 'order_id', 'value', 'key', 'n', ''];

/** Generators of each category, with how many of a thousand values each makes. */
const MAKERS: readonly (readonly [weight: number, truth: PiiCategory | undefined, make: Make])[] = [
  [120, 'email', (random) => ({ value: email(random), name: random.pick(['email', 'to', 'user', '', 'q']) })],
  [80, 'phone', (random) => ({ value: international(random), name: random.pick(PLAIN_NAMES) })],
  [
    50,
    'phone',
    (random) => ({
      value: national(random),
      name: random.pick(['phone', 'mobile', 'customerPhone', 'tel', 'phone_number', 'msisdn']),
    }),
  ],
  [
    20,
    'phone',
    (random) => ({ value: `(${area(random)}) ${area(random)}-${digits(random, 4)}`, name: random.pick(PLAIN_NAMES) }),
  ],
  [50, 'ssn', (random) => ({ value: ssn(random, '-'), name: random.pick(PLAIN_NAMES) })],
  [
    30,
    'ssn',
    (random) => ({ value: ssn(random, ''), name: random.pick(['ssn', 'social_security', 'tax_id', 'applicantSsn']) }),
  ],
  [
    50,
    'credit_card',
    (random) => ({ value: group(card(random), random.pick([' ', '-'])), name: random.pick(PLAIN_NAMES) }),
  ],
  [
    50,
    'credit_card',
    (random) => ({ value: card(random), name: random.pick(['card', 'cc', 'card_number', 'pan', 'creditCard']) }),
  ],
  [50, 'iban', (random) => ({ value: iban(random), name: random.pick([...PLAIN_NAMES, 'iban', 'account']) })],
  [20, 'iban', (random) => ({ value: iban(random).replace(/(.{4})(?=.)/g, '$1 '), name: random.pick(PLAIN_NAMES) })],
  // Near misses.
  [
    30,
    undefined,
    (random) => ({
      value: `${random.pick(NOUNS)}@${1 + random.below(3)}x.${random.pick(['png', 'jpg', 'webp'])}`,
      name: '',
    }),
  ],
  [20, undefined, (random) => ({ value: `@${random.pick(FIRST_NAMES)}`, name: 'handle' })],
  [
    20,
    undefined,
    (random) => ({
      value: `${random.pick(NOUNS)}@${digits(random, 1)}.${digits(random, 1)}.${digits(random, 2)}`,
      name: 'package',
    }),
  ],
  [
    15,
    undefined,
    (random) => ({
      value: `svc-${random.pick(NOUNS)}@${random.pick(NOUNS)}-prod.iam.gserviceaccount.com`,
      name: 'account',
    }),
  ],
  [60, undefined, (random) => ({ value: digits(random, 9 + random.below(8)), name: random.pick(PLAIN_NAMES) })],
  [
    40,
    undefined,
    (random) => ({ value: breakChecksum(card(random), random), name: random.pick(['card', 'cc', 'card_number']) }),
  ],
  [20, undefined, (random) => ({ value: card(random), name: random.pick(['order_id', 'tracking', 'id', 'imei']) })],
  [40, undefined, (random) => ({ value: breakIban(iban(random), random), name: random.pick(['iban', '', 'account']) })],
  [
    30,
    undefined,
    (random) => ({
      value: `${random.pick(['000', '666', '9'.concat(digits(random, 2))])}-${digits(random, 2)}-${digits(random, 4)}`,
      name: random.pick(PLAIN_NAMES),
    }),
  ],
  [30, undefined, (random) => ({ value: digits(random, 9), name: random.pick(['id', 'zip', 'order', 'account']) })],
  [
    30,
    undefined,
    (random) => ({
      value: `20${digits(random, 2)}-0${1 + random.below(9)}-1${digits(random, 1)}`,
      name: random.pick(['date', 'from', 'phone_verified_at']),
    }),
  ],
  [
    25,
    undefined,
    (random) => ({
      value: `${10 + random.below(200)}.${random.below(256)}.${random.below(256)}.${random.below(256)}`,
      name: 'ip',
    }),
  ],
  [25, undefined, (random) => ({ value: `+${random.pick(NOUNS)}`, name: 'q' })],
  [20, undefined, (random) => ({ value: `+${(random.next() * 90).toFixed(4)}`, name: random.pick(['lat', 'offset']) })],
  [
    30,
    undefined,
    (random) => ({ value: random.text('0123456789abcdef', 32), name: random.pick(['hash', 'card', 'token']) }),
  ],
  [30, undefined, (random) => ({ value: `${random.pick(FIRST_NAMES)}.${random.pick(LAST_NAMES)}`, name: 'user' })],
  [
    25,
    undefined,
    (random) => ({ value: `${digits(random, 3)}-${digits(random, 4)}-${digits(random, 7)}`, name: 'order' }),
  ],
  [
    20,
    undefined,
    (random) => ({
      value: String(1_700_000_000 + random.below(90_000_000)),
      name: random.pick(['ts', 'since', 'cardinality']),
    }),
  ],
  [
    15,
    undefined,
    (random) => ({
      value: `v${digits(random, 1)}.${digits(random, 2)}.${digits(random, 3)}+build.${digits(random, 4)}`,
      name: 'version',
    }),
  ],
];

/** Values in random order; the same for the same seed. */
export function generatePii(thousands: number, seed: number): Labelled[] {
  const random = new Random(seed);
  const list: Labelled[] = [];
  for (const [weight, truth, make] of MAKERS) {
    for (let at = 0; at < weight * thousands; at++) list.push({ ...make(random), truth });
  }
  return list;
}

function digits(random: Random, count: number): string {
  return random.text('0123456789', count);
}

function area(random: Random): string {
  return random.text('23456789', 1) + digits(random, 2);
}

function email(random: Random): string {
  const [first, last] = [random.pick(FIRST_NAMES), random.pick(LAST_NAMES)];
  const user = random.pick([
    `${first}.${last}`,
    first,
    `${first}_${last}${digits(random, 2)}`,
    `${first}+${random.pick(NOUNS)}`,
    `${first[0]}${last}`,
    `${first}-${last}`,
  ]);
  return `${user}@${random.pick(['example.com', 'mail.example.org', 'example.net', `${random.pick(NOUNS)}.example.com`, 'xn--bcher-kva.example'])}`;
}

function international(random: Random): string {
  const country = random.pick(['1', '44', '49', '33', '90', '91', '81', '351', '358', '971']);
  const separator = random.pick(['', ' ', '-', '.']);
  const parts = random.pick([
    [3, 3, 4],
    [2, 3, 2, 2],
    [3, 7],
    [4, 6],
  ]);
  return `+${country}${separator}${parts.map((count) => random.text('123456789', 1) + digits(random, count - 1)).join(separator)}`;
}

function national(random: Random): string {
  return random.pick([
    `0${digits(random, 9)}`,
    `${area(random)}-${area(random)}-${digits(random, 4)}`,
    `0${digits(random, 3)} ${digits(random, 6)}`,
    `05${digits(random, 2)} ${digits(random, 3)} ${digits(random, 2)} ${digits(random, 2)}`,
    digits(random, 10),
  ]);
}

function ssn(random: Random, separator: string): string {
  const first = String(1 + random.below(899)).padStart(3, '0');
  const safe = first === '666' ? '665' : first;
  return [safe, String(1 + random.below(99)).padStart(2, '0'), String(1 + random.below(9999)).padStart(4, '0')].join(
    separator,
  );
}

function card(random: Random): string {
  const [prefix, length] = random.pick([
    ['4', 16],
    ['51', 16],
    ['55', 16],
    ['2221', 16],
    ['34', 15],
    ['37', 15],
    ['6011', 16],
    ['3530', 16],
    ['36', 14],
    ['4', 16],
  ] as const);
  const body = prefix + digits(random, length - prefix.length - 1);
  return body + (Array.from('0123456789').find((check) => isLuhnValid(body + check)) ?? '');
}

function group(number: string, separator: string): string {
  if (number.length < 16) return [number.slice(0, 4), number.slice(4, 10), number.slice(10)].join(separator);
  return number.replace(/(.{4})(?=.)/g, `$1${separator}`);
}

function breakChecksum(number: string, random: Random): string {
  return number.slice(0, -1) + ((Number(number.at(-1)) + 1 + random.below(9)) % 10);
}

function iban(random: Random): string {
  const [country, body] = random.pick([
    ['DE', digits(random, 18)],
    ['FR', digits(random, 23)],
    ['GB', random.text('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 4) + digits(random, 14)],
    ['NL', random.text('ABCDEFGHIJKLMNOPQRSTUVWXYZ', 4) + digits(random, 10)],
    ['TR', digits(random, 22)],
    ['ES', digits(random, 20)],
    ['NO', digits(random, 11)],
  ] as const);
  for (let check = 2; check <= 98; check++) {
    const candidate = country + String(check).padStart(2, '0') + body;
    if (isIbanValid(candidate)) return candidate;
  }
  throw new Error('One of the checksums fits.');
}

function breakIban(number: string, random: Random): string {
  const check = Number(number.slice(2, 4));
  return number.slice(0, 2) + String((check + 1 + random.below(90)) % 100).padStart(2, '0') + number.slice(4);
}
