import fc from 'fast-check';

/**
 * A kind of program behind the filter: how and how often it decodes, and what separates segments. Implemented
 * independently of `path.ts`, character by character, so that the two can be compared.
 */
export interface PathReader {
  readonly rounds: number;
  /**
   * `keep`: an encoded slash or backslash stays in its segment; `lenient`: `%u002f` and overlong UTF-8 are decoded,
   * too.
   */
  readonly decoding: 'plain' | 'keep' | 'lenient';
  readonly backslashSeparates: boolean;
  readonly parametersCut: boolean;
  /** Cuts a query after each round of decoding. */
  readonly queryCut: boolean;
  readonly caseFolded: boolean;
}

export const pathReader: fc.Arbitrary<PathReader> = fc.record({
  rounds: fc.constantFrom(0, 1, 2),
  decoding: fc.constantFrom('plain', 'keep', 'lenient'),
  backslashSeparates: fc.boolean(),
  parametersCut: fc.boolean(),
  queryCut: fc.boolean(),
  caseFolded: fc.boolean(),
});

/** Building blocks of malicious paths; `guarded` is the segment that they try to access unnoticed. */
export const PATH_PIECES = [
  ...['/', '//', '.', '..', ';', ';x', '\\', 'guarded', 'Guarded', 'public', 'x', '%', '%zz', '%3f', '%23', '%253f'],
  ...['%2f', '%2F', '%5c', '%2e', '%2E%2e', '%67uarded', '%47uarded', '%252f', '%255c', '%252e', '%2567uarded'],
  ...[
    '%3b',
    '%253b',
    '%u002f',
    '%u002e',
    '%U0067uarded',
    '%c0%af',
    '%c0%ae',
    '%c1%a7uarded',
    '%e0%80%af',
    '%25c0%25af',
  ],
  ...['%00', '%09', '%ff', 'x%2fy', '/../', '%C5%BFecret', 'secret', '/%2e%2e/'],
  ...[
    '/index.php',
    '/a.php/',
    '.cgi/',
    '%2ephp/',
    '.wsgi/',
    '.php7',
    'x../',
    '..%2f',
    'x./',
    '/.../',
    '.%20/',
    '.cgi./',
    '/(S(x))',
    '/(A(y)F(z))/',
  ],
] as const;

/** A path so long and odd that not all of its readings are listed. */
export const UNLISTED_PATH = `/${'/A%5c/%5c//;x/../%252e%2f..A;x//../\\%c0%af%5c%u002fx%09%253f%00'.repeat(900)}`;

