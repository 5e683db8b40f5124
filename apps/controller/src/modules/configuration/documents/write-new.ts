import type { Collection } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { checkBatch } from './batch.ts';
import { announce, throwFirst, toWanted } from './service.ts';
import { lockScope, type Scope, type WriteStamp } from './store.ts';
import { writeDocument } from './write-one.ts';

export interface NewDocument {
  readonly collection: Collection;
  readonly name: string;
  /** For filters and extensions. */
  readonly type?: string;
  readonly description: string;
  readonly labels: Record<string, string>;
  readonly resource: JsonObject;
}

/**
 * Writes documents of the controller itself into a scope that has none of these names, with every check for a member
 * without host access. Throws the errors of these checks; the caller rolls back.
 */
export async function writeNewDocuments(
  tx: Tx,
  { scope, ...options }: { scope: Scope; api: EnvoyApi; keyring: Keyring; stamp: WriteStamp },
  documents: readonly NewDocument[],
): Promise<void> {
  await lockScope(tx, scope);
  const written = [];
  for (const document of documents) {
    const change = { before: undefined, wanted: toWanted(document), options: { ...options, mayReachHost: false } };
    written.push(await writeDocument(tx, scope, document, change));
  }
  throwFirst(await checkBatch(tx, scope, { written, lostNames: [], reader: undefined }));
  const rows = written.map(({ row }) => row);
  await announce(tx, scope, rows, options.stamp.at);
}
