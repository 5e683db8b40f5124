import type { GraphqlOptions } from '@flotilla/policy';
import { type AsciiMeaning, findCharsets, readAscii } from '../content/charsets.ts';
import { readBoundary } from '../content/multipart/boundary.ts';

/**
 * How a body carries a document: JSON, the document itself, a form with a field `query`, or parts. `some document`: the type of
 * a document is mentioned, but is not the body's to everybody, so that it need not be one.
 */
export type BodyForm = 'json' | 'document' | 'some document' | 'form' | 'multipart';

/** What a request's content type lines say of its body. */
export interface BodyReading {
  /** Every form in which it may be read; empty when none of the lines asks for inspection. */
  readonly forms: readonly BodyForm[];
  /** Lowercase, none twice; empty when none is declared. */
  readonly charsets: readonly string[];
  /** What these make of a URL, or of a form: Django reads both by the charset. */
  readonly ascii: AsciiMeaning;
  /** Of a body of parts, where all parsers read the same one; else empty. */
  readonly boundary: string;
}

const NO_LINES = [''];
/** Lines longer than this, or more than so many different ones, are read anew for each request. */
const REMEMBERED_LENGTH_MAX = 128;
const REMEMBERED_COUNT_MAX = 64;

/** Types that a range of the policy may stand for, and that are not read as JSON. */
const OTHER_TYPES = ['application/graphql', 'application/x-www-form-urlencoded', 'multipart/form-data'];

/** Formidable looks for the word anywhere, and takes any type of parts for this one. */
const MULTIPART = 'multipart';

/**
 * Reads content types the way the most lenient server does: several lines, or several types in one line, count each; a
 * type ends at the first `;`, `,` or white space; letter case is no matter. Types that are mentioned anywhere in a line
 * count too (graphql-php looks for them there, Strawberry anywhere before the `;`), white space in them left out
 * (graphql-http). A request that declares no type at all is read as JSON, because servers that never look at the type do.
 */
export class ContentTypes {
  readonly #exact: ReadonlySet<string>;
  readonly #ranges: readonly string[];
  readonly #mentions: readonly string[];
  readonly #hasMultipart: boolean;
  readonly #remembered = new Map<string, BodyReading>();

  constructor(options: GraphqlOptions) {
    this.#exact = new Set(options.contentTypes);
    this.#ranges = options.contentTypes
      .filter((type) => type.endsWith('/*'))
      .map((type) => (type === '*/*' ? '' : type.slice(0, -1)));
    const others = OTHER_TYPES.filter((type) => this.#ranges.some((range) => type.startsWith(range)));
    this.#mentions = [...this.#exact, ...others];
    this.#hasMultipart = this.#mentions.some((type) => type.startsWith(MULTIPART));
  }

  read(lines: readonly string[]): BodyReading {
    const [only = ''] = lines;
    if (lines.length > 1 || only.length > REMEMBERED_LENGTH_MAX) return this.#read(lines);
    let reading = this.#remembered.get(only);
    if (reading === undefined) {
      reading = this.#read(lines.length === 0 ? NO_LINES : lines);
      // Each has a boundary of its own.
      if (reading.forms.includes('multipart')) return reading;
      if (this.#remembered.size >= REMEMBERED_COUNT_MAX) this.#remembered.clear();
      this.#remembered.set(only, reading);
    }
    return reading;
  }

  #read(lines: readonly string[]): BodyReading {
    const forms = new Set<BodyForm>();
    const charsets = new Set<string>();
    let mentionsDocument = false;
    for (const line of lines.map((each) => each.toLowerCase())) {
      for (const part of line.split(',')) {
        const type = /^\s*([^;\s]*)/.exec(part)?.[1] ?? '';
        if (this.#asks(type)) forms.add(formOf(type));
      }
      const dense = line.replaceAll(/\s/g, '');
      for (const mention of this.#mentions) {
        if (!dense.includes(mention)) continue;
        const form = formOf(mention);
        mentionsDocument ||= form === 'document';
        if (form !== 'document') forms.add(form);
      }
      if (this.#hasMultipart && dense.includes(MULTIPART)) forms.add('multipart').add('json');
      for (const charset of findCharsets(line)) charsets.add(charset);
    }
    // gqlgen looks whether a form is one.
    if (forms.has('form')) forms.add('json').add('some document');
    // Yoga takes `application/graphql+json` for JSON, graphql-php for a document.
    if (mentionsDocument && !forms.has('document')) forms.add('json').add('some document');
    if (forms.has('document')) forms.delete('some document');
    return {
      forms: [...forms],
      charsets: [...charsets],
      ascii: readAscii([...charsets]),
      boundary: forms.has('multipart') ? readBoundary(lines) : '',
    };
  }

  #asks(type: string): boolean {
    return type === '' || this.#exact.has(type) || this.#ranges.some((range) => type.startsWith(range));
  }
}

function formOf(type: string): BodyForm {
  if (type === 'application/x-www-form-urlencoded') return 'form';
  return type.startsWith('application/graphql') && !type.endsWith('+json') ? 'document' : 'json';
}
