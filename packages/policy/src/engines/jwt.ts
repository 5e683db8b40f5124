import * as z from 'zod';
import { findDataPathFault } from '../bundle-path.ts';
import { durationField, parseDurationMs } from '../duration.ts';
import type { Complaint } from '../problem.ts';
import { type ClaimBinding, checkClaimBindings, claimBindingField, toClaimBinding } from './claim-binding.ts';
import { checkCredentialExtras, credentialExtras } from './credential-extras.ts';
import { type DataFiles, type EngineSpec, HEADER_NAME, isRecord } from './engine-spec.ts';
import { isSymmetric, JWT_ALGORITHMS, type JwtAlgorithm } from './jwt-keys/algorithms.ts';
import { readJwksFile } from './jwt-keys/jwks-file.ts';
import { type JwtKey, KEY_FILE_MAX_BYTES, type KeyFileResult, refuseKeyFile } from './jwt-keys/key-file.ts';
import { readPublicKeyFile } from './jwt-keys/public-key-file.ts';
import { readSecretFile } from './jwt-keys/secret-file.ts';
import { readTokenType } from './token-type.ts';

export interface JwtOptions {
  /** Empty for any issuer. */
  readonly issuer: string;
  /** Empty for any audience. */
  readonly audience: string;
  readonly leewayMs: number;
  /** Lowercase. */
  readonly header: string;
  readonly requiredClaims: readonly string[];
  /** How long after its `iat` a token is accepted, without leeway; null for its whole validity. */
  readonly maxAgeMs: number | null;
  /** The required type in `typ` (`readTokenType`); empty for any. */
  readonly type: string;
  readonly bindings: readonly ClaimBinding[];
  /** At least one. Each listed algorithm has at least one key. Names (`kid`) are unique. */
  readonly keys: readonly JwtKey[];
  /** True for a set: a token's `kid` selects its key. A single-key file's key has no name. */
  readonly keysAreNamed: boolean;
  readonly stripCredential: boolean;
  /** Lowercase; empty if the subject is not forwarded. */
  readonly subjectHeader: string;
}

/** The fields that refer to a file of the bundle, and the reader for each. */
const KEY_FILES = {
  public_key_file: readPublicKeyFile,
  hmac_secret_file: readSecretFile,
  jwks_file: readJwksFile,
} as const satisfies Record<string, (content: Uint8Array, algorithms: readonly JwtAlgorithm[]) => KeyFileResult>;

type KeyFileField = keyof typeof KEY_FILES;

const FILE_FIELDS = Object.keys(KEY_FILES) as KeyFileField[];

const LEEWAY_MAX_MS = 5 * 60_000;
/** `iat` is in seconds: a token may look a second old when it is created. */
const MAX_AGE_MIN_MS = 1000;
const MAX_AGE_MAX_MS = 365 * 24 * 3_600_000;

const schema = z
  .strictObject({
    algorithms: z
      .array(z.enum(JWT_ALGORITHMS).meta({ title: 'JwtAlgorithm' }))
      .min(1)
      .describe('Accepted signature algorithms'),
    issuer: z.string().min(1).optional().describe('Required issuer of the token. Not set: any'),
    audience: z.string().min(1).optional().describe('Required audience of the token. Not set: any'),
    public_key_file: z
      .string()
      .min(1)
      .optional()
      .describe('File of the policy with the public key or certificate (PEM)'),
    jwks_file: z
      .string()
      .min(1)
      .optional()
      .describe('File of the policy with a key set (JWKS); the kid of the token selects the key'),
    hmac_secret_file: z
      .string()
      .min(1)
      .optional()
      .describe('File of the policy with the shared secret, for the HS algorithms'),
    leeway: durationField
      .optional()
      .meta({ description: 'Allowed clock skew, for example 30s; at most 5m', default: '0s' }),
    required_claims: z
      .array(z.string().min(1))
      .max(64)
      .optional()
      .describe('Claims that must be present and not empty'),
    max_age: durationField.optional().describe('Maximum age of a token, for example 15m. Requires the iat claim'),
    type: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Required typ of the token, for example at+jwt for access tokens. Not set: any'),
    require_claims_for_path: z.array(claimBindingField).max(128).optional().describe('Paths that require a claim'),
    header_name: z.string().min(1).max(256).optional().meta({
      description: 'Header that carries the token, with or without "Bearer "',
      default: 'Authorization',
    }),
    ...credentialExtras,
  })
  .meta({
    title: 'Jwt',
    description: 'Requires a token with a valid signature and claims; null disables an inherited one',
  });

function check(block: unknown, files?: DataFiles): Complaint[] {
  if (!isRecord(block)) return [];
  const complaints: Complaint[] = [];
  const { leeway, max_age: maxAge, type, header_name: header = 'Authorization' } = block;
  if (typeof leeway === 'string' && parseDurationMs(leeway) > LEEWAY_MAX_MS) {
    complaints.push({ path: ['leeway'], rule: 'jwt.leeway', message: 'must be at most 5m' });
  }
  const maxAgeMs = typeof maxAge === 'string' ? parseDurationMs(maxAge) : Number.NaN;
  if (maxAgeMs < MAX_AGE_MIN_MS || maxAgeMs > MAX_AGE_MAX_MS) {
    complaints.push({ path: ['max_age'], rule: 'jwt.max_age', message: 'must be between 1s and 8760h' });
  }
  if (typeof type === 'string' && type !== '' && readTokenType(type) === undefined) {
    complaints.push({ path: ['type'], rule: 'jwt.type', message: 'is not a media type, such as at+jwt' });
  }
  complaints.push(...checkClaimBindings(block.require_claims_for_path));
  if (typeof header === 'string' && header !== '' && !HEADER_NAME.test(header)) {
    complaints.push({ path: ['header_name'], rule: 'jwt.header_name', message: 'is not a header name' });
  }
  const headers = typeof header === 'string' ? [{ name: header, path: ['header_name'] }] : [];
  complaints.push(...checkCredentialExtras(block, { engine: 'jwt', headers }));
  return [...complaints, ...checkKeys(block, files)];
}

