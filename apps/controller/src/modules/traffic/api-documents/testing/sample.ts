import type { CreateSample } from '../../../../testing/tenancy/sample.ts';
import { insertVersion, lockByName } from '../import-store.ts';
import type { DocumentOperation } from '../model/document.ts';

/** Written as an import writes it, without the process that reads a file. */
export const createSample: CreateSample = async ({ db, project, marker }) => {
  const now = new Date();
  const facts = {
    operationId: marker,
    deprecated: false,
    parameters: [],
    openQuery: false,
    body: null,
    statuses: ['200'],
    openStatuses: false,
    secured: false,
  };
  const operations: DocumentOperation[] = [{ method: 'GET', path: `/${marker}`, facts }];
  const id = await db.transaction().execute(async (tx) => {
    const document = await lockByName(tx, { projectId: project, name: `doc-${marker}`, by: marker, now });
    const head = {
      format: 'openapi-3.0',
      title: marker,
      documentVersion: '1',
      servers: [{ host: null, base: '' }],
      keyQuery: [],
      warnings: [],
      operationCount: 1,
      deprecatedCount: 0,
    } as const;
    const version = {
      head,
      operations: [JSON.stringify(operations)],
      file: Buffer.from(marker),
      sha256: '',
      by: marker,
    };
    await insertVersion(tx, { projectId: project, document, name: `doc-${marker}` }, { ...version, now });
    return document.id;
  });
  return { document_id: id };
};
