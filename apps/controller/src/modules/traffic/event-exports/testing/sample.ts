import type { CreateSample } from '../../../../testing/tenancy/sample.ts';

export const createSample: CreateSample = async ({ make, marker }) => {
  const target = { kind: 'webhook', url: 'https://siem.example.com/events', secret: `${marker}-0123456789abcdef` };
  const made = await make('POST', '/api/v3/inventory/exports', { name: marker, target });
  return { export_id: made.id };
};
