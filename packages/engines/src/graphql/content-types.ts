import type { GraphqlOptions } from '@flotilla/policy';
import { type AsciiMeaning, findCharsets, readAscii } from '../content/charsets.ts';
import { readBoundary } from '../content/multipart/boundary.ts';

/**
 * How a body contains a document: JSON, the document itself, a form with a field `query`, or parts. `some document`:
 * the type of a document is mentioned but not every program applies it, so the body need not be one.
 */
export type BodyForm = 'json' | 'document' | 'some document' | 'form' | 'multipart';

/** Describes the body of a request according to its content type headers. */
export interface BodyReading {
  /** Every form in which some program may read it; empty if none of the lines requires inspection. */
  readonly forms: readonly BodyForm[];
  /** Lowercase and unique; empty if none is declared. */
  readonly charsets: readonly string[];
  /** The meaning of ASCII bytes in the URL or a form: Django decodes both by the charset. */
  readonly ascii: AsciiMeaning;
  /** The boundary of a multipart body if all parsers read the same one; otherwise empty. */
  readonly boundary: string;
}

const NO_LINES = [''];
/** Limits of the cache: other lines are parsed for each request. */
const REMEMBERED_LENGTH_MAX = 128;
const REMEMBERED_COUNT_MAX = 64;

/** Types that a range in the policy may cover and that are not read as JSON. */
const OTHER_TYPES = ['application/graphql', 'application/x-www-form-urlencoded', 'multipart/form-data'];

/** Formidable searches for the word anywhere and accepts any multipart type. */
const MULTIPART = 'multipart';

/**
 * Parses content types like the most lenient server: all lines count, and all types in one line; a type ends at the
 * first `;`, `,` or white space; case is ignored. Types mentioned anywhere in a line count too (graphql-php searches
 * the line, Strawberry the part before the `;`), without white space in them (graphql-http). A request without any type
 * is read as JSON, because servers that ignore the type do so.
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
      // Each request has its own boundary.
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
    // gqlgen checks whether a form is JSON.
    if (forms.has('form')) forms.add('json').add('some document');
    // Yoga reads `application/graphql+json` as JSON, graphql-php as a document.
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
