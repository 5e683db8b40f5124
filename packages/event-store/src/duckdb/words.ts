import type { DuckDBConnection } from '@duckdb/node-api';
import { readRows } from './file.ts';

/** A project may have this many different texts in a column. Further ones are stored as `(other)`. */
export interface WordLimits {
  readonly path: number;
  readonly other: number;
}

export const OTHER_WORD = '(other)';
/** Names of projects are words of no project. */
const PROJECT_KIND = 'project';
const FLUSH_ROWS = 500;

interface NewWord {
  readonly id: number;
  readonly project: number;
  readonly kind: string;
  readonly text: string;
}

/**
 * The texts of the store and their numbers, in memory. A text that is new in a transaction belongs to it: `commit` keeps it, `rollback`
 * forgets it. Number 0 is the empty text.
 */
export class Words {
  readonly #limits: WordLimits;
  readonly #texts: (string | undefined)[] = [''];
  readonly #ids = new Map<string, Map<string, number>>();
  #added: NewWord[] = [];
  overflowed = 0;

  constructor(limits: WordLimits) {
    this.#limits = limits;
  }

  async load(connection: DuckDBConnection): Promise<void> {
    for (const row of await readRows(connection, 'select id, project, kind, text from words order by id')) {
      this.#set({ id: Number(row.id), project: Number(row.project), kind: String(row.kind), text: String(row.text) });
    }
  }

  textOf(id: unknown): string {
    return this.#texts[Number(id)] ?? '';
  }

  findProject(name: string): number | undefined {
    return this.#mapOf(0, PROJECT_KIND).get(name);
  }

  addProject(name: string): number {
    return this.findProject(name) ?? this.#add(0, PROJECT_KIND, name);
  }

  listProjects(): string[] {
    return [...this.#mapOf(0, PROJECT_KIND).keys()];
  }

  /** The number of a text, with a new one if there is room. */
  add(project: number, kind: string, text: string): number {
    if (text === '') return 0;
    const words = this.#mapOf(project, kind);
    const known = words.get(text);
    if (known !== undefined) return known;
    if (words.size < (kind === 'path' ? this.#limits.path : this.#limits.other)) return this.#add(project, kind, text);
    this.overflowed += 1;
    return words.get(OTHER_WORD) ?? this.#add(project, kind, OTHER_WORD);
  }

  find(project: number, kind: string, matches: (text: string) => boolean): number[] {
    const found = matches('') ? [0] : [];
    for (const [text, id] of this.#mapOf(project, kind)) if (matches(text)) found.push(id);
    return found;
  }

  findExact(project: number, kind: string, texts: readonly string[]): number[] {
    const words = this.#mapOf(project, kind);
    return texts.flatMap((text) => (text === '' ? [0] : (words.get(text) ?? [])));
  }

  /** Writes the new words into the transaction. */
  async flush(connection: DuckDBConnection): Promise<void> {
    for (let start = 0; start < this.#added.length; start += FLUSH_ROWS) {
      const rows = this.#added.slice(start, start + FLUSH_ROWS);
      const marks = rows.map(({ id, project }) => `(${id}, ${project}, ?, ?)`).join(', ');
      await connection.run(
        `insert into words values ${marks}`,
        rows.flatMap(({ kind, text }) => [kind, text]),
      );
    }
  }

  commit(): void {
    this.#added = [];
  }

  rollback(): void {
    for (const { id, project, kind, text } of this.#added) {
      this.#mapOf(project, kind).delete(text);
      this.#texts[id] = undefined;
    }
    this.#added = [];
  }

  forgetProject(project: number): void {
    for (const key of [...this.#ids.keys()]) if (key.startsWith(`${project} `)) this.#ids.delete(key);
    this.#mapOf(0, PROJECT_KIND).delete(this.textOf(project));
  }

  #add(project: number, kind: string, text: string): number {
    const word = { id: this.#texts.length, project, kind, text };
    this.#set(word);
    this.#added.push(word);
    return word.id;
  }

  #set({ id, project, kind, text }: NewWord): void {
    while (this.#texts.length < id) this.#texts.push(undefined);
    this.#texts[id] = text;
    this.#mapOf(project, kind).set(text, id);
  }

  #mapOf(project: number, kind: string): Map<string, number> {
    const key = `${project} ${kind}`;
    let words = this.#ids.get(key);
    if (words === undefined) {
      words = new Map();
      this.#ids.set(key, words);
    }
    return words;
  }
}
