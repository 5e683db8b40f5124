import { type Kysely, sql } from 'kysely';

/** Comments that people wrote into documents in YAML: Envoy's messages, which are stored as JSON, have no place for them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table documents add column comments jsonb not null default '[]';
    alter table document_revisions add column comments jsonb not null default '[]';
  `.execute(db);
}
