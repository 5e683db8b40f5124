import type { RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { graphqlServer } from '@hono/graphql-server';
import { getRequestListener } from '@hono/node-server';
import { fastify } from 'fastify';
import type { buildSchema } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/http';
import { Hono } from 'hono';
import { mercurius } from 'mercurius';
import { ExecutedDocuments, SCHEMA } from './executed-documents.ts';
import { HttpClient } from './http-client.ts';
import { type Listening, listen } from './listening.ts';
import type { Upstream } from './reading.ts';

/** The type from the copy of graphql-js that GraphQL Yoga and graphql-http share. */
type Schema = Exclude<Parameters<typeof createHandler>[0]['schema'], undefined | ((...args: never[]) => unknown)>;

/** The parts of GraphQL Yoga that are used. Its own types would add those of browsers to all of our code. */
interface Yoga {
  createSchema(options: { readonly typeDefs: string; readonly resolvers: object }): Schema;
  createYoga(options: { readonly schema: Schema; readonly logging: false; readonly graphiql: false }): RequestListener;
}

const YOGA: string = 'graphql-yoga';

/** `/graphql` of GraphQL Yoga. */
export function startYoga(): Promise<Upstream & Listening> {
  return start('GraphQL Yoga', async (executed) => {
    const { createSchema, createYoga }: Yoga = await import(YOGA);
    const schema = createSchema({ typeDefs: SCHEMA, resolvers: executed.resolvers });
    return listen(createYoga({ schema, logging: false, graphiql: false }));
  });
}

/** `/graphql` of `@hono/graphql-server`. */
export function startHonoGraphql(): Promise<Upstream & Listening> {
  return start('@hono/graphql-server', (executed) => {
    const app = new Hono();
    app.use(
      '/graphql',
      graphqlServer({ schema: buildSchemaFor('@hono/graphql-server'), rootResolver: () => executed.rootValue }),
    );
    return listen(getRequestListener(app.fetch));
  });
}

/** `/graphql` of graphql-http. */
export function startGraphqlHttp(): Promise<Upstream> {
  return start('graphql-http', async (executed) => {
    const { createSchema }: Yoga = await import(YOGA);
    const schema = createSchema({ typeDefs: SCHEMA, resolvers: executed.resolvers });
    return listen(createHandler({ schema }));
  });
}

/** Apollo Server on every path. */
export function startApollo(): Promise<Upstream> {
  return start('Apollo Server', async (executed) => {
    const server = new ApolloServer({ schema: buildSchemaFor('@apollo/server'), rootValue: executed.rootValue });
    const { url } = await startStandaloneServer(server, { listen: { host: '127.0.0.1', port: 0 } });
    return { port: Number(new URL(url).port), close: () => server.stop() };
  });
}

/** `/graphql` of mercurius. */
export function startMercurius(): Promise<Upstream> {
  return start('mercurius', async (executed) => {
    const app = fastify();
    await app.register(mercurius, { schema: SCHEMA, resolvers: executed.resolvers, cache: false });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    return { port: Number(new URL(url).port), close: () => app.close() };
  });
}

/** Schemas of two copies of graphql-js cannot be mixed, so this one uses the copy that the library loads. */
function buildSchemaFor(library: string): ReturnType<typeof buildSchema> {
  const graphql: { readonly buildSchema: typeof buildSchema } = createRequire(import.meta.resolve(library))('graphql');
  return graphql.buildSchema(SCHEMA);
}

async function start(
  name: string,
  begin: (executed: ExecutedDocuments) => Promise<Listening>,
): Promise<Upstream & Listening> {
  const executed = new ExecutedDocuments();
  const { port, close } = await begin(executed);
  // Apollo accepts a GET only with this header, or with a type that forms do not have.
  const client = new HttpClient(port, { 'apollo-require-preflight': '1' });
  return {
    name,
    port,
    async read(request) {
      await client.send(request);
      return { documents: executed.take(), methods: [] };
    },
    async close() {
      client.close();
      await close();
    },
  };
}
