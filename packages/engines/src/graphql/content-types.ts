import type { GraphqlOptions } from '@flotilla/policy';

/** How a body carries a document: JSON, the document itself, or a form with a field `query`. */
export type BodyForm = 'json' | 'document' | 'form';

/** What a request's content type lines say of its body. */
export interface BodyReading {
  /** Every form in which it may be read; empty when none of the lines asks for inspection. */
  readonly forms: readonly BodyForm[];
  /** Lowercase, none twice; empty when none is declared. */
  readonly charsets: readonly string[];
}

const NO_LINES = [''];
/** Lines longer than this, or more than so many different ones, are read anew for each request. */
const REMEMBERED_LENGTH_MAX = 128;
const REMEMBERED_COUNT_MAX = 64;

/**
 * Reads content types the way the most lenient server does: several lines, or several types in one line, count each; a
 * type ends at the first `;`, `,` or white space; letter case is no matter. A request that declares no type at all is
 * read as JSON, because servers that never look at the type do.
 */
export class ContentTypes {
  readonly #exact: ReadonlySet<string>;
  readonly #ranges: readonly string[];
  readonly #remembered = new Map<string, BodyReading>();

  constructor(options: GraphqlOptions) {
    this.#exact = new Set(options.contentTypes);
    this.#ranges = options.contentTypes
      .filter((type) => type.endsWith('/*'))
      .map((type) => (type === '*/*' ? '' : type.slice(0, -1)));
  }

  read(lines: readonly string[]): BodyReading {
    const [only = ''] = lines;
    if (lines.length > 1 || only.length > REMEMBERED_LENGTH_MAX) return this.#read(lines);
    let reading = this.#remembered.get(only);
    if (reading === undefined) {
      reading = this.#read(lines.length === 0 ? NO_LINES : lines);
      if (this.#remembered.size >= REMEMBERED_COUNT_MAX) this.#remembered.clear();
      this.#remembered.set(only, reading);
    }
    return reading;
  }

  #read(lines: readonly string[]): BodyReading {
    const forms = new Set<BodyForm>();
    const charsets = new Set<string>();
    for (const line of lines) {
      for (const part of line.toLowerCase().split(',')) {
        const type = /^\s*([^;\s]*)/.exec(part)?.[1] ?? '';
        if (this.#asks(type)) forms.add(formOf(type));
      }
      for (const [, charset = ''] of line.toLowerCase().matchAll(/charset\s*=\s*["']?([^"';,\s]+)/g)) {
        charsets.add(charset);
      }
    }
    return { forms: [...forms], charsets: [...charsets] };
  }

  #asks(type: string): boolean {
    return type === '' || this.#exact.has(type) || this.#ranges.some((range) => type.startsWith(range));
  }
}

function formOf(type: string): BodyForm {
  if (type === 'application/x-www-form-urlencoded') return 'form';
  return type.startsWith('application/graphql') && !type.endsWith('+json') ? 'document' : 'json';
}
