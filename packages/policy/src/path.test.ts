import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizePath, readPath, splitTarget } from './path.ts';

describe('splitTarget', () => {
  it.each([
    ['/a/b?x=1#f', '/a/b', 'x=1'],
    ['/a#?x', '/a', ''],
    ['', '/', ''],
    ['*', '/*', ''],
    ['admin', '/admin', ''],
    ['http://api.example.com/admin?x', '/admin', 'x'],
    ['HTTPS://user@api.example.com:8443', '/', ''],
    ['/a?b?c', '/a', 'b?c'],
  ])('reads %s', (target, path, query) => {
    expect(splitTarget(target)).toEqual({ path, query });
  });
});

describe('normalizePath', () => {
  it.each([
    ['/', '/'],
    ['/a/b', '/a/b'],
    ['//a///b//', '/a/b/'],
    ['/a/./b/../c', '/a/c'],
    ['/../../a', '/a'],
    ['/a/..', '/'],
    ['/a/.', '/a/'],
    ['/%61%64min', '/admin'],
    ['/caf%C3%A9', '/café'],
    ['/%2e%2E/%2Fadmin', '/admin'],
    ['/100%', '/100%'],
    ['/%zz%61', '/%zza'],
    ['/%2561dmin', '/%61dmin'],
    ['/.well-known/x', '/.well-known/x'],
    ['/a..b/...', '/a..b/...'],
  ])('reads %s as %s', (path, normal) => {
    expect(normalizePath(path)).toBe(normal);
  });

  it('is what it is after once more, for paths without escapes', () => {
    const path = fc
      .array(fc.constantFrom('/', '.', '..', 'a', 'b.c', ';'), { maxLength: 30 })
      .map((parts) => `/${parts.join('')}`);
    fc.assert(
      fc.property(path, (text) => {
        const once = normalizePath(text);
        expect(normalizePath(once)).toBe(once);
      }),
    );
  });
});

describe('readPath', () => {
  it('gives an ordinary path one reading', () => {
    expect(readPath('/v1/users/42')).toEqual(['/v1/users/42']);
    expect(readPath('/.well-known/acme')).toEqual(['/.well-known/acme']);
  });

  it('gives the router reading first', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('/', '.', '%', '2', 'f', 'e', '\\', ';', 'a', '5', 'c') }),
        (text) => {
          expect(readPath(`/${text}`)[0]).toBe(normalizePath(`/${text}`));
        },
      ),
    );
  });

  /**
   * Programs behind the filter read paths in different ways. Each of them is one choice of: how often escapes are
   * decoded, whether an encoded slash separates segments, whether a backslash does, whether `;parameters` are cut.
   */
  interface Reader {
    readonly rounds: number;
    readonly encodedSlashSeparates: boolean;
    readonly backslashSeparates: boolean;
    readonly parametersCut: boolean;
  }
  const readers = fc.record<Reader>({
    rounds: fc.constantFrom(0, 1, 2),
    encodedSlashSeparates: fc.boolean(),
    backslashSeparates: fc.boolean(),
    parametersCut: fc.boolean(),
  });

  /** Written apart from the code under test: decodes character by character and keeps segments on a stack. */
  function serve(path: string, reader: Reader): string {
    let text = path;
    for (let round = 0; round < reader.rounds; round++) {
      let decoded = '';
      for (let i = 0; i < text.length; i++) {
        const hex = text.slice(i + 1, i + 3);
        const isEscape = text[i] === '%' && /^[0-9a-fA-F]{2}$/.test(hex);
        const character = isEscape ? String.fromCharCode(Number.parseInt(hex, 16)) : '';
        const kept = (character === '/' || character === '\\') && !reader.encodedSlashSeparates;
        if (isEscape && !kept && character < '\x80') {
          decoded += character;
          i += 2;
        } else decoded += text[i];
      }
      text = decoded;
    }
    if (reader.backslashSeparates) text = text.split('\\').join('/');
    const stack: string[] = [];
    for (const segment of text.split('/')) {
      const name = reader.parametersCut ? (segment.split(';')[0] ?? '') : segment;
      if (name === '..') stack.pop();
      else if (name !== '' && name !== '.') stack.push(name);
    }
    return `/${stack.join('/')}`;
  }

  it('holds the reading of every such program, so that no variant of a guarded path gets past its guard', () => {
    const piece = fc.constantFrom(
      '/',
      '//',
      '.',
      '..',
      ';',
      ';x',
      '\\',
      'guarded',
      'public',
      'x',
      '%2f',
      '%2F',
      '%5c',
      '%2e',
      '%2E%2e',
      '%67uarded',
      '%252f',
      '%255c',
      '%252e',
      '%2567uarded',
      '%3b',
      '%253b',
      '%',
      '%zz',
    );
    const path = fc.array(piece, { maxLength: 14 }).map((parts) => `/${parts.join('')}`);
    fc.assert(
      fc.property(path, readers, (text, reader) => {
        const served = serve(text, reader);
        const readings = readPath(text).map((reading) => reading.replace(/(.)\/$/, '$1'));
        expect(readings).toContain(served);
      }),
      { numRuns: 5000 },
    );
  });

  it('stays quick on a long path made to have many readings', () => {
    const path = `/${'%252e%252e%5c;%2f..\\'.repeat(3000)}`;
    const began = performance.now();
    expect(readPath(path).length).toBeLessThan(50);
    expect(performance.now() - began).toBeLessThan(3000);
  });
});
