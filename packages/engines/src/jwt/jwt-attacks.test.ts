import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CLAIMS,
  createTestEngine,
  encode,
  INVALID,
  jwkOf,
  jwksOf,
  KEYS,
  makeToken,
  NOW_S,
  pemOf,
  RS256,
  SECRET,
  SET,
} from './testing.ts';

describe('a token signed with a well-known value', () => {
  const pem = pemOf('rsa');
  const spki = KEYS.rsa.publicKey.export({ format: 'der', type: 'spki' });
  const pkcs1 = KEYS.rsa.publicKey.export({ format: 'der', type: 'pkcs1' });
  const base64 = pem.replaceAll(/-----[^-]+-----|\n/g, '');

  it.each<[string, string | Buffer]>([
    ['the PEM text', pem],
    ['the PEM text without its last line end', pem.trimEnd()],
    ['the PEM text with two line ends', `${pem}\n`],
    ['the PEM text with CRLF', pem.replaceAll('\n', '\r\n')],
    ['the PEM text in one line', pem.replaceAll('\n', '')],
    ['the PEM text with \\n', pem.replaceAll('\n', '\\n')],
    ['the base64 of the PEM text', base64],
    ['the base64 with line ends', pem.replaceAll(/-----[^-]+-----\n/g, '')],
    ['the DER bytes', spki],
    ['the DER bytes in hexadecimal', spki.toString('hex')],
    ['the PKCS #1 text', KEYS.rsa.publicKey.export({ format: 'pem', type: 'pkcs1' })],
    ['the PKCS #1 bytes', pkcs1],
    ['the JWK', JSON.stringify(jwkOf('rsa'))],
    ['the modulus', Buffer.from(jwkOf('rsa').n ?? '', 'base64url')],
    ['its digest', createHash('sha256').update(spki).digest()],
    ['nothing', ''],
  ])('as the secret of HS256: %s', (_, key) => {
    for (const algorithm of ['HS256', 'HS384', 'HS512'] as const) {
      const token = makeToken({ algorithm, key });
      expect(createTestEngine(RS256).ask(token)).toBe(INVALID);
      expect(createTestEngine(SET, jwksOf(jwkOf('rsa', { kid: 'r' }), jwkOf('p256', { kid: 'e' }))).ask(token)).toBe(
        INVALID,
      );
      const claimed = makeToken({ algorithm, key, header: { alg: 'RS256', typ: 'JWT' } });
      expect(createTestEngine(RS256).ask(claimed)).toBe(INVALID);
    }
  });
});

describe('a token without a signature', () => {
  const claims = encode(CLAIMS);
  const good = makeToken().split('.');

  it.each(['none', 'None', 'NONE', 'nOnE', ' none', 'none ', '', 'null', 'RS256 ', 'rs256', 'RS256\u0000'])(
    'and the algorithm "%s"',
    (alg) => {
      const header = encode({ alg, typ: 'JWT' });
      for (const token of [
        `${header}.${claims}.`,
        `${header}.${claims}`,
        `${header}.${claims}.${good[2]}`,
        makeToken({ header: { alg } }),
      ]) {
        expect(createTestEngine(RS256).ask(token)).toBe(INVALID);
        expect(createTestEngine('algorithms: [HS256], hmac_secret_file: files/key', SECRET).ask(token)).toBe(INVALID);
      }
    },
  );

  it.each([undefined, null, 7, true, ['RS256'], { name: 'RS256' }])('and the algorithm %j', (alg) => {
    expect(createTestEngine(RS256).ask(makeToken({ header: { alg } }))).toBe(INVALID);
  });
});

