import { mkdir, mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';

const PAGE = `<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__"><style nonce="__CSP_NONCE__"></style>`;
const SCRIPT = `export const words = ${JSON.stringify('sail '.repeat(600))};\n`;
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let t: TestController;
let dir: string;
let port: number;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'flotilla-web-'));
  await mkdir(join(dir, 'web/assets/chunks'), { recursive: true });
  const files: Record<string, string | Buffer> = {
    'secret.txt': 'outside the folder',
    'web/index.html': PAGE,
    'web/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'web/.env': 'hidden',
    'web/assets/.hidden.js': 'hidden',
    'web/assets/app-1a2b.js': SCRIPT,
    'web/assets/app-1a2b.js.br': brotliCompressSync(SCRIPT),
    'web/assets/app-1a2b.js.gz': gzipSync(SCRIPT),
    'web/assets/chunks/small-3c4d.css': 'a{color:red}',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content);
  t = await createTestController({ SVC_WEB_DIR: join(dir, 'web') });
  await t.app.listen({ port: 0, host: '127.0.0.1' });
  port = (t.app.server.address() as AddressInfo).port;
});
afterAll(async () => {
  await t.close();
  await rm(dir, { recursive: true, force: true });
});

/** Uses a socket, because inject normalises the path. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path, method, headers }, resolve).on('error', reject).end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) };
}

const textOf = ({ bytes }: { bytes: Buffer }) => bytes.toString();

function policyOf({ headers }: { headers: IncomingMessage['headers'] }): Map<string, string[]> {
  const directives = String(headers['content-security-policy']).split('; ');
  return new Map(
    directives.map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources];
    }),
  );
}

describe('the page', () => {
  it.each([
    '/',
    '/p/default/clusters',
    '/p/default/clusters/www.example.com',
    '/p/default/services/a%2Fb?tab=logs',
    `/p/${'long-'.repeat(300)}`,
  ])('is the answer to %.40s', async (path) => {
    const answer = await get(path, HTML);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(textOf(answer)).toContain('csp-nonce');
  });

  it('has its own nonce in every answer, the same in the policy and everywhere in the page', async () => {
    const answers = [await get('/', HTML), await get('/', HTML)];
    const nonces = answers.map((answer) => {
      const nonce = /content="([\w-]{22,})"/.exec(textOf(answer))?.[1];
      expect(textOf(answer)).toBe(PAGE.replaceAll('__CSP_NONCE__', nonce ?? 'none'));
      expect(policyOf(answer).get('style-src')).toEqual(["'self'", `'nonce-${nonce}'`]);
      return nonce;
    });
    expect(new Set(nonces).size).toBe(2);
  });

  it('runs only its own script files, and connects to nobody else', async () => {
    const policy = policyOf(await get('/', HTML));
    expect(policy.get('script-src')).toEqual(["'self'"]);
    expect(policy.has('script-src-elem') || policy.has('script-src-attr')).toBe(false);
    expect(Object.fromEntries(policy)).toMatchObject({
      'default-src': ["'self'"],
      'connect-src': ["'self'"],
      'frame-ancestors': ["'none'"],
      'base-uri': ["'none'"],
      'object-src': ["'none'"],
      'form-action': ["'self'"],
    });
    expect(policy.has('upgrade-insecure-requests')).toBe(false);
    expect(JSON.stringify([...policy])).not.toContain('unsafe-eval');
  });

  it('cannot be framed, sends no referrer, and enforces https only where it is used', async () => {
    const { headers } = await get('/', HTML);
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(headers['permissions-policy']).toContain('camera=()');
    expect(headers['strict-transport-security']).toBeUndefined();
    const behind = await createTestController({ SVC_TRUSTED_PROXIES: '1', SVC_WEB_DIR: join(dir, 'web') });
    try {
      const overTls = await behind.app.inject({ url: '/', headers: { 'x-forwarded-proto': 'https' } });
      expect(overTls.headers['strict-transport-security']).toBe('max-age=31536000');
    } finally {
      await behind.close();
    }
  });

  it('is read again when a build replaces it', async () => {
    await writeFile(join(dir, 'web/index.html'), '<!doctype html><title>newer</title>');
    expect(textOf(await get('/', HTML))).toContain('newer');
    await unlink(join(dir, 'web/index.html'));
    const missing = await get('/p/default', HTML);
    expect(missing.status).toBe(503);
    expect(missing.headers['content-type']).toContain('text/html');
    expect(textOf(missing)).toContain('npm run build');
    expect(textOf(missing)).not.toContain('<script');
    await writeFile(join(dir, 'web/index.html'), PAGE);
    expect((await get('/p/default', HTML)).status).toBe(200);
  });

  it('answers HEAD with the headers of GET and nothing else', async () => {
    const head = await get('/p/default', HTML, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(Number(head.headers['content-length'])).toBeGreaterThan(PAGE.length);
    expect(head.bytes).toHaveLength(0);
  });
});

describe('the assets of the web UI', () => {
  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ])("are sent in the build's compressed form: %s", async (accepted, encoding, decode) => {
    const answer = await get('/assets/app-1a2b.js', { 'accept-encoding': accepted });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers['content-type']).toMatch(/javascript; charset=utf-8$/);
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.vary).toContain('accept-encoding');
    expect(decode(answer.bytes).toString()).toBe(SCRIPT);
    const head = await get('/assets/app-1a2b.js', { 'accept-encoding': accepted }, 'HEAD');
    expect(head.headers['content-length']).toBe(answer.headers['content-length']);
    expect(head.bytes).toHaveLength(0);
  });

  it('are sent as they are if they are not compressed', async () => {
    const answer = await get('/assets/chunks/small-3c4d.css', { 'accept-encoding': 'br, gzip' });
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(textOf(answer)).toBe('a{color:red}');
    expect((await get('/icon.svg')).headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=0',
    });
  });

  it('are sent in ranges, or not at all if the browser has them', async () => {
    const part = await get('/assets/app-1a2b.js', { range: 'bytes=0-5' });
    expect(part.status).toBe(206);
    expect(textOf(part)).toBe('export');
    const { etag } = (await get('/assets/app-1a2b.js')).headers;
    expect((await get('/assets/app-1a2b.js', { 'if-none-match': String(etag) })).status).toBe(304);
  });

  it.each([
    '/assets/app-gone.js',
    '/assets/',
    '/assets/chunks',
    '/assets/chunks/',
    '/assets/.hidden.js',
    '/assets//app-1a2b.js',
    '/assets/./app-1a2b.js',
    '/assets/../index.html',
    '/assets/..%2findex.html',
    '/assets/%2e%2e/index.html',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets/%2fetc%2fpasswd',
    '/assets/app-1a2b.js%00.css',
    '/assets/%252e%252e/index.html',
  ])('are not found if they do not exist, for any request: %s', async (path) => {
    const answer = await get(path, HTML);
    expect(answer.status).toBe(404);
    expect(JSON.parse(textOf(answer)).code).toBe('request.not_found');
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it.each(['/../secret.txt', '/..%2fsecret.txt', '/%2e%2e/secret.txt', '/.env', '/.git/config', '//etc/passwd'])(
    'are the only accessible files: %s',
    async (path) => {
      for (const headers of [HTML, { accept: '*/*' }]) {
        const answer = await get(path, headers);
        expect(textOf(answer)).not.toMatch(/outside|hidden|root:/);
        // The answer is either 404 or the page.
        expect(answer.status === 404 || textOf(answer).includes('csp-nonce')).toBe(true);
      }
    },
  );
});

