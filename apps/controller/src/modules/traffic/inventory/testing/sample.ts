import { createId } from '@flotilla/kit';
import type { CreateSample } from '../../../../testing/tenancy/sample.ts';
import { applyBatches } from '../apply-store.ts';
import { createDelta } from './deltas.ts';

export const createSample: CreateSample = async ({ db, project, marker, make }) => {
  const batch = { projectId: project, clientId: createId(), serviceId: createId(), epoch: 'sample', sequence: 1 };
  const deltas = [createDelta(`GET www.example/${marker}`)];
  await applyBatches(db, [{ ...batch, deltas, now: new Date() }]);
  const snapshot = await make('POST', '/api/v3/inventory/snapshots', undefined);
  return { snapshot_id: snapshot.id };
};
