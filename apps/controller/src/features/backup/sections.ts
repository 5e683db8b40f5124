import { sealContexts } from '../keyring/index.ts';
import { inFiles, inValue, type SealedPlace, sealedColumn } from './sealed.ts';

export interface BackupSection {
  readonly table: string;
  /**
   * Also in backups of a project, as the database shows it in the scope of the project; with names of columns, these alone, which say
   * what there was and bring nothing back.
   */
  readonly ofProject?: true | readonly string[];
  /** Beside `user_id` the name of the user: where ids are others, people are known by it. */
  readonly namesUsers?: true;
  /** Nothing is left of it without its secrets: a backup without secrets has none of it. */
  readonly isSecret?: true;
  readonly sealed?: SealedPlace;
  /** What a row has instead in a backup without secrets. */
  readonly withoutSecrets?: Readonly<Record<string, unknown>>;
  /** What a row has where it is restored: what was true of the machine that it came from alone. */
  readonly restored?: Readonly<Record<string, unknown>>;
}

const text = (value: unknown) => String(value);

/** Every table that a backup holds, in the order in which rows can be put back: what is referred to comes first. */
export const BACKUP_SECTIONS: readonly BackupSection[] = [
  { table: 'installation', isSecret: true, sealed: inValue((row) => sealContexts.installation(text(row.name))) },
  {
    table: 'certificate_authority',
    isSecret: true,
    sealed: sealedColumn('sealed_key', sealContexts.certificateAuthority),
  },
  { table: 'users', withoutSecrets: { password_hash: null } },
  { table: 'external_identities' },
  {
    table: 'otp_enrolments',
    isSecret: true,
    sealed: sealedColumn('sealed_secret', (row) => sealContexts.oneTimeSecret(text(row.user_id))),
  },
  { table: 'backup_codes', isSecret: true },
  { table: 'passkeys' },
  { table: 'projects', ofProject: true },
  { table: 'memberships', ofProject: true, namesUsers: true },
  { table: 'groups', ofProject: true },
  { table: 'group_members', ofProject: true, namesUsers: true },
  { table: 'permissions', ofProject: true, namesUsers: true },
  { table: 'api_tokens', ofProject: ['id', 'name'] },
  { table: 'enrolment_tokens' },
  { table: 'service_tokens', ofProject: ['id', 'kind', 'name'] },
  {
    table: 'token_secrets',
    isSecret: true,
    sealed: sealedColumn('sealed_secret', (row) => sealContexts.tokenSecret(text(row.id))),
  },
  {
    table: 'settings',
    ofProject: true,
    sealed: sealedColumn('sealed', ({ project_id, key, name }) =>
      sealContexts.setting(project_id === null ? null : text(project_id), text(key), text(name)),
    ),
    withoutSecrets: { sealed: null, secrets: {} },
  },
  { table: 'setting_revisions' },
  {
    table: 'documents',
    ofProject: true,
    sealed: sealedColumn('sealed', (row) => sealContexts.document(text(row.id))),
    // `private` stays: it says which places are empty.
    withoutSecrets: { sealed: null },
  },
  {
    table: 'document_revisions',
    ofProject: true,
    sealed: sealedColumn('sealed', (row) => sealContexts.document(text(row.document_id))),
    withoutSecrets: { sealed: null, private: [] },
  },
  { table: 'document_names' },
  // What was cleaned up says in its JSON which of its places are secret: without secrets none of it can be brought back.
  { table: 'cleaned_versions', isSecret: true },
  {
    table: 'cleaned_documents',
    isSecret: true,
    sealed: sealedColumn('sealed', (row) => sealContexts.document(text(row.document_id))),
  },
  {
    table: 'cleaned_revisions',
    isSecret: true,
    sealed: sealedColumn('sealed', (row) => sealContexts.document(text(row.document_id))),
  },
  { table: 'document_references' },
  {
    table: 'policies',
    ofProject: true,
    sealed: inFiles((row, path) => sealContexts.policyFile(text(row.id), path)),
  },
  {
    table: 'policy_revisions',
    ofProject: true,
    sealed: inFiles((row, path) => sealContexts.policyFile(text(row.policy_id), path)),
  },
  { table: 'clients', ofProject: ['id', 'name'], restored: { connected_to: null } },
  { table: 'client_certificates' },
  { table: 'services', ofProject: true },
  { table: 'service_revisions' },
  {
    table: 'service_targets',
    ofProject: ['service_id', 'client_id'],
    sealed: sealedColumn('sealed_content', (row) =>
      sealContexts.serviceContent(text(row.service_id), text(row.client_id)),
    ),
    withoutSecrets: { sealed_content: null, content_digest: null, content_generation: null },
  },
  { table: 'admin_ports' },
  { table: 'node_states' },
  { table: 'commands' },
  { table: 'config_errors' },
  {
    table: 'job_schedules',
    ofProject: true,
    sealed: sealedColumn('params_sealed', (row) => sealContexts.jobParams(text(row.id))),
    withoutSecrets: { params_sealed: null, enabled: false },
    restored: { last_job_id: null },
  },
  { table: 'shield_events' },
  { table: 'shield_event_drops' },
  { table: 'shield_event_marks' },
  { table: 'shield_counts' },
  { table: 'shield_marks' },
  { table: 'audit_keys' },
  { table: 'audit_log' },
  { table: 'audit_chain' },
  { table: 'audit_checkpoints' },
  { table: 'audit_bases' },
  { table: 'audit_holds' },
  { table: 'audit_unsealed' },
];

/** Tables that no backup holds, and why. Whoever adds a table adds it there or here. */
export const NOT_IN_BACKUPS: Readonly<Record<string, string>> = {
  kysely_migration: 'a backup names the migrations, and goes into a database that has them',
  kysely_migration_lock: 'held only while migrations run',
  data_keys: 'a restored installation seals with keys of its own',
  master_keys: 'as the data keys',
  data_key_wraps: 'as the data keys',
  signing_keys: 'sessions end with the restore, so nothing is left that they would verify',
  sessions: 'people sign in again',
  spent_refresh_tokens: 'of sessions',
  sign_in_attempts: 'counts of minutes',
  sign_in_challenges: 'sign-ins that are waiting for a code',
  provider_grants: 'of one installation with a provider: people sign in there again',
  spent_sign_ins: 'kept for minutes',
  passkey_questions: 'kept for minutes',
  idempotency_keys: 'answers of a day, each for its caller',
  outbox: 'news for controllers that are running',
  controllers: 'processes that are running',
  leases: 'held by controllers that are running',
  jobs: 'work of controllers that are running; what it has done is in the rows and in the audit log',
  job_steps: 'of jobs',
  job_events: 'of jobs',
  audit_sinks: 'how far the places that the record is sent to have got: a restored installation sends its own',
  backups: 'names files that lie beside the database',
  restores: 'of backups that lie beside the database; what they wrote is in the rows and in the audit log',
  client_stats: 'measured every few seconds',
  client_samples: 'measurements of the last days',
  storage_samples: 'of the database that was backed up',
  threat_intel: 'as its feeds',
  threat_feeds: 'files of others, large and soon out of date: they are uploaded again',
  threat_entries: 'as the feeds',
  geoip_databases: 'files of others, large and soon out of date: they are uploaded again',
  geoip_chunks: 'as the databases',
};
