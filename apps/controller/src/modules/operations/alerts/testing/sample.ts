import type { CreateSample } from '../../../../testing/tenancy/sample.ts';

export const createSample: CreateSample = async ({ make, marker }) => {
  const target = { kind: 'webhook', url: 'https://hooks.example.com/alerts', secret: `${marker}-0123456789abcdef` };
  const channel = await make('POST', '/api/v3/alert-channels', { name: marker, target });
  const condition = { kind: 'client_offline' };
  const rule = await make('POST', '/api/v3/alert-rules', { name: marker, condition, channels: [channel.id] });
  return { channel_id: channel.id, rule_id: rule.id };
};