describe('a header', () => {
  const alg = 'RS256';

  it.each<[string, unknown, string]>([
    ['with a type', { alg, typ: 'at+jwt' }, 'allow alice'],
    ['without a type', { alg }, 'allow alice'],
    ['with a type that is no text', { alg, typ: 1 }, INVALID],
    ['with an empty list of critical members', { alg, crit: [] }, INVALID],
    ['with a critical member that is there', { alg, crit: ['exp'], exp: 1 }, INVALID],
    ['with a critical b64', { alg, crit: ['b64'], b64: false }, INVALID],
    ['with b64 off', { alg, b64: false }, INVALID],
    ['with critical null', { alg, crit: null }, INVALID],
    ['with a name that is a number', { alg, kid: 1 }, INVALID],
    ['with a name that is null', { alg, kid: null }, INVALID],
    ['with the algorithm twice', '{"alg":"RS256","alg":"RS256"}', INVALID],
    ['with the algorithm twice, once escaped', '{"alg":"HS256","\\u0061lg":"RS256"}', INVALID],
    ['with the name of the key twice', '{"alg":"RS256","kid":"a","kid":"a"}', INVALID],
    ['with a member twice deep inside', '{"alg":"RS256","x":[{"y":1,"y":1}]}', INVALID],
    ['with the algorithm in its prototype', '{"__proto__":{"alg":"RS256"}}', INVALID],
    ['with a byte-order mark', `\ufeff{"alg":"RS256"}`, INVALID],
    ['with a comment', '{"alg":"RS256"/**/}', INVALID],
    ['with something behind it', '{"alg":"RS256"}{}', INVALID],
    ['with white space', ' {\n"alg" : "RS256"\t}\r\n', 'allow alice'],
    ['in UTF-16', Buffer.from('{"alg":"RS256"}', 'utf16le'), INVALID],
    ['that is not UTF-8', Buffer.from('{"alg":"RS256","x":"\xff"}', 'latin1'), INVALID],
    ['that is a list', ['RS256'], INVALID],
    ['that is a text', '"RS256"', INVALID],
    ['that is null', 'null', INVALID],
    ['nested 31 deep', `{"alg":"RS256","x":${'['.repeat(31)}${']'.repeat(31)}}`, 'allow alice'],
    ['nested 40 deep', `{"alg":"RS256","x":${'['.repeat(40)}${']'.repeat(40)}}`, INVALID],
    ['nested 4,000 deep', `{"alg":"RS256","x":${'['.repeat(4000)}${']'.repeat(4000)}}`, INVALID],
  ])('%s', (_, header, expected) => expect(createTestEngine(RS256).ask(makeToken({ header }))).toBe(expected));

  it.each(['jwk', 'x5c', 'jku', 'x5u', 'x5t'])('that contains or refers to a key (%s) is not trusted', (member) => {
    const forged = { jwk: jwkOf('otherRsa'), x5c: [encode('x')] }[member] ?? 'https://attacker.example.com/keys';
    const header = { alg, [member]: forged };
    expect(createTestEngine(RS256).ask(makeToken({ header, key: KEYS.otherRsa.privateKey }))).toBe(INVALID);
    expect(createTestEngine(RS256).ask(makeToken({ header }))).toBe('allow alice');
  });
});

describe('claims', () => {
  const exp = NOW_S + 60;

  it.each<[string, unknown]>([
    ['that are no JSON', 'alice'],
    ['that are nothing', ''],
    ['that are a list', `[{"exp":${exp}}]`],
    ['that are null', 'null'],
    ['with exp twice', `{"exp":${exp},"exp":1}`],
    ['with exp twice, the later one good', `{"exp":1,"exp":${exp}}`],
    ['with the subject twice, once escaped', `{"exp":${exp},"sub":"alice","su\\u0062":"bob"}`],
    ['with exp in the prototype', `{"__proto__":{"exp":${exp}}}`],
    ['that are not UTF-8', Buffer.from(`{"exp":${exp},"sub":"\xe9"}`, 'latin1')],
    ['with exp in other case', `{"Exp":${exp}}`],
  ])('%s', (_, claims) => expect(createTestEngine(RS256).ask(makeToken({ claims }))).toBe(INVALID));

  it('with colons, quotes and backslashes in texts are read correctly', () => {
    const sub = 'a":"\\b\\\\":{"';
    expect(createTestEngine(RS256).ask(makeToken({ claims: { sub, 'x:"y': [{ 'z\\': ':' }] } }))).toBe(`allow ${sub}`);
  });
});

