import type { Random } from '@flotilla/testkit/random';
import type { Parameter } from './corpus.ts';
import {
  ADJECTIVES,
  CITIES,
  COLLIDING,
  COUNTRIES,
  CURRENCIES,
  EXTENSIONS,
  FIRST_NAMES,
  FORMATS,
  KINDS,
  LANGUAGES,
  LAST_NAMES,
  NOUNS,
  PERIODS,
  TICKERS,
} from './value-lists.ts';

type Draw = (random: Random) => string;

const DIGITS = '0123456789';
const HEX = '0123456789abcdef';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const BASE62 = DIGITS + LOWER + UPPER;
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const hex =
  (length: number): Draw =>
  (random) =>
    random.text(HEX, length);
const uuid: Draw = (random) =>
  `${hex(8)(random)}-${hex(4)(random)}-4${hex(3)(random)}-${random.pick(['8', '9', 'a', 'b'])}${hex(3)(random)}-${hex(12)(random)}`;
const integer =
  (digits: number): Draw =>
  (random) =>
    String(1 + random.below(10 ** digits));
const day: Draw = (random) => `20${10 + random.below(17)}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`;
const oneOf =
  (items: readonly string[]): Draw =>
  (random) =>
    random.pick(items);

function two(number: number): string {
  return String(number).padStart(2, '0');
}

/** Names as people give them. A few are also words of paths. */
const username: Draw = (random) => {
  if (random.chance(0.02)) return random.pick(COLLIDING);
  const first = random.pick(FIRST_NAMES);
  const last = random.pick(LAST_NAMES);
  return random.pick([
    first,
    first + last,
    `${first}.${last}`,
    `${first}${1 + random.below(99)}`,
    `${first[0]}${last}`,
    `${random.pick(ADJECTIVES)}${random.pick(NOUNS)}`,
    `${first}_${last}`,
    `${last}-${random.pick(NOUNS)}`,
  ]);
};
const slug: Draw = (random) => {
  if (random.chance(0.02)) return random.pick(COLLIDING);
  const noun = random.pick(NOUNS);
  const adjective = random.pick(ADJECTIVES);
  const other = random.pick(NOUNS);
  return random.pick([
    noun,
    `${adjective}-${noun}`,
    `${noun}-${other}`,
    `${noun}_${other}`,
    `${adjective}-${noun}-${other}`,
    `${noun}-${1 + random.below(50)}`,
    `${noun}${other}`,
    `${adjective[0]?.toUpperCase()}${adjective.slice(1)}${noun[0]?.toUpperCase()}${noun.slice(1)}`,
  ]);
};
const title: Draw = (random) =>
  random.chance(0.3) ? `${random.pick(ADJECTIVES)}%20${random.pick(NOUNS)}` : slug(random);
const version: Draw = (random) =>
  random.pick([
    `${random.below(6)}.${random.below(20)}.${random.below(10)}`,
    `v${1 + random.below(4)}.${random.below(9)}`,
    integer(2)(random),
  ]);

const ID_STYLES: readonly (readonly [weight: number, make: (random: Random) => Draw])[] = [
  [38, (random) => integer(4 + random.below(6))],
  [20, () => uuid],
  [7, () => hex(24)],
  [3, () => (random) => `01${random.text(CROCKFORD, 24)}`],
  [
    9,
    (random) => {
      const prefix = `${random.text(LOWER, 2 + random.below(3))}_`;
      return (later) => prefix + later.text(BASE62, 14);
    },
  ],
  [8, () => (random) => random.text(`${BASE62}-_`, 11)],
  [5, () => hex(32)],
  [4, () => (random) => random.text(DIGITS + LOWER, 10)],
  [
    3,
    (random) => {
      const prefix = `${random.text(UPPER, 3)}-`;
      return (later) => prefix + integer(5)(later);
    },
  ],
  [3, () => slug],
];

export function pickIdStyle(random: Random): Draw {
  let at = random.next() * ID_STYLES.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of ID_STYLES) {
    at -= weight;
    if (at < 0) return make(random);
  }
  return uuid;
}

