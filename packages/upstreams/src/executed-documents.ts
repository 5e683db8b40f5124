/** The parts of a resolver's argument that are used here. */
interface ResolveInfo {
  readonly operation: { readonly loc?: { readonly source: { readonly body: string } } | undefined };
}

export const SCHEMA = 'type Query { a(s: String): Query b(s: String): Query c(s: String): Int }';

/** Root fields that record the text of the document that a server executes. */
export class ExecutedDocuments {
  #documents: Buffer[] = [];

  /** For the fields of `SCHEMA`. */
  readonly resolvers = {
    Query: {
      a: (_parent: unknown, _args: unknown, _context: unknown, details: ResolveInfo) => this.#record(details, {}),
      b: (_parent: unknown, _args: unknown, _context: unknown, details: ResolveInfo) => this.#record(details, {}),
      c: (_parent: unknown, _args: unknown, _context: unknown, details: ResolveInfo) => this.#record(details, 1),
    },
  };

  /** For `buildSchema` of graphql-js, which finds fields in the root value. */
  readonly rootValue = {
    a: (_args: unknown, _context: unknown, details: ResolveInfo) => this.#record(details, this.rootValue),
    b: (_args: unknown, _context: unknown, details: ResolveInfo) => this.#record(details, this.rootValue),
    c: (_args: unknown, _context: unknown, details: ResolveInfo) => this.#record(details, 1),
  };

  /** Returns what was recorded since the last call. */
  take(): Buffer[] {
    const taken = this.#documents;
    this.#documents = [];
    return taken;
  }

  #record<T>({ operation }: ResolveInfo, value: T): T {
    const text = operation.loc?.source.body;
    if (text === undefined) throw new Error('a document without its text');
    this.#documents.push(Buffer.from(text));
    return value;
  }
}
