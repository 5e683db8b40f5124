import { LinearPattern } from '../linear-pattern.ts';
import { type PathTemplate, readUriTemplate, toLiteralName } from './path-template.ts';
import { readRegex } from './plain-regex.ts';
import type { PathMatch, ServedRoute, TextMatch } from './served-route.ts';

/** `maybe`: something decides that is not known here. */
export type Verdict = boolean | 'maybe';

export interface CompiledPath {
  readonly matches: (path: string) => Verdict;
  /** The name of a path that matches; undefined: the route says nothing about it. */
  readonly nameOf: (path: string) => string | undefined;
  /** Segments that each matching path begins with. */
  readonly fixed: readonly string[];
  /** The only name that it gives, if it gives any. */
  readonly name: string | undefined;
  /** The route is a pattern: two patterns with one name cannot both have it. */
  readonly isPattern: boolean;
}

/** A route that is ready for requests. */
export class CompiledRoute {
  readonly order: number;
  /** Names that paths of the route may have. */
  readonly name: string | undefined;
  readonly #path: CompiledPath;
  readonly #methods: readonly ((method: string) => Verdict)[];
  readonly #isConditional: boolean;
  readonly #hasName: boolean;

  constructor(
    { methods, isConditional }: Omit<ServedRoute, 'path'>,
    { path, order, hasName }: { readonly path: CompiledPath; readonly order: number; readonly hasName: boolean },
  ) {
    this.order = order;
    this.name = hasName ? path.name : undefined;
    this.#path = path;
    this.#methods = methods.map(compileText);
    this.#isConditional = isConditional;
    this.#hasName = hasName;
  }

  takes(method: string, path: string): Verdict {
    let verdict: Verdict = this.#isConditional ? 'maybe' : true;
    for (const one of [this.#path.matches(path), ...this.#methods.map((matches) => matches(method))]) {
      if (one === false) return false;
      if (one === 'maybe') verdict = 'maybe';
    }
    return verdict;
  }

  takesMethod(method: string): boolean {
    return this.#methods.every((matches) => matches(method) !== false);
  }

  nameOf(path: string): string | undefined {
    return this.#hasName ? this.#path.nameOf(path) : undefined;
  }
}

export function compilePath(match: PathMatch): CompiledPath {
  switch (match.kind) {
    case 'exact':
      return compileExact(match);
    case 'prefix':
      return compilePrefix(match);
    case 'separated':
      return compileSeparated(match);
    case 'template':
      return compilePattern(readUriTemplate(match.text));
    case 'regex':
      return compilePattern(readRegex(match.text));
    case 'opaque':
      return OPAQUE;
  }
}

const OPAQUE: CompiledPath = {
  matches: () => 'maybe',
  nameOf: () => undefined,
  fixed: [],
  name: undefined,
  isPattern: false,
};

type Plain = PathMatch & { readonly text: string; readonly ignoresCase: boolean };

function compileExact({ text, ignoresCase }: Plain): CompiledPath {
  const name = toLiteralName(text);
  const wanted = ignoresCase ? text.toLowerCase() : text;
  return {
    matches: ignoresCase ? (path) => path.toLowerCase() === wanted : (path) => path === wanted,
    nameOf: () => name,
    fixed: ignoresCase ? [] : text.split('/').slice(1),
    name,
    isPattern: false,
  };
}

function compilePrefix({ text, ignoresCase }: Plain): CompiledPath {
  const wanted = ignoresCase ? text.toLowerCase() : text;
  return {
    matches: ignoresCase ? (path) => path.toLowerCase().startsWith(wanted) : (path) => path.startsWith(wanted),
    nameOf: () => undefined,
    fixed: ignoresCase ? [] : text.split('/').slice(1, -1),
    name: undefined,
    isPattern: false,
  };
}

/** The path itself is one operation; those below it are learned. */
function compileSeparated({ text, ignoresCase }: Plain): CompiledPath {
  const name = toLiteralName(text);
  const wanted = ignoresCase ? text.toLowerCase() : text;
  const show = ignoresCase ? (path: string) => path.toLowerCase() : (path: string) => path;
  return {
    matches: (path) => show(path) === wanted || show(path).startsWith(`${wanted}/`),
    nameOf: (path) => (show(path) === wanted ? name : undefined),
    fixed: ignoresCase ? [] : text.split('/').slice(1),
    name,
    isPattern: false,
  };
}

function compilePattern(read: PathTemplate | undefined): CompiledPath {
  const pattern = read === undefined ? 'is not read' : compileTemplate(read);
  if (read === undefined || typeof pattern === 'string') return OPAQUE;
  const { name, fixed } = read;
  return { matches: (path) => pattern.test(path), nameOf: () => name, fixed, name, isPattern: true };
}

/** Tries the whole path. Returns a complaint about a pattern that is not supported. */
function compileTemplate({ pattern, isSimple }: PathTemplate): { readonly test: (path: string) => boolean } | string {
  const linear = LinearPattern.compile(pattern);
  return typeof linear === 'string' || !isSimple
    ? linear
    : new RegExp(`^(?:${pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, '')})$`, 's');
}

function compileText({ kind, text, ignoresCase, isInverted }: TextMatch): (method: string) => Verdict {
  const pattern = kind === 'regex' ? LinearPattern.compile(text) : undefined;
  if (typeof pattern === 'string') return () => 'maybe';
  const wanted = ignoresCase ? text.toLowerCase() : text;
  return (method) => {
    const shown = ignoresCase ? method.toLowerCase() : method;
    const isMatch = pattern === undefined ? compare(kind, shown, wanted) : pattern.test(method);
    return isMatch !== isInverted;
  };
}

function compare(kind: TextMatch['kind'], text: string, wanted: string): boolean {
  switch (kind) {
    case 'prefix':
      return text.startsWith(wanted);
    case 'suffix':
      return text.endsWith(wanted);
    case 'contains':
      return text.includes(wanted);
    default:
      return text === wanted;
  }
}