/** By the name of the parameter, the first that matches. */
const BY_NAME: readonly (readonly [RegExp, Draw])[] = [
  [
    /e-?mail/,
    (random) => `${random.pick(FIRST_NAMES)}.${random.pick(LAST_NAMES)}@example.${random.pick(['com', 'org', 'net'])}`,
  ],
  [/^(?:start|end|from|to|created)?_?(?:date|day)(?:time)?$|date$/, day],
  [/year/, (random) => String(1990 + random.below(36))],
  [/month|hour|minute/, (random) => String(1 + random.below(12))],
  [/(?:sha|hash|digest|checksum|commit|txid|tx_?id|block_?id)/, hex(40)],
  [/uuid|guid/, uuid],
  [
    /ip(?:_?address|v4)?$/,
    (random) => `${10 + random.below(200)}.${random.below(256)}.${random.below(256)}.${random.below(256)}`,
  ],
  [/^(?:lat|latitude|lng|lon|longitude)/, (random) => (random.next() * 180 - 90).toFixed(4)],
  [/token|nonce|secret$|signature/, (random) => random.text(BASE62, 32)],
  [/phone|msisdn/, (random) => `+1${random.text('23456789', 10)}`],
  [/country/, oneOf(COUNTRIES)],
  [/currency|^coin$/, oneOf(CURRENCIES)],
  [/lang|locale|culture/, oneOf(LANGUAGES)],
  [/symbol|ticker|market|pair/, oneOf(TICKERS)],
  [/format|ext(?:ension)?$|mediatype/, oneOf(FORMATS)],
  [/period|interval|frequency|granularity/, oneOf(PERIODS)],
  [/city|region|zone|location|place/, oneOf(CITIES)],
  [/version|revision|release/, version],
  [/file|path|object|document_?name|attachment/, (random) => `${slug(random)}.${random.pick(EXTENSIONS)}`],
  [
    /domain|host/,
    (random) => `${random.pick(NOUNS)}-${random.pick(NOUNS)}.example.${random.pick(['com', 'org', 'net'])}`,
  ],
  [
    /^(?:type|kind|status|state|category|scope|mode|level|action|field|metric|resource|entity|module|method)$|type$|status$/,
    oneOf(KINDS),
  ],
  [/user|owner|author|member|login|handle|account_?name|actor|person|player|customer_?name/, username],
  [/title|query|keyword|text|term|search|word|phrase/, title],
  [
    /number|num$|index|page|offset|limit|count|size|width|height|position|sequence|no$|nr$|amount|level|rank/,
    integer(3),
  ],
  [/code|zip|postal|iata|icao/, (random) => random.text(UPPER + DIGITS, 3 + random.below(4))],
];

const IS_ID = /(?:^|[_-])(?:id|ids|key|pk|uid|oid|sid|gid|ref|identifier)\d*$|I[dD]s?\d*$|Key$|Ref$|Identifier$|^ID$/;

/** Creates the source of a parameter's values: the same for all operations of one API. */
export function createDraw(parameter: Parameter, random: Random, idStyle: Draw): Draw {
  const { type, format, choices, examples, name } = parameter;
  if (choices.length > 0) return oneOf(choices);
  if (format === 'uuid' || format === 'guid') return uuid;
  if (format === 'date') return day;
  if (format === 'date-time')
    return (later) => `${day(later)}T${two(later.below(24))}:${two(later.below(60))}:${two(later.below(60))}Z`;
  if (type === 'boolean') return oneOf(['true', 'false']);
  if (type === 'integer')
    return /year/i.test(name) ? (later) => String(1990 + later.below(36)) : integer(1 + random.below(8));
  if (type === 'number') return random.chance(0.5) ? integer(6) : (later) => (later.next() * 100).toFixed(2);
  const shaped = examples.find((example) => /\d/.test(example));
  if (shaped !== undefined) return (later) => vary(shaped, later);
  const lower = name.toLowerCase();
  for (const [pattern, draw] of BY_NAME) {
    if (IS_ID.test(name) && draw !== uuid) continue;
    if (pattern.test(lower)) return withExamples(draw, examples);
  }
  if (IS_ID.test(name)) return random.chance(0.75) ? idStyle : pickIdStyle(random);
  return withExamples(random.chance(0.15) ? idStyle : slug, examples);
}

function withExamples(draw: Draw, examples: readonly string[]): Draw {
  return examples.length === 0 ? draw : (random) => (random.chance(0.1) ? random.pick(examples) : draw(random));
}

/** Another value of the shape of an example: a prefix of letters and all separators stay. */
function vary(example: string, random: Random): string {
  const prefix = /^[A-Za-z]+(?=[_-])/.exec(example)?.[0].length ?? 0;
  const isHex = /^[0-9a-f-]+$/.test(example) && /[a-f]/.test(example);
  let text = example.slice(0, prefix);
  for (const character of example.slice(prefix)) {
    if (/\d/.test(character)) text += random.pick(Array.from(isHex ? HEX : DIGITS));
    else if (/[a-z]/.test(character)) text += random.pick(Array.from(isHex ? HEX : LOWER));
    else if (/[A-Z]/.test(character)) text += random.pick(Array.from(UPPER));
    else text += character;
  }
  return text;
}
