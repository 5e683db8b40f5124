import { createHash, randomBytes } from 'node:crypto';
import { Transform } from 'node:stream';

/** Name of the metadata with which an Envoy proves that the agent has started it. */
export const ADS_SECRET_HEADER = 'x-flotilla-ads-secret';
const PREFIX = 'flads_';
const RANDOM_BYTES = 32;
const SECRET_LENGTH = PREFIX.length + 2 * RANDOM_BYTES;
const SECRET = new RegExp(`${PREFIX}[0-9a-f]{${2 * RANDOM_BYTES}}`, 'g');

export function createAdsSecret(): string {
  return PREFIX + randomBytes(RANDOM_BYTES).toString('hex');
}

/** Returns the form of a secret that may be stored: SHA-256 in hex. */
export function digestAdsSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Adds the secret to the metadata of the ADS stream in the bootstrap. A bootstrap without ADS is only parsed and formatted. */
export function addAdsSecret(bootstrap: Uint8Array, secret: string): string {
  const parsed = JSON.parse(Buffer.from(bootstrap).toString()) as Bootstrap;
  for (const service of parsed.dynamic_resources?.ads_config?.grpc_services ?? []) {
    service.initial_metadata = [...(service.initial_metadata ?? []), { key: ADS_SECRET_HEADER, value: secret }];
  }
  return JSON.stringify(parsed);
}

/** Masks every ADS secret in a text. The length of the text does not change. */
export function redactAdsSecrets(text: string): string {
  return text.replace(SECRET, PREFIX.padEnd(SECRET_LENGTH, '*'));
}

/** Masks every ADS secret in a stream of arbitrary bytes. */
export function createSecretRedactor(): Transform {
  let tail = '';
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = redactAdsSecrets(tail + chunk.toString('latin1'));
      const cut = Math.max(0, text.length - SECRET_LENGTH + 1);
      tail = text.slice(cut);
      done(null, Buffer.from(text.slice(0, cut), 'latin1'));
    },
    flush(done) {
      done(null, Buffer.from(tail, 'latin1'));
    },
  });
}

interface Bootstrap {
  readonly dynamic_resources?: {
    readonly ads_config?: {
      readonly grpc_services?: Array<{ initial_metadata?: Array<{ key: string; value: string }> }>;
    };
  };
}
