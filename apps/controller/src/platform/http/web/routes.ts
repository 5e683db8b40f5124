import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { describeContentPolicy, PAGE_PERMISSIONS } from '../security-headers.ts';
import { IndexPage } from './index-page.ts';

/**
 * Addresses that are never a page: the API answers them, also with errors. A leading second slash is excluded too,
 * because in a link it would start a host name.
 */
const NO_PAGE = /^\/\/|^\/(?:api|assets|auth|dns|logout|refresh|healthz|readyz|metrics)(?:\/|$)/;
/** Files next to the page, such as its icon. The page itself is excluded because it needs a nonce. */
const ROOT_FILE = /^\/[\w-]+\.(?:js|svg|ico|png|txt|webmanifest)$/;
/** Excludes empty and hidden segments and path traversal. */
const ASSET = /^\w[\w.@+-]*(?:\/\w[\w.@+-]*)*$/;

const ASSET_MAX_AGE_MS = 365 * 24 * 3_600_000;

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Flotilla</title>
<p>The screens are not built yet. Run <code>npm run build</code> where Flotilla lies, then load this page again.
The REST API works without them.</p>
</html>
`;

type Wildcard = { Params: { '*': string } };

/**
 * Serves the built web UI in `dir` to everybody: it contains no data, which comes from the API. Every address that is
 * neither a file nor the API's returns the page, which does its own routing. `dir` may be created later.
 */
export async function addWebRoutes(app: FastifyInstance, { dir }: { dir: string }): Promise<void> {
  await app.register(fastifyStatic, {
    root: dir,
    serve: false,
    preCompressed: true,
    index: false,
    dotfiles: 'deny',
    suppressWarning: true,
  });
  const page = new IndexPage(join(dir, 'index.html'));

  // The names of assets change with their contents.
  app.get<Wildcard>('/assets/*', (request, reply) => {
    const name = request.params['*'];
    return ASSET.test(name)
      ? reply.sendFile(`assets/${name}`, { maxAge: ASSET_MAX_AGE_MS, immutable: true })
      : reply.callNotFound();
  });

  app.get<Wildcard>('/*', (request, reply) => {
    const path = `/${request.params['*']}`;
    if (ROOT_FILE.test(path)) return reply.sendFile(path.slice(1), { maxAge: 0 });
    return isPage(request, path) ? sendPage(page, reply) : reply.callNotFound();
  });
}

/** Resource names may contain dots, so only the Accept header distinguishes a page from a missing file. */
function isPage({ headers: { accept = '' } }: FastifyRequest, path: string): boolean {
  if (path === '/') return true;
  if (NO_PAGE.test(path)) return false;
  return accept.includes('text/html') || (accept.includes('*/*') && !/\.\w+$/.test(path));
}

async function sendPage(page: IndexPage, reply: FastifyReply): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString('base64url');
  const html = await page.render(nonce);
  reply.type('text/html; charset=utf-8').header('permissions-policy', PAGE_PERMISSIONS);
  if (html === undefined) return reply.code(503).send(NOT_BUILT);
  // Every answer has its own nonce: it may be cached, but must be revalidated.
  reply.header('cache-control', 'no-cache').header('content-security-policy', describeContentPolicy(nonce));
  return reply.send(html);
}
