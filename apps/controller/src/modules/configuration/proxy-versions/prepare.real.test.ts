import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openController } from '../../../testing/controller.ts';
import {
  type ArchiveStage,
  endOf,
  KNOWN,
  NEW,
  openArchiveStage,
  prepare,
  SVC_MASTER_KEY,
  writeCluster,
} from './testing/archive-stage.ts';

let stage: ArchiveStage;

beforeAll(async () => {
  stage = await openArchiveStage();
  await stage.publish([{ version: NEW, file: await stage.archive.makeEnvoy(NEW) }]);
});
afterAll(() => stage.close());

describe('a version that only the archive knows', () => {
  it('is prepared by the first write, and then its documents and forms work, also on another controller without the archive', async () => {
    const { t, archive } = stage;
    const { owner, project } = t;
    const trial = await owner.call('POST', `/api/v3/xds/clusters?project=${project}&dry_run=true`, {
      name: 'web',
      version: NEW,
      resource: { name: 'web' },
    });
    expect([trial.status, trial.body.code]).toEqual([409, 'version.unprepared']);
    expect(archive.asked.filter((path) => path.startsWith('/files/'))).toEqual([]);

    const first = await writeCluster(owner, project);
    expect([first.status, first.body.code]).toEqual([409, 'version.preparing']);
    expect(first.headers['retry-after']).toBe('5');
    expect(await endOf(owner, project, first.body.job)).toMatchObject({
      type: 'version.prepare',
      status: 'done',
      resource: { type: 'proxy_version', name: NEW },
      progress: { percent: 100 },
    });

    expect((await writeCluster(owner, project)).status).toBe(201);
    const wrong = await writeCluster(owner, project, {
      name: 'bad',
      resource: { name: 'bad', connect_timeout: '-1s' },
    });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'document.invalid']);
    const form = await owner.call('GET', `/api/v3/schema/messages?version=${NEW}&type=envoy.config.cluster.v3.Cluster`);
    expect(form.body).toMatchObject({ version: NEW, source: 'binary' });
    const extensions = await owner.call('GET', `/api/v3/schema/extensions?version=${NEW}&slot=envoy.filters.http`);
    expect(extensions.body.items.length).toBeGreaterThan(30);

    // The second controller has no archive and no Envoy. Starting it is also what a restart is.
    const other = await openController(
      t.database,
      { FLOTILLA_CACHE: join(archive.dir, 'other'), SVC_MASTER_KEY },
      { knownVersions: [KNOWN] },
    );
    expect(await other.controller.configuration.envoyApis.known()).toEqual([NEW, KNOWN]);
    const api = await other.controller.configuration.envoyApis.get(NEW);
    expect([api.version, api.source]).toEqual([NEW, 'binary']);
    expect(api.messages()).toEqual((await t.controller.configuration.envoyApis.get(NEW)).messages());
    await other.close();
    expect(archive.asked.filter((path) => path.startsWith('/files/'))).toHaveLength(1);
  });

  it('is listed with the source of its descriptors and its newest preparation', async () => {
    const { owner, project } = stage.t;
    const job = (await prepare(owner, project)).body.job;
    expect(await endOf(owner, project, job.id)).toMatchObject({ status: 'no_work' });
    const { body } = await owner.call('GET', `/api/v3/custom/proxy_versions?project=${project}`);
    const { sha256 } = await stage.archive.makeEnvoy(NEW);
    expect(body.items.map((one: { version: string }) => one.version)).toEqual([NEW, KNOWN]);
    expect(body.items[0]).toMatchObject({ descriptors: 'archive', sha256, prepared_at: expect.any(String) });
    expect(body.items[1]).toMatchObject({ descriptors: 'release', sha256: null, prepared_at: null });
    expect(body.preparations).toEqual([{ version: NEW, job, status: 'no_work', error: null }]);
    const elsewhere = await stage.t.createProject('elsewhere');
    const there = await owner.call('GET', `/api/v3/custom/proxy_versions?project=${elsewhere}`);
    expect([there.body.items[0].descriptors, there.body.preparations]).toEqual(['archive', []]);
  });

  it('is not the default of a new project only because somebody prepared it', async () => {
    expect(await stage.t.controller.configuration.envoyApis.newest()).toBe(KNOWN);
    const made = await stage.t.owner.call('POST', '/api/v3/setting/projects', { name: 'of-new', starters: [NEW] });
    expect(made.status).toBe(201);
  });
});

describe('a preparation', () => {
  it('is refused for versions that the archive does not list, and for members who may not write documents', async () => {
    const { t } = stage;
    const unknown = await prepare(t.owner, t.project, '9.9.9');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'version.not_in_archive']);
    expect((await prepare(t.owner, t.project, '1.40')).status).toBe(400);
    expect((await prepare(t.owner, t.project, `${NEW}/../x`)).status).toBe(400);
    const viewer = await t.createMember('viewer');
    expect((await prepare(viewer, t.project)).status).toBe(403);
    const stranger = await t.createMember('admin', await t.createProject('of-strangers'));
    expect((await prepare(stranger, t.project)).status).toBeGreaterThanOrEqual(403);
    const write = await writeCluster(t.owner, t.project, { version: '9.9.9' });
    expect([write.status, write.body.code]).toEqual([400, 'version.unknown']);
  });

  it('of an editor is seen by the editor, and the audit log has it', async () => {
    const { t } = stage;
    const editor = await t.createMember('editor');
    const { status, body, headers } = await prepare(editor, t.project);
    expect(status).toBe(202);
    expect(headers.location).toBe(`/api/v3/jobs/${body.job.id}?project=${t.project}`);
    expect(await endOf(editor, t.project, body.job.id)).toMatchObject({ by: { id: editor.userId } });
    const entries = await t.owner.call('GET', `/api/v3/audit/logs?project=${t.project}&action=version.prepare`);
    expect(JSON.stringify(entries.body)).toContain(NEW);
  });
});
