import { listPatterns } from './endings.ts';
import type { Method } from './method.ts';
import type { Shape } from './shape.ts';

const STEPS_MAX = 500;

/** The learned template of a path: literal segments win from the left. Undefined if the method or the path was never answered. */
export function findInShape(shape: Shape, method: Method, segments: readonly string[]): string | undefined {
  return new Walk(method, segments).from(shape, 0, '');
}

class Walk {
  readonly #method: Method;
  readonly #segments: readonly string[];
  #steps = 0;

  constructor(method: Method, segments: readonly string[]) {
    this.#method = method;
    this.#segments = segments;
  }

  from(shape: Shape, at: number, prefix: string): string | undefined {
    this.#steps += 1;
    if (this.#steps > STEPS_MAX) return undefined;
    const segment = this.#segments[at];
    if (segment === undefined) return shape.ends.has(this.#method) ? prefix || '/' : undefined;
    const literal = shape.literals.get(segment);
    const found = literal === undefined ? undefined : this.from(literal, at + 1, `${prefix}/${segment}`);
    if (found !== undefined) return found;
    for (const pattern of listPatterns(segment)) {
      const parameter = shape.parameters.get(pattern);
      const deeper =
        parameter && this.from(parameter.shape, at + 1, `${prefix}/${pattern.replaceAll('{}', parameter.placeholder)}`);
      if (deeper !== undefined) return deeper;
    }
    return undefined;
  }
}
