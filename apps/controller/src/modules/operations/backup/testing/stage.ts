import type { Buffer } from 'node:buffer';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { TestCaller } from '../../../../testing/controller.ts';
import { addDocuments, createTestFleet, type TestFleet } from '../../../../testing/fleet.ts';
import { BASE, fetchFile, forgeBackup, makeBackup, restoreBackup, uploadBackup } from './restore.ts';

interface Asked {
  /** The query of another project than that of the test. */
  readonly of?: string;
  /** Further members of the query, with their `&`. */
  readonly more?: string;
  /** Somebody else than the owner. */
  readonly by?: TestCaller;
}

/**
 * A fleet for the tests of a file, and for each of them a project of its own with an admin; with `documents`, also those of
 * a service. To be called before the file declares hooks of its own.
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

  /** The body of an answer that is none of refusal. */
  async function ask(method: string, path: string, body?: object, { of = query, more = '', by = t.owner }: Asked = {}) {
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
    ask,
    dryRun: (body: object, asked?: Asked) =>
      ask('POST', `${BASE}/backup/import`, body, { ...asked, more: '&dry_run=true' }),
    makeBackup: (body: object, { of = query, by = t.owner }: Asked = {}) => makeBackup(by, of, body),
    restore: (body: object, { of = query, by = t.owner }: Asked = {}) => restoreBackup(by, of, body),
    upload: (content: Buffer, of = query) => upload(content, of),
    /** Puts a backup there whose content nobody can have written, signed by the installation itself. */
    forge: async (sections: Readonly<Record<string, readonly unknown[]>>, of = query) =>
      upload(await forgeBackup(t, sections), of),
    /** Brings a backup of the test's project to another. */
    carry: async (backup: string, to: string) => upload(await fetchFile(t, t.owner, query, backup), to),
    /** Another project than that of the test, with nobody in it. */
    async createFar() {
      const there = await t.createProject(`far-${createId().slice(-8)}`);
      return { there, far: `?project=${there}` };
    },
  };
}
