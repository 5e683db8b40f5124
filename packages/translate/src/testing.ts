import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@flotilla/envoy-api';
import { COLLECTION_TYPE, type DocumentCollection, isDocumentCollection } from './documents/collections.ts';
import type { DocumentSource, NodeInput, SourceDocument } from './types.ts';

/** Documents of a test: collection -> name -> resource, or `[type, resource]` if the collection has several types. */
export type TestDocuments = Partial<Record<DocumentCollection, Record<string, JsonObject | [string, JsonObject]>>>;

/** Documents in memory; `put` creates a new revision. */
export class TestSource implements DocumentSource {
  readonly #documents = new Map<string, SourceDocument>();

  constructor(documents: TestDocuments = {}) {
    for (const [collection, byName] of Object.entries(documents)) {
      for (const [name, given] of Object.entries(byName)) {
        if (!isDocumentCollection(collection)) throw new Error(collection);
        const [type, resource] = Array.isArray(given) ? given : [COLLECTION_TYPE[collection] ?? '', given];
        this.put(collection, name, type, resource);
      }
    }
  }

  /** Writes as an owner unless the last argument says otherwise. */
  put(
    collection: DocumentCollection,
    name: string,
    type: string,
    resource: JsonObject,
    { mayReachHost }: { readonly mayReachHost: boolean } = { mayReachHost: true },
  ): void {
    const key = `${collection}/${name}`;
    const revision = (this.#documents.get(key)?.revision ?? 0) + 1;
    const chars = JSON.stringify(resource).length;
    this.#documents.set(key, { collection, name, type, revision, resource, chars, mayReachHost });
  }

  get(collection: DocumentCollection, name: string): SourceDocument | undefined {
    return this.#documents.get(`${collection}/${name}`);
  }

  virtualHostsOf(routes: string): SourceDocument[] {
    return [...this.#documents.values()]
      .filter(({ collection, name }) => collection === 'virtual_hosts' && name.startsWith(`${routes}/`))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

export const TEST_NODE: NodeInput = {
  nodeId: 'web::p1::c1',
  serviceName: 'web',
  bootstrap: 'main',
  listeners: ['http'],
  addresses: ['192.0.2.10'],
  xdsSocket: '/run/flotilla/web/xds.sock',
  filesDir: '/var/lib/flotilla/services/web/files',
  shield: undefined,
};

/** Returns the content of `golden/<name>.golden.json`; GOLDEN=write rewrites the file first. */
export async function readGolden(name: string, actual: unknown): Promise<unknown> {
  const file = join(import.meta.dirname, 'golden', `${name}.golden.json`);
  if (process.env.GOLDEN === 'write') await writeFile(file, `${JSON.stringify(actual, null, 2)}\n`);
  const text = await readFile(file, 'utf8').catch(() => {
    throw new Error(`there is no ${name}.golden.json; run "npm run golden" and review what it wrote`);
  });
  return JSON.parse(text);
}

/** Plain JSON, as it would be read from a file. */
export function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
