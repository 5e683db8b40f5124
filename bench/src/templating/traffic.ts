import type { Answer } from '@flotilla/inventory';
import { Random } from '@flotilla/testkit/random';
import type { Api, Operation, Parameter, Piece } from './corpus.ts';
import { createDraw, pickIdStyle } from './values.ts';

/** One request and, unless it is noise, the operation that it belongs to. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly answer: Answer;
  /** Method and path with `{}` for each value. */
  readonly truth: string | undefined;
}

export interface Mix {
  readonly requestsPerOperation: number;
  /** `zipf`: by Zipf's law with this mean, at least one each; `equal`: the same number for each. */
  readonly popularity: 'zipf' | 'equal';
  /** Whether the answers say which paths exist. */
  readonly hasAnswers: boolean;
}

const NOISE_SHARE = 0.1;
const NOISE_MIN = 300;
const MISSPELLED = 0.01;

/** The traffic of one API, in random order: requests of its operations, misspelled ones, and probes of a scanner. */
export function generateTraffic(api: Api, mix: Mix): Sent[] {
  const random = new Random(`${api.id} ${mix.requestsPerOperation} ${mix.popularity}`);
  const pools = new Pools(random);
  const order = shuffle([...api.operations], random);
  const share = harmonic(order.length) / order.length;
  const sent = order.flatMap((operation, rank) => {
    const requests =
      mix.popularity === 'equal'
        ? mix.requestsPerOperation
        : Math.max(1, Math.round(mix.requestsPerOperation / (share * (rank + 1))));
    return Array.from({ length: requests }, () => sendRequest(operation, pools, random));
  });
  const probes = Math.max(NOISE_MIN, Math.round(sent.length * NOISE_SHARE));
  for (let at = 0; at < probes; at++) sent.push(sendProbe(random));
  const all = shuffle(sent, random);
  return mix.hasAnswers ? all : all.map((request) => ({ ...request, answer: 'answered' }));
}

function harmonic(count: number): number {
  let sum = 0;
  for (let rank = 1; rank <= count; rank++) sum += 1 / rank;
  return sum;
}

function shuffle<T>(items: T[], random: Random): T[] {
  for (let at = items.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    const item = items[at] as T;
    items[at] = items[other] as T;
    items[other] = item;
  }
  return items;
}

/** Values of one API. A parameter of one name after one segment has the same values in all operations. */
class Pools {
  readonly #random: Random;
  readonly #idStyle: ReturnType<typeof pickIdStyle>;
  readonly #pools = new Map<string, string[]>();

  constructor(random: Random) {
    this.#random = random;
    this.#idStyle = pickIdStyle(random);
  }

  draw(parameter: Parameter, before: string): string {
    const key = `${before} ${parameter.name}`;
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      const draw = createDraw(parameter, this.#random, this.#idStyle);
      // Between 20 and 5,000 values.
      const size = Math.round(20 * 250 ** this.#random.next());
      pool = [...new Set(Array.from({ length: size }, () => draw(this.#random)))];
      this.#pools.set(key, pool);
    }
    return pool[this.#random.zipf(pool.length)] ?? '0';
  }
}

function sendRequest({ method, segments }: Operation, pools: Pools, random: Random): Sent {
  let before = '';
  const filled = segments.map((pieces) => {
    const text = pieces
      .map((piece) => (typeof piece === 'string' ? encodePath(piece) : encodeValue(pools.draw(piece, before))))
      .join('');
    before = pieces.length === 1 && typeof pieces[0] === 'string' ? pieces[0] : before;
    return text;
  });
  const path = `/${filled.join('/')}`;
  const truth = `${method} /${segments.map(canonical).join('/')}`;
  if (random.chance(MISSPELLED)) return { method, path: misspell(path, random), answer: 'missing', truth: undefined };
  const roll = random.next();
  const answer = roll < 0.025 ? 'missing' : roll < 0.035 ? 'refused' : 'answered';
  return { method, path: spellOddly(path, random), answer, truth };
}

function encodePath(text: string): string {
  return text.replace(/[%\s]/g, encodeURIComponent);
}

function encodeValue(value: string): string {
  return encodeURIComponent(value.replaceAll('%20', ' ')).replaceAll(/%(?:3A|40|2C|24)/g, decodeURIComponent);
}

/** Adjacent parameters are one value. */
export function canonical(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => (typeof piece === 'string' ? piece : '{}'))
    .join('')
    .replaceAll(/(?:\{\})+/g, '{}');
}

/** Clients write the same path in several ways. */
function spellOddly(path: string, random: Random): string {
  const roll = random.next();
  if (roll < 0.02) return `${path}/`;
  if (roll < 0.03) return path.replace('/', '//');
  if (roll < 0.04) return path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  if (roll < 0.2) return `${path}?page=${random.below(9)}&q=${random.below(1000)}`;
  return path;
}

function misspell(path: string, random: Random): string {
  const at = 1 + random.below(Math.max(1, path.length - 1));
  return random.chance(0.5)
    ? path.slice(0, at) + path.slice(at + 1)
    : path.slice(0, at) + random.pick(['a', 'e', 's', 'x']) + path.slice(at);
}

const PROBES = [
  '.env',
  '.git/config',
  'wp-login.php',
  'wp-admin',
  'phpmyadmin',
  'admin',
  'server-status',
  'actuator/env',
  'cgi-bin/test.cgi',
  'api/v1/users',
  'backup.zip',
  'config.json',
  'solr/admin',
  'vendor/phpunit',
  'owa',
  'login.jsp',
  'manager/html',
  'robots.txt',
  'console',
  '.aws/credentials',
];

function sendProbe(random: Random): Sent {
  const name = random.chance(0.5)
    ? random.pick(PROBES)
    : random.text('abcdefghijklmnopqrstuvwxyz', 3 + random.below(8));
  const folder = random.chance(0.4)
    ? `${random.pick(['api', 'v1', 'app', 'old', 'test', 'www', 'backup', 'users'])}/`
    : '';
  const ending = random.chance(0.3) ? random.pick(['.php', '.bak', '.old', '.asp', '~', '.sql']) : '';
  return {
    method: random.chance(0.9) ? 'GET' : 'POST',
    path: `/${folder}${name}${ending}`,
    answer: random.chance(0.9) ? 'missing' : 'refused',
    truth: undefined,
  };
}
