import { isFullTier } from '@flotilla/kit/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizePath, readPath, splitTarget } from './path.ts';
import { PATH_PIECES, PATH_PROGRAMS, pathReader, servePath, servePathBySteps, UNLISTED_PATH } from './testing.ts';

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

  it('is idempotent for paths without escapes', () => {
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

/** The longest of several nested prefixes: a request that is checked only by an outer one bypasses the inner one. */
function routeOf(path: string): string {
  const prefixes = ['/guarded/x/secret', '/guarded/x', '/guarded', '/secret'];
  return prefixes.find((prefix) => path.startsWith(prefix)) ?? '/';
}

const textsOf = (path: string) => readPath(path).texts;

describe('readPath', () => {
  it('gives an ordinary path one reading', () => {
    expect(readPath('/v1/users/42')).toEqual({ texts: ['/v1/users/42'], mayBeAny: false });
    expect(textsOf('/.well-known/acme')).toEqual(['/.well-known/acme']);
  });

  it('gives the router’s reading first', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('/', '.', '%', '2', 'f', 'e', '\\', ';', 'a', '5', 'c') }),
        (text) => {
          expect(textsOf(`/${text}`)[0]).toBe(normalizePath(`/${text}`));
        },
      ),
    );
  });

  it('gives no empty reading if nothing follows an authority', () => {
    for (const path of ['//x', '/\\x', '/%2Fx', '//']) expect(textsOf(path)).not.toContain('');
  });

  it('gives a path with capitals the reading of a case-insensitive program', () => {
    expect(textsOf('/Admin/X')).toEqual(['/Admin/X', '/admin/x']);
    expect(textsOf('/%41dmin')).toContain('/admin');
  });

  it('contains the reading of every kind of program, so that no variant of a protected path bypasses its policy', () => {
    const path = fc.array(fc.constantFrom(...PATH_PIECES), { maxLength: 14 }).map((parts) => `/${parts.join('')}`);
    fc.assert(
      fc.property(path, pathReader, (text, reader) => {
        const readings = textsOf(text).map((reading) => reading.replace(/(.)\/$/, '$1'));
        const served = servePath(text, reader);
        if (/^\/guarded/i.test(served)) {
          expect(readings.some((reading) => reading.startsWith(served.slice(0, '/guarded'.length)))).toBe(true);
        }
        // Programs differ on bytes that are not UTF-8; no prefix of a policy contains such bytes.
        if (!/%(?:25)?[cef]/i.test(text)) expect(readings).toContain(served);
      }),
      { numRuns: isFullTier ? 10_000 : 2000 },
    );
  });

  it.each(Object.entries(PATH_PROGRAMS))('contains what %s would serve', (_program, steps) => {
    const path = fc.array(fc.constantFrom(...PATH_PIECES), { maxLength: 10 }).map((parts) => `/${parts.join('')}`);
    const spelled = fc.constantFrom(
      'guarded',
      'guarded/x../secret',
      '%67uarded',
      '%2567uarded',
      'secret',
      '%C5%BFecret',
      'g%ffuarded',
    );
    const tail = fc.constantFrom('/../z', '/%2e%2e/z', '//../y', '%00/../y', '/%252e%252e/z', ';/../x', '');
    const target = fc.tuple(path, spelled, path, tail).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          path,
          target,
          fc.tuple(spelled, tail).map(([name, end]) => `/${name}${end}`),
        ),
        (text) => {
          expect(textsOf(text).map(routeOf)).toContain(routeOf(servePathBySteps(text, steps)));
        },
      ),
      { numRuns: isFullTier ? 2000 : 300 },
    );
  });

  // HTTP/2 transports bytes above 0x7F unchanged, and Envoy forwards them.
  it('gives a path with non-ASCII letters the readings of an escaped one', () => {
    expect(textsOf('/\u017Fecret')).toEqual(expect.arrayContaining(['/\u017Fecret', '/secret']));
  });

  it.each([
    ['/%67uarded/../z', 'Flask'],
    ['/%67uarded;/../x', 'Fastify'],
    ['/g%ffuarded', 'Bottle'],
    ['/g\uFFFDuarded', 'Bottle'],
    ['//x/guarded', 'new URL'],
    ['/\\x/guarded', 'new URL'],
    ['///x/guarded', 'new URL'],
    ['/gu\tarded', 'new URL'],
    ['/x/../guarded//../y', 'Hono'],
    ['/y/../%67uarded/%2e%2e/z', 'path.normalize and decodeURIComponent'],
    ['/%2567uarded/%252e%252e/z', 'a program that decodes twice'],
    ['/x/../guarded%00/../y', 'a program in C'],
    ['//guarded/../z', 'Fastify with ignoreDuplicateSlashes'],
    ['//x\\y/guarded', 'parse_url'],
    ['/index.php/guarded', 'Laravel'],
    ['/INDEX.PHP/%67uarded', 'Symfony on a disk without capitals'],
    ['/public/index.php/guarded', 'Laravel with the folder above as its root'],
    ['/index%2ephp//x/../guarded', 'PATH_INFO'],
    ['/index.phpguarded/x', 'Symfony'],
    ['/index.php/index.php/guarded', 'Symfony behind nginx'],
    ['/files../guarded', 'nginx with an alias'],
    ['/a/files..%2f../guarded', 'nginx with an alias'],
    ['/guarded.d/../cgi-bin/a.cgi/guarded', 'a program of CGI'],
    ['/site.wsgi/guarded', 'mod_wsgi'],
    ['/a.php/app/index.php/guarded/b.php/x', 'Symfony in a folder'],
    ['/%u0067uarded/%u002e%u002e/x', 'cpp-httplib'],
    ['/.../guarded', 'CivetWeb'],
    ['/x/%2e%2e%2e../../guarded', 'CivetWeb'],
    ['/x.cgi./guarded', 'CivetWeb'],
    ['/a/x.pl%20/guarded', 'CivetWeb'],
    ['/(S(x))/guarded', 'ASP.NET'],
    ['/%28a(x)F(y)%29/(S())/guarded', 'ASP.NET'],
  ])('applies to %s the policy of what %s serves', (path) => {
    expect(textsOf(path).some((reading) => reading.startsWith('/guarded'))).toBe(true);
  });

  it('applies the policy of a protected folder to a script that serves its content', () => {
    expect(textsOf('/app/index.php/guarded')).toEqual(['/app/index.php/guarded', '/guarded', '/app/guarded']);
    expect(textsOf('/app/index.php')).toEqual(['/app/index.php']);
    expect(textsOf('/docs/x.phpt')).not.toContain('/docs/x.php');
    expect(textsOf('/x.cgifoo/guarded')).toEqual(['/x.cgifoo/guarded']);
  });

  it('reads a digit after the name of a script both as its end and as the beginning of the rest', () => {
    expect(textsOf('/index.php7/guarded')).toContain('/guarded');
    expect(textsOf('/index.php2fa/x')).toContain('/2fa/x');
  });

  it('drops two dots, as CodeIgniter does', () => {
    expect(textsOf('/app/../guarded')).toContain('/app/guarded');
    expect(textsOf('/app../guarded')).toContain('/app/guarded');
    expect(textsOf('/..')).not.toContain('');
  });

  it('drops dots and spaces at the end of a name, as CivetWeb and Windows file systems do', () => {
    for (const path of [
      '/guarded./x',
      '/guarded.../x',
      '/guarded%20./x',
      '/guarded /x',
      '/guarded../x',
      '/..../guarded/x',
      '/guarded/x.',
    ])
      expect([path, textsOf(path).includes('/guarded/x')]).toEqual([path, true]);
    expect(textsOf('/a.b/c.d')).toEqual(['/a.b/c.d']);
    expect(textsOf('/...')).not.toContain('');
  });

  it('reads a query that is a path, as CodeIgniter and Invision Community do', () => {
    expect(readPath('/', '/guarded?x').texts).toContain('/guarded');
    expect(readPath('/app/index.php', '/%67uarded').texts).toEqual(
      expect.arrayContaining(['/guarded', '/app/guarded', '/app/index.php']),
    );
    expect(readPath('/app', '/guarded').texts).toEqual(['/app', '/guarded', '/app/guarded']);
    expect(readPath('/app', 'x=/guarded')).toEqual({ texts: ['/app'], mayBeAny: false });
    expect(readPath('/', UNLISTED_PATH).mayBeAny).toBe(true);
  });

  it('reads a query that is a path after further question marks, too (attack 6)', () => {
    expect(readPath('/', '?/guarded').texts).toContain('/guarded');
    expect(readPath('/app', '??/guarded?/x').texts).toEqual(['/app', '/guarded', '/app/guarded']);
    expect(readPath('/app', '?x=/guarded')).toEqual({ texts: ['/app'], mayBeAny: false });
    expect(readPath('/app', '??')).toEqual({ texts: ['/app'], mayBeAny: false });
  });

  it.each([
    '/%252561dmin',
    '/%25%32%35%36%31dmin',
    '/%%36%31dmin',
    '/%6%31dmin',
    '/%2%3561dmin',
    '/%%32%35%36%31dmin',
    '/x/%25252e%25252e/admin',
    '/x%25252f..%25252fadmin',
    '/admin%25253Fx',
    '/%25u0061dmin',
    '/%2525u0061dmin',
    '/%2525c1%2525a1dmin',
  ])('decodes up to three rounds, however the escapes are spelled (attack 15): %s', (path) => {
    expect(readPath(path)).toMatchObject({ texts: expect.arrayContaining(['/admin']), mayBeAny: false });
  });

  it.each([
    '/%25252561dmin',
    '/%252525252561dmin',
    '/%25%32%35%32%35%36%31dmin',
    '/100%25252525',
    '/%u0025u0025u0025u0061dmin',
  ])('treats a path with more rounds as any path (attack 15): %s', (path) =>
    expect(readPath(path).mayBeAny).toBe(true),
  );

  it.each(['/100%25', '/100%2525', '/a%20b%zz', '/%25/%2525/%', '/%E4%B8%80%2520'])(
    'reads a path that is fully decoded within three rounds (attack 15): %s',
    (path) => expect(readPath(path).mayBeAny).toBe(false),
  );

  it.each(['/x%2525252fadmin', '/x%25%35%63admin'])(
    'keeps encoded slashes in a segment through all rounds (attack 15): %s',
    (path) => {
      const { texts, mayBeAny } = readPath(path);
      expect(mayBeAny || texts.includes('/x/admin')).toBe(true);
    },
  );

  describe.each([
    'A%5c/%5c//;x../../%252e%2f..A',
    '%252e%252e%5c;%2fA..\\%u002e%c0%ae%3f',
    '/A%5c/%5c//;x/../%252e%2f..A;x//../\\%c0%af%5c%u002fx%09%253f%00',
  ])('that repeats %s', (piece) => {
    it('lists no more readings just because a path is longer', () => {
      const [short, long] = [3, 30].map((times) => readPath(`/x.php/${piece.repeat(times)}`));
      expect([short?.mayBeAny, long?.mayBeAny]).toEqual([false, false]);
      expect(long?.texts.length).toBeLessThanOrEqual(2 * (short?.texts.length ?? 0));
    });

    it('marks a long odd path as any path, and lists a limited number of readings', () => {
      const path = `/${piece.repeat(Math.floor(60_000 / piece.length))}`;
      // An algorithm that is not linear takes minutes here and times out.
      const { texts, mayBeAny } = readPath(path);
      expect(mayBeAny).toBe(true);
      expect(texts[0]).toBe(normalizePath(path));
      expect(texts.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(1024 * 1024 + path.length);
    });
  });

  it.each(['x.php/', '.php7', '/(S(x))', '/(A(', 'a../', '/../', 'a.../', '. ', 'x.cgi./'])(
    // A scan of the rest for each piece would exceed the test's timeout.
    'ends with a long path of %s',
    (piece) => {
      const path = `/${piece.repeat(1_000_000 / piece.length)}`;
      expect(readPath(path).texts[0]).toBe(normalizePath(path));
    },
  );

  it('lists all readings of a long path that is odd in one way', () => {
    for (const piece of ['a%20b/', '/./a', 'B/', ';x=1/y', '%ff'])
      expect(readPath(`/${piece.repeat(60_000 / piece.length)}`).mayBeAny).toBe(false);
  });

  it('always lists the router’s reading', () => {
    const path = `/${'%2e/'.repeat(1_000_000)}`;
    expect(readPath(path)).toEqual({ texts: [normalizePath(path)], mayBeAny: true });
  });
});
