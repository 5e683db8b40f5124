import { join } from 'node:path';
import { type ArchiveServer, type PublishedBinary, startArchive, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { vi } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../../testing/controller.ts';

/** The only version that the controller knows. */
export const KNOWN: string = TEST_ENVOY_VERSIONS.oldest;
/** A real Envoy that only the archive has. */
export const NEW: string = TEST_ENVOY_VERSIONS.newest;

export const SVC_MASTER_KEY = '2a'.repeat(32);
const WAIT = { interval: 50 };

export interface ArchiveStage {
  readonly t: TestController;
  readonly archive: ArchiveServer;
  /** Publishes these binaries of Envoy, and looks at them, as a person does before a preparation. */
  publish(binaries: readonly PublishedBinary[]): Promise<void>;
  close(): Promise<void>;
}

/** A controller that knows one version, and an archive. */
export async function openArchiveStage(): Promise<ArchiveStage> {
  const archive = await startArchive();
  // No Envoy is installed there.
  const env = { SVC_ARCHIVE_URL: archive.url, FLOTILLA_CACHE: join(archive.dir, 'cache'), SVC_MASTER_KEY };
  const t = await createTestController(env, { knownVersions: [KNOWN] });
  return {
    t,
    archive,
    async publish(binaries) {
      archive.publish(binaries);
      const { status } = await t.owner.call('GET', '/api/v3/custom/archive_releases');
      if (status !== 200) throw new Error(`the archive cannot be read: ${status}`);
    },
    async close() {
      await t.close();
      await archive.close();
    },
  };
}

export function writeCluster(caller: TestCaller, project: string, document: object = {}) {
  const resource = { name: 'web', type: 'STATIC', connect_timeout: '1s' };
  return caller.call('POST', `/api/v3/xds/clusters?project=${project}`, {
    name: 'web',
    version: NEW,
    resource,
    ...document,
  });
}

export function prepare(caller: TestCaller, project: string, version = NEW) {
  return caller.call('POST', `/api/v3/custom/proxy_versions/prepare?project=${project}`, { version });
}

/** The job when it has ended. */
export function endOf(caller: TestCaller, project: string, jobId: string) {
  return vi.waitFor(async () => {
    const { body } = await caller.call('GET', `/api/v3/jobs/${jobId}?project=${project}`);
    if (body.ended_at === null || body.ended_at === undefined) throw new Error(`the job is ${JSON.stringify(body)}`);
    return body;
  }, WAIT);
}
