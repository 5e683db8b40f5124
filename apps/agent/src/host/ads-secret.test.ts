import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import {
  ADS_SECRET_HEADER,
  addAdsSecret,
  createAdsSecret,
  createSecretRedactor,
  redactAdsSecrets,
} from './ads-secret.ts';

test('every start has a secret of its own, which goes with the ADS stream and nowhere else (attack 4)', () => {
  const [one, two] = [createAdsSecret(), createAdsSecret()];
  expect(one).not.toBe(two);
  const bootstrap = {
    node: { id: 'n' },
    dynamic_resources: {
      ads_config: { grpc_services: [{ envoy_grpc: { cluster_name: 'xds' } }] },
      cds_config: { ads: {} },
    },
  };
  expect(JSON.parse(addAdsSecret(Buffer.from(JSON.stringify(bootstrap)), one))).toEqual({
    node: { id: 'n' },
    dynamic_resources: {
      ads_config: {
        grpc_services: [
          { envoy_grpc: { cluster_name: 'xds' }, initial_metadata: [{ key: ADS_SECRET_HEADER, value: one }] },
        ],
      },
      cds_config: { ads: {} },
    },
  });
  expect(addAdsSecret(Buffer.from('{"static_resources":{}}'), one)).toBe('{"static_resources":{}}');
});

test.each([1, 7, 69, 70, 71, 1_000])(
  'a secret is taken out of an answer that comes in pieces of %d bytes (attack 4)',
  async (size) => {
    const secret = createAdsSecret();
    const whole = Buffer.from(`é "${secret}" ${'x'.repeat(200)}${secret}${secret} flads_0123 ü`);
    const redactor = createSecretRedactor();
    for (let at = 0; at < whole.length; at += size) redactor.write(whole.subarray(at, at + size));
    redactor.end();
    const clean = await text(redactor);
    expect(clean).toBe(redactAdsSecrets(whole.toString()));
    expect(clean).not.toContain(secret);
    expect(Buffer.byteLength(clean)).toBe(whole.length);
    expect(clean).toContain('flads_0123 ü');
  },
);