/** The path that such a program serves; without a trailing slash. */
export function servePath(path: string, reader: PathReader): string {
  let text = path;
  for (let round = 0; round < reader.rounds; round++) {
    text = decode(text, reader.decoding);
    if (reader.queryCut) text = text.split(/[?#]/)[0] ?? '';
  }
  if (reader.backslashSeparates) text = text.split('\\').join('/');
  const stack: string[] = [];
  for (const segment of text.split('/')) {
    const name = reader.parametersCut ? (segment.split(';')[0] ?? '') : segment;
    if (name === '..') stack.pop();
    else if (name !== '' && name !== '.') stack.push(name);
  }
  const served = `/${stack.join('/')}`;
  return reader.caseFolded ? served.toLowerCase() : served;
}

function decode(text: string, decoding: PathReader['decoding']): string {
  let decoded = '';
  for (let i = 0; i < text.length; ) {
    const [length, code] = readCharacter(text, i, decoding === 'lenient');
    const character = String.fromCharCode(code);
    const isKept = decoding === 'keep' && (character === '/' || character === '\\');
    decoded += length === 0 || isKept ? text.slice(i, i + Math.max(length, 1)) : character;
    i += Math.max(length, 1);
  }
  return decoded;
}

/** Length and code of the escaped ASCII character at `at`; length 0 for other text. */
function readCharacter(text: string, at: number, isLenient: boolean): [length: number, code: number] {
  const rest = text.slice(at, at + 9);
  const plain = /^%([0-7][0-9a-f])/i.exec(rest);
  if (plain) return [3, Number.parseInt(plain[1] ?? '', 16)];
  if (!isLenient) return [0, 0];
  const unicode = /^%u([0-9a-f]{4})/i.exec(rest);
  if (unicode) return [6, Number.parseInt(unicode[1] ?? '', 16)];
  const two = /^%c([01])%([89ab][0-9a-f])/i.exec(rest);
  if (two) return [6, Number(two[1]) * 64 + (Number.parseInt(two[2] ?? '', 16) & 63)];
  const three = /^%e0%8([01])%([89ab][0-9a-f])/i.exec(rest);
  if (three) return [9, Number(three[1]) * 64 + (Number.parseInt(three[2] ?? '', 16) & 63)];
  return [0, 0];
}

/** A step that a program applies to a request path before it looks up what it serves. */
export type PathStep =
  | ('decode' | 'drop' | 'merge' | 'undot' | 'parameters' | 'end' | 'url' | 'authority' | 'fold')
  | ('behind script' | 'behind second script' | 'behind last script' | 'without script' | 'alias')
  | ('drop dots' | 'drop climbing' | 'cookieless' | 'drop ends' | 'decode wide');

/** Observed behaviour of programs, including the proxies and servers in front of them. */
export const PATH_PROGRAMS: Readonly<Record<string, readonly PathStep[]>> = {
  'Flask, FastAPI, aiohttp, Fastify, net/http without a mux': ['decode'],
  'Fastify with ignoreDuplicateSlashes': ['decode', 'merge'],
  'Fastify with useSemicolonDelimiter': ['decode', 'parameters'],
  'a WSGI server behind Bottle': ['decode', 'drop', 'merge'],
  'a program in C': ['decode', 'end', 'merge', 'undot'],
  'http.ServeMux': ['decode', 'merge', 'undot'],
  'net/url JoinPath, then a handler': ['undot', 'decode'],
  'path.normalize, then decodeURIComponent': ['merge', 'undot', 'decode'],
  'Envoy with merge_slashes before it': ['undot', 'merge', 'decode'],
  'RFC 3986': ['decode', 'undot'],
  'RFC 3986, then slashes merged': ['decode', 'undot', 'merge'],
  'Hono, h3': ['url', 'undot'],
  'new URL, then decodeURIComponent': ['url', 'undot', 'decode'],
  'java.net.URI, url.Parse of Go, parse_url of PHP': ['url', 'decode'],
  'what decodes and parses then': ['decode', 'url', 'undot'],
  'two that decode': ['decode', 'decode'],
  'two that decode, the first tidies': ['decode', 'merge', 'undot', 'decode'],
  'two that decode, the second tidies': ['decode', 'decode', 'undot', 'merge'],
  'Django with a route of (?i)': ['decode', 'fold'],
  'parse_url of PHP, to which a backslash is a character': ['authority', 'decode'],
  'Symfony, Laravel, Slim by the name of their script': ['behind script', 'decode'],
  'Slim and Laravel, which merge slashes there': ['behind script', 'merge', 'decode'],
  'Symfony by a name that ends later': ['behind last script', 'decode'],
  'PATH_INFO of Apache, Caddy, php -S': ['decode', 'merge', 'undot', 'behind script'],
  'PATH_INFO of nginx, split at the last name': ['decode', 'merge', 'undot', 'behind last script'],
  'Symfony in a folder, by the first name that is its own': ['behind second script', 'decode'],
  'PHP in a folder': ['decode', 'merge', 'undot', 'without script'],
  'nginx with an alias that is a slash longer': ['decode', 'merge', 'undot', 'alias', 'undot'],
  'CodeIgniter 3': ['merge', 'drop dots'],
  'CodeIgniter 2': ['merge', 'drop climbing', 'merge'],
  'cpp-httplib, which knows %uHHHH and leaves dots': ['decode wide'],
  'CivetWeb, and disks of Windows, to which dots at the end of a name are nothing': [
    'decode',
    'undot',
    'drop ends',
    'merge',
  ],
  'CivetWeb with programs of CGI': ['decode', 'undot', 'drop ends', 'merge', 'behind script'],
  'ASP.NET, which looks for a session in the path': ['decode', 'merge', 'undot', 'cookieless'],
};

/** The path that a program with these steps serves. */
export function servePathBySteps(path: string, steps: readonly PathStep[]): string {
  return steps.reduce((text, step) => takeStep(text, step), path);
}

// oxlint-disable-next-line max-lines-per-function -- a table: one case per step
function takeStep(text: string, step: PathStep): string {
  switch (step) {
    case 'decode':
      return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
    case 'decode wide':
      return takeStep(
        text.replace(/%u([0-9a-f]{4})/gi, (_, hex: string) =>
          encodeURIComponent(String.fromCharCode(Number.parseInt(hex, 16)).toWellFormed()),
        ),
        'decode',
      );
    case 'drop':
      return text.split('\uFFFD').join('');
    case 'merge':
      return text.replace(/\/+/g, '/');
    case 'parameters':
      return text.replace(/;[^/]*/g, '');
    case 'end':
      return text.split(/[?#\0]/)[0] ?? '';
    case 'url': {
      const slashed = text
        .replace(/[\t\n\r]/g, '')
        .split('\\')
        .join('/');
      return /^\/\/+[^/]*(?<path>.*)$/s.exec(slashed)?.groups?.path || (slashed.startsWith('//') ? '/' : slashed);
    }
    case 'authority':
      return /^\/\/[^/]*(?<path>.*)$/s.exec(text)?.groups?.path ?? text;
    case 'behind script':
      return cutAtScript(text, 'first')[1];
    case 'behind last script':
      return cutAtScript(text, 'last')[1];
    case 'behind second script':
      return cutAtScript(text, 'second')[1];
    case 'without script':
      return cutAtScript(text, 'first').join('');
    case 'alias':
      return text.replace(/^\/[^/.]+(?=\.\.\/)/, '/srv/');
    case 'drop dots':
      return `/${text
        .split('/')
        .slice(1)
        .filter((segment) => segment !== '..')
        .join('/')}`;
    case 'drop climbing':
      return text.split('../').join('/');
    case 'cookieless':
      return text.replace(/\/\((?:[A-Z]\([^)/]*\))+\)(?=\/)/gi, '');
    case 'drop ends':
      return text
        .split('/')
        .map((name) => (name === '.' || name === '..' ? name : name.replace(/[. ]+$/, '')))
        .join('/');
    case 'fold':
      return text
        .replace(/\u017F/g, 's')
        .replace(/\u0131/g, 'i')
        .toLowerCase();
    case 'undot': {
      const stack: string[] = [];
      for (const segment of text.split('/').slice(1)) {
        if (segment === '..') stack.pop();
        else if (segment !== '.') stack.push(segment);
      }
      return `/${stack.join('/')}`;
    }
  }
}

/** The folder of a script and what follows its name; a path without a script is only the rest. */
function cutAtScript(text: string, which: 'first' | 'second' | 'last'): [folder: string, rest: string] {
  const ends = [...text.matchAll(/\.php|\.(?:cgi|wsgi)(?=\/)/gi)]
    .map(({ 0: name, index }) => index + name.length)
    .filter((end) => end < text.length);
  const place = { first: 0, second: Math.min(1, ends.length - 1), last: ends.length - 1 }[which];
  const end = ends[place];
  if (end === undefined) return ['', text];
  const folder = text.slice(0, end).split('/').slice(0, -1).join('/');
  return [folder, text[end] === '/' ? text.slice(end) : `/${text.slice(end)}`];
}
