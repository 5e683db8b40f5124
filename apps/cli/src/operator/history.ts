import { type Collection, policyRoutes, serviceRoutes, xdsRoutes } from '@flotilla/contract';
import { type NamedDocument, renderDocument, renderService } from './manifest/render.ts';
import { collectPages, PAGE_SIZE } from './paging.ts';
import { findVersion, type RecordKind, requireServiceId, type Scope } from './records.ts';

export interface Revision {
  readonly revision: number;
  readonly at: string;
  readonly by: string;
}

/** The revisions of one record. */
export interface History {
  /** Newest first. */
  list(): Promise<readonly Revision[]>;
  /** `text` is the record in the form that `apply` accepts. */
  read(revision: number): Promise<{ readonly record: unknown; readonly text: string }>;
  /** Makes the revision the newest one and returns the resulting record; a dry run only returns it. */
  restore(revision: number, options: { dryRun: boolean }): Promise<unknown>;
}

export interface RecordName {
  readonly kind: RecordKind;
  readonly name: string;
  /** Only for documents; by default the only version of the document. */
  readonly version?: string | undefined;
}

export async function openHistory(scope: Scope, { kind, name, version }: RecordName): Promise<History> {
  if (kind === 'policies') return openPolicyHistory(scope, name);
  if (kind === 'services') return openServiceHistory(scope, await requireServiceId(scope, name));
  const document = { collection: kind, name, version: version ?? (await findVersion(scope, kind, name)) };
  return openDocumentHistory(scope, document);
}

function openDocumentHistory({ connection, project }: Scope, document: NamedDocument): History {
  const { collection, name, version } = document;
  const params: { collection: Collection; name: string } = { collection, name };
  const query = { project, version };
  return {
    list: async () => {
      const revisions = await collectPages(async (cursor) => {
        const page = { ...query, limit: PAGE_SIZE, cursor };
        return (await connection.call(xdsRoutes.listRevisions, { params, query: page })).body;
      });
      return revisions.map(({ revision, created_at: at, created_by: by }) => ({ revision, at, by }));
    },
    read: async (revision) => {
      const { body } = await connection.call(xdsRoutes.getRevision, { params: { ...params, revision }, query });
      return { record: body, text: renderDocument(document, body) };
    },
    restore: async (revision, { dryRun }) => {
      const request = { params, query: { ...query, ...dryRunOf(dryRun) }, body: { revision } };
      return (await connection.call(xdsRoutes.restore, request)).body;
    },
  };
}

function openPolicyHistory({ connection, project }: Scope, name: string): History {
  const query = { project };
  return {
    list: async () => {
      const revisions = await collectPages(async (cursor) => {
        const page = { project, limit: PAGE_SIZE, cursor };
        return (await connection.call(policyRoutes.listRevisions, { params: { name }, query: page })).body;
      });
      return revisions.map(({ revision, created_at: at, created_by: by }) => ({ revision, at, by }));
    },
    read: async (revision) => {
      const { body } = await connection.call(policyRoutes.getRevision, { params: { name, revision }, query });
      return { record: body, text: body.text };
    },
    restore: async (revision, { dryRun }) => {
      const request = { params: { name }, query: { project, ...dryRunOf(dryRun) }, body: { revision } };
      return (await connection.call(policyRoutes.restore, request)).body;
    },
  };
}

function openServiceHistory({ connection, project }: Scope, id: string): History {
  const params = { service_id: id };
  return {
    list: () =>
      collectPages(async (cursor) => {
        const query = { project, limit: PAGE_SIZE, cursor };
        return (await connection.call(serviceRoutes.revisions, { params, query })).body;
      }),
    read: async (revision) => {
      const request = { params: { ...params, revision }, query: { project } };
      const { body } = await connection.call(serviceRoutes.revision, request);
      return { record: body, text: renderService(body.document) };
    },
    restore: async (revision, { dryRun }) => {
      const request = { params, query: { project, ...dryRunOf(dryRun) }, body: { revision } };
      return (await connection.call(serviceRoutes.restore, request)).body;
    },
  };
}

function dryRunOf(dryRun: boolean): { dry_run?: 'true' } {
  return dryRun ? { dry_run: 'true' } : {};
}
