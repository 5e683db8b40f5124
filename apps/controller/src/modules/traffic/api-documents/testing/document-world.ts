import { uploadFile } from '../../../../testing/upload.ts';
import { type InventoryWorld, useInventoryWorld } from '../../inventory/testing/inventory-world.ts';

export const DOCUMENTS = '/api/v3/inventory/documents';

type Query = Readonly<Record<string, string | readonly string[]>>;

export interface DocumentWorld extends InventoryWorld {
  /** Uploads a document, by default as the owner into the first project. */
  upload(
    file: string | Buffer | object,
    query: Query,
    by?: { readonly caller?: { readonly token: string }; readonly project?: string; readonly path?: string },
    // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  ): Promise<{ readonly status: number; readonly body: any }>;
}

export function useDocumentWorld(): DocumentWorld {
  const world = useInventoryWorld() as { -readonly [K in keyof DocumentWorld]: DocumentWorld[K] };
  world.upload = (file, query, { caller = world.t.owner, project = world.t.project, path = '' } = {}) => {
    const search = new URLSearchParams({ project });
    for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) search.append(name, one);
    const bytes = typeof file === 'string' || Buffer.isBuffer(file) ? file : JSON.stringify(file);
    return uploadFile(world.t, caller, { url: `${DOCUMENTS}${path}?${search}`, file: bytes });
  };
  return world;
}

/** A document with these operations: `GET /users/{id}`. */
export function createOpenapi(
  operations: Readonly<Record<string, object>>,
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: { responses: { 200: {}, default: {} }, ...operation } };
  }
  return { openapi: '3.0.3', info: { title: 'Shop', version: '1.2' }, paths, ...more };
}
