import { Buffer } from 'node:buffer';
import type { StoredPolicyFile } from '@flotilla/db';
import { sealContexts } from '../keyring/index.ts';

/** A row as it was read: its primary key, the column itself, and what the context of its values needs. */
export type SealedRow = Readonly<Record<string, unknown>>;

/** Seals a value anew for the place that it was sealed for. */
export type Reseal = (sealed: Buffer, context: string) => Buffer;

/**
 * A column with sealed values in it.
 * bytes   each value is one
 * secret  JSON, `{ sealed }`
 * files   JSON, a list of files of which some are sealed
 */
export interface SealedPlace {
  readonly table: string;
  readonly column: string;
  readonly kind: 'bytes' | 'secret' | 'files';
  readonly primaryKey: readonly string[];
  /** Other columns that the context is made of. */
  readonly needs: readonly string[];
  /** What the column holds when all its values are sealed anew. */
  resealed(row: SealedRow, reseal: Reseal): Buffer | string;
}

const text = (row: SealedRow, column: string) => String(row[column]);

/** Columns of type bytea. */
function bytes(
  place: `${string}.${string}`,
  primaryKey: readonly string[],
  context: (row: SealedRow) => string,
  needs: readonly string[] = [],
): SealedPlace {
  const [table = '', column = ''] = place.split('.');
  return {
    table,
    column,
    kind: 'bytes',
    primaryKey,
    needs,
    resealed: (row, reseal) => reseal(row[column] as Buffer, context(row)),
  };
}

function files(table: string, primaryKey: readonly string[], policyIdOf: (row: SealedRow) => string): SealedPlace {
  return {
    table,
    column: 'files',
    kind: 'files',
    primaryKey,
    needs: [],
    resealed: (row, reseal) =>
      JSON.stringify(
        (row.files as StoredPolicyFile[]).map((file) => {
          if (!('sealed_base64' in file)) return file;
          const sealed = Buffer.from(file.sealed_base64, 'base64');
          const context = sealContexts.policyFile(policyIdOf(row), file.path);
          return { ...file, sealed_base64: reseal(sealed, context).toString('base64') };
        }),
      ),
  };
}

const ofSetting = (row: SealedRow) =>
  sealContexts.setting(row.project_id as string | null, text(row, 'key'), text(row, 'name'));

/** Every place where secrets lie at rest. A test finds the columns that are missing here. */
export const SEALED_PLACES: readonly SealedPlace[] = [
  bytes('certificate_authority.sealed_key', ['singleton'], sealContexts.certificateAuthority),
  bytes('cleaned_documents.sealed', ['document_id'], (row) => sealContexts.document(text(row, 'document_id'))),
  bytes('cleaned_revisions.sealed', ['document_id', 'revision'], (row) =>
    sealContexts.document(text(row, 'document_id')),
  ),
  bytes('document_revisions.sealed', ['document_id', 'revision'], (row) =>
    sealContexts.document(text(row, 'document_id')),
  ),
  bytes('documents.sealed', ['id'], (row) => sealContexts.document(text(row, 'id'))),
  bytes('idempotency_keys.answer', ['actor', 'key'], (row) =>
    sealContexts.answer(text(row, 'actor'), text(row, 'key')),
  ),
  bytes('idempotency_keys.body_digest', ['actor', 'key'], (row) =>
    sealContexts.bodyDigest(text(row, 'actor'), text(row, 'key')),
  ),
  {
    table: 'installation',
    column: 'value',
    kind: 'secret',
    primaryKey: ['name'],
    needs: [],
    resealed: (row, reseal) => {
      const value = row.value as { sealed: string };
      const sealed = reseal(Buffer.from(value.sealed, 'base64'), sealContexts.installation(text(row, 'name')));
      return JSON.stringify({ ...value, sealed: sealed.toString('base64') });
    },
  },
  bytes('job_schedules.params_sealed', ['id'], (row) => sealContexts.jobParams(text(row, 'id'))),
  bytes('jobs.params_sealed', ['id'], (row) => sealContexts.jobParams(text(row, 'id'))),
  bytes('master_keys.sealed_key', ['id'], (row) => sealContexts.masterKey(text(row, 'id'))),
  bytes('otp_enrolments.sealed_secret', ['user_id'], (row) => sealContexts.oneTimeSecret(text(row, 'user_id'))),
  files('policies', ['id'], (row) => text(row, 'id')),
  files('policy_revisions', ['policy_id', 'revision'], (row) => text(row, 'policy_id')),
  bytes('provider_grants.sealed_token', ['user_id'], (row) => sealContexts.providerGrant(text(row, 'user_id'))),
  bytes('service_targets.sealed_content', ['service_id', 'client_id'], (row) =>
    sealContexts.serviceContent(text(row, 'service_id'), text(row, 'client_id')),
  ),
  bytes('sessions.refresh_sealed', ['id'], (row) => sealContexts.refreshToken(text(row, 'id'))),
  bytes('settings.sealed', ['id'], ofSetting, ['project_id', 'key', 'name']),
  bytes('sign_in_challenges.sealed_set_up', ['id_hash'], (row) => sealContexts.challenge(row.id_hash as Buffer)),
  bytes('signing_keys.sealed_secret', ['kid'], (row) => sealContexts.signingKey(text(row, 'kid'))),
  bytes('token_secrets.sealed_secret', ['id'], (row) => sealContexts.tokenSecret(text(row, 'id'))),
];
