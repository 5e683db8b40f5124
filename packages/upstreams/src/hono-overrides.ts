import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { methodOverride } from 'hono/method-override';
import { type Listening, listen } from './listening.ts';
import { joinReadings, NOTHING_READ, type Reading, type SentRequest, type Upstream } from './reading.ts';

/** Hono, which takes another method from a form or the query if configured, and reads `query` from both. */
export function createHono(): Upstream {
  const apps = [{}, { query: '_method' }, { form: '_method' }].map(createApp);
  return {
    name: 'Hono',
    read: async (request) => joinReadings(await Promise.all(apps.map((app) => ask(app, request)))),
    close: async () => undefined,
  };
}

/** The same on a port: it responds with the method and the queries that it read. */
export function startHono(): Promise<Listening> {
  return listen(getRequestListener(createApp({}).fetch));
}

/** An application that responds with what it read. */
function createApp(options: { readonly query?: string; readonly form?: string }): Hono {
  const app = new Hono();
  app.use('*', methodOverride({ app, ...options } as Parameters<typeof methodOverride>[0]));
  app.onError((_error, c) => c.text('', 500));
  app.all('*', async (c) => {
    const fields = c.req.method === 'POST' ? await c.req.parseBody({ all: true }) : {};
    const queries = [c.req.query('query'), ...(c.req.queries('query') ?? []), fields.query].flat();
    const documents = queries.filter((text) => typeof text === 'string').map((text) => Buffer.from(text));
    return c.json({ method: c.req.method, documents: documents.map((bytes) => bytes.toString('base64')) });
  });
  return app;
}

async function ask(app: Hono, { method, target, type, body }: SentRequest): Promise<Reading> {
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const headers = type === undefined ? {} : { 'content-type': type };
  const answer = await app.request(`http://a.example.com${target}`, {
    method,
    headers,
    ...(hasBody ? { body: new Uint8Array(body) } : {}),
  });
  if (answer.status !== 200) return NOTHING_READ;
  const read = (await answer.json()) as { readonly method: string; readonly documents: readonly string[] };
  return { documents: read.documents.map((text) => Buffer.from(text, 'base64')), methods: [read.method] };
}
