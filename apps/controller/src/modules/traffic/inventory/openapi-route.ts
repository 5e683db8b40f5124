import { Buffer } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { failInventory, INVENTORY_OPENAPI_MAX, inventoryRoutes } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { implement, type Route } from '../../../platform/http/route.ts';
import { countOperations, type OperationQuery, readChunk, readProjectName } from './list-store.ts';
import { createOpenapiDocument } from './openapi/document.ts';
import { type OperationFacts, toFacts } from './openapi/operation-facts.ts';
import { toYaml } from './openapi/yaml-text.ts';
import { VIEWS } from './views-store.ts';

const CHUNK = 500;
const MEDIA = { yaml: 'application/yaml', json: 'application/json' } as const;

export function createOpenapiRoute(): Route {
  return implement(inventoryRoutes.openapi, async (ctx, { query }) => {
    const { format = 'yaml', host, min_seen: minSeen, listener_name, normalized_path } = query;
    const found = {
      filter: { listener_name, normalized_path },
      also: VIEWS.exported({ host, minSeen }),
      now: ctx.now,
    };
    const operations = await readFacts(ctx.db, ctx.project.id, found);
    const projectName = await readProjectName(ctx.db, ctx.project.id);
    await nextTurn();
    const document = createOpenapiDocument(operations, { projectName, now: ctx.now });
    await nextTurn();
    const text = format === 'json' ? `${JSON.stringify(document, null, 2)}\n` : toYaml(document);
    return {
      body: Buffer.from(text),
      contentType: MEDIA[format],
      headers: { 'content-disposition': `attachment; filename="openapi.${format}"` },
    };
  });
}

/** Reads in chunks, because each one is parsed at once. */
async function readFacts(
  db: Db,
  projectId: string,
  query: Pick<OperationQuery, 'filter' | 'also' | 'now'>,
): Promise<OperationFacts[]> {
  if ((await countOperations(db, projectId, query)) > INVENTORY_OPENAPI_MAX)
    throw failInventory('inventory.too_large', { max: INVENTORY_OPENAPI_MAX });
  const facts: OperationFacts[] = [];
  for (let after = ''; ; after = facts.at(-1)?.id ?? '') {
    const rows = await readChunk(db, projectId, { ...query, after, limit: CHUNK });
    facts.push(...rows.map(({ state, ...row }) => toFacts(row, state)));
    if (rows.length < CHUNK || facts.length > INVENTORY_OPENAPI_MAX) return facts;
  }
}
