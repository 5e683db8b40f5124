import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { describeContentPolicy, PAGE_PERMISSIONS } from '../security-headers.ts';
import { IndexPage } from './index-page.ts';

/**
 * What is never a page: there the API's own answers hold, its refusals included. Nor is a second slash at the beginning: in
 * a link it would be the name of another host.
 */
const NO_PAGE = /^\/\/|^\/(?:api|assets|auth|dns|logout|refresh|healthz|readyz|metrics)(?:\/|$)/;
/** Files beside the page, such as its icon. The page itself is not sent as it lies there: its nonce is missing. */
const ROOT_FILE = /^\/[\w-]+\.(?:js|svg|ico|png|txt|webmanifest)$/;
/** No empty, hidden or climbing segment can be written with it. */
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
 * Serves the built screens of `dir`, to anybody: they are the same for all, what they show comes from the API. Every
 * address that is no file and not the API's is the page, which finds its way by the address. `dir` may come later.
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

  // Their names change with their contents.
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

/** Names of things have dots, so that only the asker tells a page from a file that is not there. */
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
  // Each answer has a nonce of its own: it may be kept, but is to be asked for again.
  reply.header('cache-control', 'no-cache').header('content-security-policy', describeContentPolicy(nonce));
  return reply.send(html);
}