describe('the compact form', () => {
  const token = makeToken();
  const [header = '', claims = '', signature = ''] = token.split('.');

  it.each<[string, string]>([
    ['in two parts', `${header}.${claims}`],
    ['in four parts', `${token}.`],
    ['in five parts, as encrypted tokens have', `${header}.${claims}.${signature}.${claims}.${signature}`],
    ['with padding', `${header}.${claims}.${signature}==`],
    ['with padding in the header', `${header}=.${claims}.${signature}`],
    ['with an empty header', `.${claims}.${signature}`],
    ['with empty claims', `${header}..${signature}`],
    ['with white space inside', `${header}.${claims} .${signature}`],
    ['with a line end inside', `${header}.\n${claims}.${signature}`],
    ['in base64 instead of base64url', token.replaceAll('-', '+').replaceAll('_', '/').concat('/')],
    ['with another alphabet in the signature', `${header}.${claims}.${signature.slice(0, -2)}+/`],
    ['as JSON', JSON.stringify({ payload: claims, protected: header, signature })],
    ['with a letter beyond ASCII', `${header}.${claims}.${signature.slice(0, -1)}é`],
    ['with a letter that UTF-16 halves to a good one', `${header}.${claims}.ā${signature.slice(1)}`],
    ['as dots', '..'],
    ['as many dots', '.'.repeat(16_000)],
  ])('%s', (_, value) => expect(createTestEngine(RS256).ask(value)).toBe(INVALID));

  it('has a maximum length', () => {
    const { ask } = createTestEngine(RS256);
    const sized = (chars: number) => {
      const bare = makeToken({ claims: { x: '' } }).length;
      return makeToken({ claims: { x: 'x'.repeat(Math.floor(((chars - bare) * 3) / 4)) } });
    };
    expect(sized(16_380).length).toBeLessThanOrEqual(16_384);
    expect(ask(sized(16_380))).toBe('allow alice');
    expect(sized(16_390).length).toBeGreaterThan(16_384);
    expect(ask(sized(16_390))).toBe(INVALID);
    expect(ask('x'.repeat(10_000_000))).toBe(INVALID);
  });

  it('accepts no change of a single byte', () => {
    const byAlgorithm = (['RS256', 'ES256', 'EdDSA', 'HS256'] as const).map((algorithm) => {
      const isSecret = algorithm === 'HS256';
      const keyFile = { RS256: pemOf('rsa'), ES256: pemOf('p256'), EdDSA: pemOf('ed25519'), HS256: SECRET }[algorithm];
      const field = isSecret ? 'hmac_secret_file' : 'public_key_file';
      const { ask } = createTestEngine(`algorithms: [${algorithm}], ${field}: files/key`, keyFile);
      return { ask, good: makeToken({ algorithm }) };
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...byAlgorithm),
        fc.nat(),
        fc.integer({ min: 0, max: 255 }),
        fc.boolean(),
        ({ ask, good }, position, code, isWarm) => {
          if (isWarm) expect(ask(good)).toBe('allow alice');
          const at = position % good.length;
          const changed = good.slice(0, at) + String.fromCharCode(code) + good.slice(at + 1);
          expect(ask(changed)).toBe(changed === good ? 'allow alice' : INVALID);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('has one spelling: spare bits in a last character are rejected', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const { ask } = createTestEngine(RS256);
    const spellings = [...alphabet].map((last) => `${header}.${claims}.${signature.slice(0, -1)}${last}`);
    expect(spellings.filter((spelling) => ask(spelling) !== INVALID)).toEqual([token]);
  });

  it('never throws, whatever is sent', () => {
    const { ask } = createTestEngine(RS256);
    const part = fc.oneof(fc.string(), fc.json().map(encode), fc.constantFrom(header, claims, signature, ''));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        expect(ask(`x${parts.join('.')}`)).toBe(INVALID);
      }),
      { numRuns: 2000 },
    );
  });
});
