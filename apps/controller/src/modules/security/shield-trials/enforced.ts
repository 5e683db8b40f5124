import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { PLACEHOLDER_MARK, type PolicyFile } from '@flotilla/policy';
import { isScalar, type Pair, parseDocument, visit } from 'yaml';

/** Folder of the files that stand for those which a draft lacks. */
const FOLDER = 'trial-placeholders';

/**
 * A policy as if every part had mode `block`, with values in place of its placeholders that nobody has: no key and no token fits them.
 * A text that is no YAML stays, because loading reports what is wrong.
 */
export function enforcePolicy(text: string): { readonly text: string; readonly files: readonly PolicyFile[] } {
  const document = parseDocument(text, { uniqueKeys: false });
  if (document.errors.length > 0) return { text, files: [] };
  const files = new Map<string, PolicyFile>();
  let isChanged = false;
  visit(document, {
    Pair(_, pair) {
      const value = enforcedValue(pair, files);
      if (value === undefined || !isScalar(pair.value)) return;
      pair.value.value = value;
      isChanged = true;
    },
  });
  return isChanged ? { text: document.toString({ lineWidth: 0 }), files: [...files.values()] } : { text, files: [] };
}

function enforcedValue(pair: Pair, files: Map<string, PolicyFile>): string | undefined {
  const { key, value: node } = pair;
  if (!isScalar(key) || !isScalar(node) || typeof key.value !== 'string') return undefined;
  if (key.value === 'mode' && node.value === 'detect') return 'block';
  if (typeof node.value !== 'string' || !node.value.startsWith(PLACEHOLDER_MARK)) return undefined;
  const field = key.value;
  if (field === 'sha256') return randomBytes(32).toString('hex');
  const content = contentOf(field);
  if (content === undefined) return `placeholder-${randomBytes(8).toString('hex')}`;
  const path = `${FOLDER}/${field}`;
  files.set(path, files.get(path) ?? { path, content });
  return path;
}

function contentOf(field: string): Buffer | undefined {
  switch (field) {
    case 'jwks_file':
      return Buffer.from(JSON.stringify({ keys: listKeys() }));
    case 'public_key_file':
      return Buffer.from(createRsaKey().export({ format: 'pem', type: 'spki' }));
    case 'hmac_secret_file':
      return randomBytes(64);
    default:
      return undefined;
  }
}

const createRsaKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;

/** A key for each kind of algorithm. */
function listKeys() {
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
  return [createRsaKey(), curve].map((key, index) => ({ ...key.export({ format: 'jwk' }), kid: `trial-${index}` }));
}
