import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutParameters, mergeSlashes, removeDotSegments, tidySegments } from './path-segments.ts';

/** RFC 3986 section 5.2.4 on a list of segments; empty segments are ordinary. */
function undot(path: string): string {
  const segments = path.split('/').slice(1);
  const kept: string[] = [];
  segments.forEach((segment, index) => {
    if (segment === '..') kept.pop();
    else if (segment !== '.') kept.push(segment);
    if (index === segments.length - 1 && /^\.\.?$/.test(segment)) kept.push('');
  });
  return `/${kept.join('/')}`;
}

const merge = (path: string) => path.replaceAll(/\/+/g, '/');
const path = fc
  .array(fc.constantFrom('/', '//', '.', '..', '/.', '/..', '/a', 'b', ';', ';x', 'é', '一'), { maxLength: 40 })
  .map((pieces) => `/${pieces.join('')}`);

it('the segments of a path of any length equal those of a list-based implementation', () => {
  fc.assert(
    fc.property(path, fc.constantFrom(1, 1, 40), (piece, times) => {
      const text = piece.repeat(times);
      expect(mergeSlashes(text)).toBe(merge(text));
      expect(removeDotSegments(text)).toBe(undot(text));
      expect(tidySegments(text)).toBe(undot(merge(text)));
      expect(cutParameters(text)).toBe(text.replaceAll(/;[^/]*/g, ''));
    }),
    { numRuns: 3000 },
  );
});
