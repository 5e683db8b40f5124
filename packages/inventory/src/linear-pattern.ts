import { type Parsed, parsePattern } from './pattern-syntax.ts';

type State =
  | { readonly kind: 'one'; readonly accepts: (code: number) => boolean; next: number }
  | { readonly kind: 'split'; next: number; other: number }
  | { readonly kind: 'end' };

const STATES_MAX = 2000;

/** A pattern over whole texts, in time that is linear in the text: all states advance together (Thompson's construction). */
export class LinearPattern {
  readonly #states: readonly State[];
  readonly #first: number;

  private constructor(states: readonly State[], first: number) {
    this.#states = states;
    this.#first = first;
  }

  /** Returns a complaint about a pattern that is not supported. */
  static compile(source: string): LinearPattern | string {
    const parsed = parsePattern(source);
    if (typeof parsed === 'string') return parsed;
    const states: State[] = [{ kind: 'end' }];
    const first = build(parsed, 0, states);
    return first === undefined ? 'repeats too much' : new LinearPattern(states, first);
  }

  test(text: string): boolean {
    let current = new Set<number>();
    this.#enter(this.#first, current);
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      const next = new Set<number>();
      for (const at of current) {
        const state = this.#states[at];
        if (state?.kind === 'one' && state.accepts(code)) this.#enter(state.next, next);
      }
      if (next.size === 0) return false;
      current = next;
    }
    return current.has(0);
  }

  #enter(first: number, into: Set<number>): void {
    const waiting = [first];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (into.has(at)) continue;
      into.add(at);
      const state = this.#states[at];
      if (state?.kind === 'split') waiting.push(state.next, state.other);
    }
  }
}

/** Returns the first state of what matches `parsed` and goes on at `next`; undefined if there are too many. */
function build(parsed: Parsed, next: number, states: State[]): number | undefined {
  if (states.length > STATES_MAX) return undefined;
  switch (parsed.kind) {
    case 'one':
      return states.push({ kind: 'one', accepts: parsed.accepts, next }) - 1;
    case 'all':
      return parsed.parts.reduceRight<number | undefined>(
        (after, part) => (after === undefined ? undefined : build(part, after, states)),
        next,
      );
    case 'any': {
      const [first, ...rest] = parsed.parts.map((part) => build(part, next, states));
      return rest.reduce(
        (other, start) =>
          start === undefined || other === undefined
            ? undefined
            : states.push({ kind: 'split', next: start, other }) - 1,
        first,
      );
    }
    case 'repeat':
      return buildRepeat(parsed, next, states);
  }
}

function buildRepeat(
  { part, min, max }: Parsed & { kind: 'repeat' },
  next: number,
  states: State[],
): number | undefined {
  let start: number | undefined = next;
  if (max === undefined) {
    const loop: State & { kind: 'split' } = { kind: 'split', next: 0, other: next };
    const at = states.push(loop) - 1;
    const body = build(part, at, states);
    if (body === undefined) return undefined;
    loop.next = body;
    start = at;
  } else {
    for (let optional = max - min; optional > 0 && start !== undefined; optional--) {
      const body: number | undefined = build(part, start, states);
      start = body === undefined ? undefined : states.push({ kind: 'split', next: body, other: next }) - 1;
    }
  }
  for (let required = min; required > 0 && start !== undefined; required--) start = build(part, start, states);
  return start;
}
