import { expect, it } from 'vitest';
import { stageProjects } from '../test-stage.ts';

const here = stageProjects();

it('a setting that was written as its kind has it by itself comes back, and is there then', async () => {
  for (const otp_enforced of [true, false])
    await here.ask('PUT', '/api/v3/setting/documents/otp', { otp_enforced }, { by: here.admin });
  const { id } = await here.makeBackup({});
  const { far } = await here.createFar();
  const backup = await here.carry(id, far);
  const planned = await here.plan({ backup }, { of: far });
  expect(planned.creates.map(({ kind }: { kind: string }) => kind)).toContain('settings');
  const done = await here.restore({ backup, digest: planned.digest }, { of: far });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  const there = await here.ask('GET', '/api/v3/setting/documents/otp', undefined, { of: far });
  expect(there).toMatchObject({ value: { otp_enforced: false }, revision: 1 });
  const again = await here.plan({ backup }, { of: far });
  expect(again.creates.map(({ kind }: { kind: string }) => kind)).not.toContain('settings');
});
