import type { CreateSample } from '../../../../testing/tenancy/sample.ts';

export const createSample: CreateSample = async ({ make, marker }) => {
  const token = await make('POST', '/api/v3/setting/tokens', { name: 'ci', role: 'viewer', description: marker });
  return { token_id: token.id };
};