function checkKeys(block: Readonly<Record<string, unknown>>, files: DataFiles | undefined): Complaint[] {
  const algorithms = listAlgorithms(block.algorithms);
  const complaints = algorithms.complaints;
  const [field, ...others] = FILE_FIELDS.filter((name) => block[name] !== undefined && block[name] !== null);
  if (field === undefined) {
    const message = `needs one of: ${FILE_FIELDS.join(', ')}`;
    return [...complaints, { path: [], rule: 'jwt.no_key', message, at: 'key' }];
  }
  for (const other of others) {
    const message = `cannot be combined with ${field}: give one of the two`;
    complaints.push({ path: [other], rule: 'jwt.two_keys', message, at: 'key' });
  }
  for (const { name, index } of algorithms.listed) {
    if (isSymmetric(name) === (field === 'hmac_secret_file')) continue;
    const message = isSymmetric(name)
      ? 'is signed with a secret: it needs hmac_secret_file'
      : 'is verified with a public key: it needs public_key_file or jwks_file';
    complaints.push({ path: ['algorithms', index], rule: 'jwt.algorithm_key', message });
  }
  const path = block[field];
  if (typeof path !== 'string' || path === '') return complaints;
  const isMissing = files !== undefined && !files.has(path);
  const misplaced = findDataPathFault(path) ?? (isMissing ? 'names a file that is not in the bundle' : undefined);
  if (misplaced !== undefined) complaints.push({ path: [field], rule: 'jwt.file', message: misplaced });
  // A file is read only if the fields are valid; their errors are already reported.
  if (complaints.length > 0) return complaints;
  return files === undefined ? [] : checkKeyFile(field, algorithms.listed, files.get(path));
}

interface ListedAlgorithm {
  readonly name: JwtAlgorithm;
  readonly index: number;
}

/** The algorithms that the schema accepts, with their places. */
function listAlgorithms(written: unknown): { listed: readonly ListedAlgorithm[]; complaints: Complaint[] } {
  const listed: ListedAlgorithm[] = [];
  const complaints: Complaint[] = [];
  for (const [index, item] of (Array.isArray(written) ? written : []).entries()) {
    const name = JWT_ALGORITHMS.find((known) => known === item);
    if (name === undefined) continue;
    if (listed.some((earlier) => earlier.name === name)) {
      complaints.push({ path: ['algorithms', index], rule: 'jwt.duplicate_algorithm', message: 'is listed already' });
    } else listed.push({ name, index });
  }
  return { listed, complaints };
}

function checkKeyFile(
  field: KeyFileField,
  listed: readonly ListedAlgorithm[],
  content: Uint8Array | undefined,
): Complaint[] {
  const read = readKeyFile(
    field,
    listed.map(({ name }) => name),
    content,
  );
  if (!read.ok) return [{ path: [field], rule: read.fault.rule, message: `names a file that ${read.fault.what}` }];
  return listed
    .filter(({ name }) => !read.keys.some((key) => key.algorithms.includes(name)))
    .map(({ index }) => ({
      path: ['algorithms', index],
      rule: 'jwt.algorithm_key',
      message: `fits no key of ${field}`,
    }));
}

/** Results by file content and reader: blocks share files, and each is checked and then normalized. */
const readings = new WeakMap<Uint8Array, Map<string, KeyFileResult>>();

function readKeyFile(
  field: KeyFileField,
  algorithms: readonly JwtAlgorithm[],
  content: Uint8Array | undefined,
): KeyFileResult {
  if (content === undefined) return refuseKeyFile('is not in the bundle');
  if (content.byteLength > KEY_FILE_MAX_BYTES) return refuseKeyFile(`is larger than ${KEY_FILE_MAX_BYTES} bytes`);
  const known = readings.get(content) ?? new Map<string, KeyFileResult>();
  const way = `${field} ${algorithms.join(' ')}`;
  const read = known.get(way) ?? KEY_FILES[field](content, algorithms);
  readings.set(content, known.set(way, read));
  return read;
}

function normalize(block: unknown, files: DataFiles): JwtOptions {
  const written = block as z.output<typeof schema>;
  const field = FILE_FIELDS.find((name) => written[name] !== undefined) ?? 'public_key_file';
  const read = readKeyFile(field, written.algorithms, files.get(written[field] ?? ''));
  if (!read.ok) throw new Error(`the key file of a jwt block was not validated: it ${read.fault.what}`);
  return {
    issuer: written.issuer ?? '',
    audience: written.audience ?? '',
    leewayMs: written.leeway === undefined ? 0 : parseDurationMs(written.leeway),
    header: (written.header_name ?? 'Authorization').toLowerCase(),
    requiredClaims: written.required_claims ?? [],
    maxAgeMs: written.max_age === undefined ? null : parseDurationMs(written.max_age),
    type: written.type === undefined ? '' : (readTokenType(written.type) ?? ''),
    bindings: (written.require_claims_for_path ?? []).map(toClaimBinding),
    keys: read.keys,
    keysAreNamed: field === 'jwks_file',
    stripCredential: written.strip_credential ?? false,
    subjectHeader: (written.subject_header ?? '').toLowerCase(),
  };
}

export const jwtSpec: EngineSpec<JwtOptions> = {
  schema,
  fileFields: FILE_FIELDS,
  secretFileFields: ['hmac_secret_file'],
  check,
  normalize,
};