describe('an address outside the web UI', () => {
  it.each([
    '/api/v3/nothing',
    '/api',
    '/api/%zz',
    '/p/%zz',
    '/auth/nothing',
    '/dns/zones',
    '/assets',
    '//other.example',
    '//other.example/p/default',
  ])('is answered by the API, also with errors: %s', async (path) => {
    const answer = await get(path, HTML);
    expect(answer.status).toBe(404);
    expect(JSON.parse(textOf(answer)).code).toBe('request.not_found');
  });

  it.each(['/auth/login', '/logout', '/refresh'])('is not a page for other methods: %s', async (path) => {
    const answer = await get(path, HTML);
    expect(answer.status).toBe(405);
    expect(JSON.parse(textOf(answer)).code).toBe('request.method');
  });

  it('is every route of the table: without a credential a browser gets the refusal, never the page', async () => {
    const gets = t.controller.routes.filter(({ contract }) => contract.method === 'GET');
    expect(gets.length).toBeGreaterThan(20);
    for (const { contract } of gets) {
      const answer = await get(contract.path.replaceAll(/:\w+|\*/g, 'x'), HTML);
      if (contract.access.kind === 'public') {
        expect(String(answer.headers['content-type'] ?? ''), contract.path).not.toContain('html');
        continue;
      }
      expect(answer.status, contract.path).toBe(401);
      expect(JSON.parse(textOf(answer)).code, contract.path).toBe('auth.missing');
    }
  });

  it('is answered as JSON to a caller who asks for JSON, or for a file', async () => {
    expect((await get('/p/default', { accept: 'application/json' })).status).toBe(404);
    expect((await get('/gone.js', { accept: '*/*' })).status).toBe(404);
    expect((await get('/p/gone.js', { accept: '*/*' })).status).toBe(404);
    expect((await get('/', HTML, 'POST')).status).toBe(404);
  });

  it('is the same page for everybody, without anything about the caller', async () => {
    const { cookie } = await t.openBrowser(t.owner);
    const bare = (text: string) => text.replaceAll(/"[\w-]{22,}"/g, '');
    const [mine, anybodys] = [await get('/p/default', { ...HTML, cookie }), await get('/p/default', HTML)];
    expect(bare(textOf(mine))).toBe(bare(textOf(anybodys)));
    expect(mine.headers['set-cookie']).toBeUndefined();
  });
});
