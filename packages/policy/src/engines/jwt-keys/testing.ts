import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { loadPolicyFiles } from '../../load.ts';
import type { JwtOptions } from '../jwt.ts';

export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const weakRsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
export const pss = generateKeyPairSync('rsa-pss', {
  modulusLength: 2048,
  hashAlgorithm: 'sha256',
  mgf1HashAlgorithm: 'sha256',
});
export const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
export const bitcoin = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
export const ed25519 = generateKeyPairSync('ed25519');
export const ed448 = generateKeyPairSync('ed448');

/** For a P-256 key; long expired, which does not matter. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBkDCCATWgAwIBAgIUFRBQFxNYOtBnn5urTMPFcn3z2LYwCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSaXNzdWVyLmV4YW1wbGUuY29tMB4XDTI2MTEyMTEwMDMwOVoX
DTI2MTEyMjEwMDMwOVowHTEbMBkGA1UEAwwSaXNzdWVyLmV4YW1wbGUuY29tMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAErXCC5M7o7SR5mK+wanME9QsvN3Dtqhpo
MLrmQhms+juF8NxlJYDWbbG7CHJYks4g69SOLEiiiuQLVJlByP8ly6NTMFEwHQYD
VR0OBBYEFNXPkFoRlPVf+2fcINajz1GGfmV8MB8GA1UdIwQYMBaAFNXPkFoRlPVf
+2fcINajz1GGfmV8MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIh
ANLRxgIcem6GhmDA9Soi6GP29yyl0Sw4Ul71bM7kOixAAiEAhGQaWech4l8dQyxM
odFD5LErLA8oj4f3bNTSf/5FPT8=
-----END CERTIFICATE-----
`;
export const CERTIFIED_KEY = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAErXCC5M7o7SR5mK+wanME9QsvN3Dt
qhpoMLrmQhms+juF8NxlJYDWbbG7CHJYks4g69SOLEiiiuQLVJlByP8lyw==
-----END PUBLIC KEY-----
`;

export const pemOf = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' }).toString();
export const jwkOf = (key: KeyObject, extra: object = {}) => ({ ...key.export({ format: 'jwk' }), ...extra });
export const jwksOf = (...keys: object[]) => JSON.stringify({ keys });

export type Content = string | Uint8Array;

export function load(fields: string, content?: Content, path = 'files/key') {
  const lines = fields.trim().split('\n');
  const text = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: demo }
spec:
  domains:
    - hosts: [api.example.com]
      policy:
        engines:
          jwt:
${lines.map((line) => `            ${line.trim()}`).join('\n')}
`;
  return loadPolicyFiles([
    { path: 'policy.yaml', content: text },
    ...(content === undefined ? [] : [{ path, content }]),
  ]);
}

export function problemsOf(fields: string, content?: Content, path?: string): string[] {
  const loaded = load(fields, content, path);
  return loaded.ok ? [] : loaded.error.map(({ line, field, rule }) => `${line} ${field.split('.jwt')[1]} ${rule}`);
}

export function optionsOf(fields: string, content: Content): JwtOptions {
  const loaded = load(fields, content);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const block = loaded.value.domains[0]?.policy.engines[0];
  if (block?.engine !== 'jwt') throw new Error('no jwt block');
  return block.options;
}

export const RS = 'algorithms: [RS256]\npublic_key_file: files/key';
export const HS = 'algorithms: [HS256]\nhmac_secret_file: files/key';
export const SET = 'algorithms: [RS256, ES256]\njwks_file: files/key';
export const SECRET = 'a secret of thirty-two characters';
