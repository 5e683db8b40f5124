import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { describeEngine } from './engine-words.ts';
import { texts } from './texts.tsx';

const words = texts.structure;

export interface PolicyStructure {
  readonly defaults: { readonly line: number; readonly mode: string; readonly failMode: string };
  readonly domains: readonly DomainStructure[];
}

export interface DomainStructure {
  /** 1-based, as all lines here. */
  readonly line: number;
  readonly hosts: readonly string[];
  readonly mode: string;
  readonly engines: readonly EngineStructure[];
  readonly routes: readonly RouteStructure[];
}

export interface RouteStructure {
  readonly line: number;
  readonly prefix: string;
  readonly mode: string;
  /** Own engines, inherited ones, and those of the domain that are switched off here. */
  readonly engines: readonly EngineStructure[];
}

export interface EngineStructure {
  readonly name: string;
  readonly line: number;
  readonly origin: 'own' | 'inherited' | 'off';
  readonly words: readonly string[];
}

export interface TextProblem {
  readonly line: number;
  readonly message: string;
}

export type ParsedStructure =
  | { readonly ok: true; readonly structure: PolicyStructure }
  | { readonly ok: false; readonly problems: readonly TextProblem[] };

type Path = readonly (string | number)[];

/** Structure of a policy with inherited values; modes and engines as the filter resolves them. */
export function readStructure(text: string): ParsedStructure {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'silent' });
  if (document.errors.length > 0)
    return {
      ok: false,
      problems: document.errors.map(({ pos, message }) => ({
        line: lines.linePos(pos[0]).line,
        message: message.split('\n')[0] ?? message,
      })),
    };
  if (!isMap(document.contents)) return { ok: false, problems: [{ line: 1, message: words.notPolicy }] };
  return { ok: true, structure: new Reader(document, lines).read() };
}

class Reader {
  readonly #document: Document;
  readonly #lines: LineCounter;

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  read(): PolicyStructure {
    const defaults = ['spec', 'defaults'];
    const mode = this.#text([...defaults, 'mode']) ?? 'block';
    return {
      defaults: {
        line: this.#line(defaults),
        mode,
        failMode: this.#text([...defaults, 'fail_mode']) ?? 'fail_close',
      },
      domains: this.#items(['spec', 'domains']).map((path) => this.#domain(path, mode)),
    };
  }

  #domain(path: Path, defaultMode: string): DomainStructure {
    const mode = this.#text([...path, 'policy', 'mode']) ?? defaultMode;
    const engines = this.#engines(path);
    return {
      line: this.#line(path),
      hosts: this.#items([...path, 'hosts']).map((host) => this.#text(host) ?? ''),
      mode,
      engines: engines.filter(({ origin }) => origin === 'own'),
      routes: this.#items([...path, 'routes']).map((route) => this.#route(route, mode, engines)),
    };
  }

  #route(path: Path, domainMode: string, above: readonly EngineStructure[]): RouteStructure {
    const own = this.#engines(path);
    const names = new Set(own.map(({ name }) => name));
    const inherited = above
      .filter(({ name, origin }) => origin === 'own' && !names.has(name))
      .map((engine) => ({ ...engine, origin: 'inherited' as const }));
    const template = this.#text([...path, 'match', 'path_template']);
    return {
      line: this.#line(path),
      // Findings name a template like this.
      prefix: template === undefined ? (this.#text([...path, 'match', 'path_prefix']) ?? '') : `=${template}`,
      mode: this.#text([...path, 'policy', 'mode']) ?? domainMode,
      engines: [...own, ...inherited],
    };
  }

  #engines(path: Path): readonly EngineStructure[] {
    const engines = this.#node([...path, 'policy', 'engines']);
    if (!isMap(engines)) return [];
    return engines.items.flatMap(({ key, value }) => {
      if (!isScalar(key)) return [];
      const name = String(key.value);
      const block: unknown = isNode(value) ? value.toJS(this.#document) : value;
      const line = this.#lines.linePos(key.range?.[0] ?? 0).line;
      return [
        block === null || block === undefined
          ? { name, line, origin: 'off' as const, words: [] }
          : { name, line, origin: 'own' as const, words: describeEngine(name, block) },
      ];
    });
  }

  #node(path: Path): unknown {
    let node: unknown = this.#document.contents;
    for (const step of path) {
      const resolved = isNode(node) && 'source' in node && 'resolve' in node ? this.#resolve(node) : node;
      if (isMap(resolved)) node = resolved.get(step, true);
      else if (isSeq(resolved)) node = resolved.get(step, true);
      else return undefined;
    }
    return isNode(node) && 'resolve' in node ? this.#resolve(node) : node;
  }

  #resolve(node: unknown): unknown {
    return (node as { resolve(document: Document): unknown }).resolve(this.#document);
  }

  #items(path: Path): readonly Path[] {
    const list = this.#node(path);
    return isSeq(list) ? list.items.map((_, index) => [...path, index]) : [];
  }

  #text(path: Path): string | undefined {
    const node = this.#node(path);
    return isScalar(node) && node.value !== null ? String(node.value) : undefined;
  }

  #line(path: Path): number {
    const node = this.#node(path);
    return isNode(node) && node.range ? this.#lines.linePos(node.range[0]).line : 1;
  }
}
