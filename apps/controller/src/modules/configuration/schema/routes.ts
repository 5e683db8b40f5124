import { createHash } from 'node:crypto';
import { SCHEMA_DEPTH_DEFAULT, schemaRoutes } from '@flotilla/contract';
import { type EnvoyApi, type JsonObject, listExtensions } from '@flotilla/envoy-api';
import type { Reply } from '../../../platform/http/context.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { reviewDocument } from '../documents/index.ts';
import type { EnvoyApis } from '../proxy-versions/index.ts';
import { listCandidates } from './candidate-store.ts';
import { describeMessages } from './messages.ts';
import { listStarters } from './starters.ts';

export interface SchemaRouteDeps {
  readonly envoyApis: EnvoyApis;
  readonly keyring: Keyring;
}

/** A version's schema does not change; an improved description has another ETag and is noticed within a day. */
const KEEP = { 'cache-control': 'private, max-age=86400' };

export function createSchemaRoutes({ envoyApis, keyring }: SchemaRouteDeps): Route[] {
  return [
    implement(schemaRoutes.messages, async (_ctx, { query }) => {
      const api = await envoyApis.get(query.version);
      const { body, etag } = describeMessages(api, query.type, query.depth ?? SCHEMA_DEPTH_DEFAULT);
      return keepable(api, body, etag);
    }),
    implement(schemaRoutes.extensions, async (_ctx, { query }) => {
      const api = await envoyApis.get(query.version);
      const items = listExtensions(api, query.slot).map(({ docsUrl, ...rest }) => ({ ...rest, docs_url: docsUrl }));
      return keepable(api, { version: api.version, items });
    }),
    implement(schemaRoutes.starters, async (_ctx, { query }) => {
      const api = await envoyApis.get(query.version);
      const items = listStarters(api).filter((one) => (query.collection ?? one.collection) === one.collection);
      return keepable(api, { version: api.version, items });
    }),
    implement(schemaRoutes.check, async (ctx, { body }) => {
      const api = await envoyApis.get(body.version);
      const deps = { db: ctx.db, api, keyring, mayReachHost: ctx.project.role === 'owner' };
      const { collection, name, type } = body;
      const typed = { collection, name, type, resource: body.resource as JsonObject };
      return { body: await reviewDocument(deps, { project: ctx.project.id, version: body.version }, typed) };
    }),
    implement(schemaRoutes.candidates, async (ctx, { query }) => {
      const api = await envoyApis.get(query.version);
      return {
        body: await listCandidates(ctx.db, api, { project: ctx.project.id, version: query.version }, query),
      };
    }),
  ];
}

/** Answers from the shipped API must be revalidated, because the version's own binary may arrive. */
function keepable(api: EnvoyApi, body: object, etag = digestOf(body)): Reply {
  const headers = api.source === 'binary' ? KEEP : { 'cache-control': 'private, no-cache' };
  return { body, etag, headers };
}

function digestOf(body: object): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 32);
}
