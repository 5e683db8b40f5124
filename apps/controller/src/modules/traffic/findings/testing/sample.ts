import { createId, systemClock } from '@flotilla/kit';
import type { CreateSample } from '../../../../testing/tenancy/sample.ts';
import { applyBatches, createDelta } from '../../inventory/testing/index.ts';
import { runPass } from '../pass.ts';

export const createSample: CreateSample = async ({ db, project, marker, make }) => {
  const atMs = Date.now() - 60_000;
  const batch = { projectId: project, clientId: createId(), serviceId: createId(), epoch: 'findings', sequence: 1 };
  const deltas = [
    createDelta(`GET findings.example/${marker}`, { atMs, flags: { missing_hsts: atMs }, exposureMax: 7 }),
  ];
  await applyBatches(db, [{ ...batch, deltas, now: new Date() }]);
  await runPass({ db, clock: systemClock, write: (work) => db.transaction().execute(work) });
  const { items } = await make('GET', '/api/v3/inventory/findings', undefined);
  return { finding_id: items[0].id };
};
