import type { CreateSample } from '../../../../testing/tenancy/sample.ts';

export const createSample: CreateSample = async ({ make, marker }) => {
  const times = { starts_at: '2030-01-01T22:00:00.000Z', ends_at: '2030-01-02T04:00:00.000Z' };
  const made = await make('POST', '/api/v3/setting/maintenance-windows', { name: marker, ...times });
  return { window_id: made.id };
};
