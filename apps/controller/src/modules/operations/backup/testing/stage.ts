import type { Buffer } from 'node:buffer';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { TestCaller } from '../../../../testing/controller.ts';
import { addDocuments, createTestFleet, type TestFleet } from '../../../../testing/fleet.ts';
import { BASE, fetchFile, forgeBackup, makeBackup, restoreBackup, uploadBackup } from './restore.ts';

interface RequestOptions {
  /** Query of the project; by default that of the test. */
  readonly of?: string;
  /** Further query parameters, beginning with `&`. */
  readonly more?: string;
  /** The caller; by default the owner. */
  readonly by?: TestCaller;
}

/**
 * Sets up a fleet for a test file, and a project with an admin for each of its tests; with `documents`, also the documents of a
 * service. Must be called before the file declares its own hooks.
 */
export function stageProjects({ documents = false }: { readonly documents?: boolean } = {}) {
  let t: TestFleet;
  let project: string;
  let query: string;
  let admin: TestCaller;
  beforeAll(async () => {
    t = await createTestFleet();
  });
  afterAll(() => t?.close());
  beforeEach(async () => {
    project = await t.createProject(`of-${createId().slice(-8)}`);
    query = `?project=${project}`;
    admin = await t.createMember('admin', project);
    if (documents) await addDocuments(t, project);
  });

  /** Sends a request that must succeed, and returns the body of the response. */
  async function send(
    method: string,
    path: string,
    body?: object,
    { of = query, more = '', by = t.owner }: RequestOptions = {},
  ) {
    const answer = await by.call(method, `${path}${of}${more}`, body);
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  }

  async function upload(content: Buffer, of: string): Promise<string> {
    const answer = await uploadBackup(t, t.owner, of, content);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body.id;
  }

  return {
    get t() {
      return t;
    },
    get project() {
      return project;
    },
    get query() {
      return query;
    },
    get owner() {
      return t.owner;
    },
    get admin() {
      return admin;
    },
    send,
    dryRun: (body: object, options?: RequestOptions) =>
      send('POST', `${BASE}/backup/import`, body, { ...options, more: '&dry_run=true' }),
    makeBackup: (body: object, { of = query, by = t.owner }: RequestOptions = {}) => makeBackup(by, of, body),
    restore: (body: object, { of = query, by = t.owner }: RequestOptions = {}) => restoreBackup(by, of, body),
    upload: (content: Buffer, of = query) => upload(content, of),
    /** Uploads a backup with any content, signed by the installation itself. */
    forge: async (sections: Readonly<Record<string, readonly unknown[]>>, of = query) =>
      upload(await forgeBackup(t, sections), of),
    /** Copies a backup from the project of the test to another. */
    carry: async (backup: string, to: string) => upload(await fetchFile(t, t.owner, query, backup), to),
    /** Creates another project, without members. */
    async createOther() {
      const id = await t.createProject(`other-${createId().slice(-8)}`);
      return { otherProject: id, otherQuery: `?project=${id}` };
    },
  };
}
