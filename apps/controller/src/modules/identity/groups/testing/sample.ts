import type { CreateSample } from '../../../../testing/tenancy/sample.ts';

export const createSample: CreateSample = async ({ make, marker }) => {
  const group = await make('POST', '/api/v3/setting/groups', { name: 'team', description: marker });
  return { group_id: group.id };
};
