import { type Kysely, sql } from 'kysely';

/** Proxy configuration documents with their history and references, and security policies. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table documents (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      -- Proxy version, e.g. 1.39.3: every document exists once per version.
      version text not null,
      collection text not null,
      name text not null,
      -- Full name of the Envoy message.
      type text not null,
      description text,
      labels jsonb not null default '{}',
      -- json, not jsonb: people get their members back in the order they wrote them. Holds no private value.
      resource json not null,
      -- Private values, sealed: JSON of [{path, value}]. Null when there are none.
      sealed bytea,
      -- Where private values are: [{path, updated_at}].
      private jsonb not null default '[]',
      revision bigint not null default 1,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      updated_by text not null,
      unique (project_id, version, collection, name)
    );
    create index documents_updated on documents (project_id, updated_at desc, id);
    create index documents_labels on documents using gin (labels jsonb_path_ops);

    create table document_revisions (
      document_id uuid not null references documents on delete cascade,
      revision bigint not null,
      type text not null,
      description text,
      labels jsonb not null,
      resource json not null,
      sealed bytea,
      private jsonb not null,
      created_at timestamptz not null,
      created_by text not null,
      primary key (document_id, revision)
    );

    -- Names that a document gives to things: its own, and for bootstraps those of their static clusters and secrets.
    create table document_names (
      document_id uuid not null references documents on delete cascade,
      project_id uuid not null,
      version text not null,
      collection text not null,
      name text not null,
      primary key (document_id, collection, name)
    );
    create index document_names_target on document_names (project_id, version, collection, name);

    -- Who needs what, written in the transaction of the document or service that needs it.
    create table document_references (
      from_id uuid not null,
      -- 'services' or the collection of a document.
      from_collection text not null,
      from_name text not null,
      project_id uuid not null references projects on delete cascade,
      -- Empty for policies, which have no version.
      version text not null,
      to_collection text not null,
      to_name text not null,
      -- name: one of Envoy's own; ref: {"$ref"}; member: a virtual host of its route configuration; service: of a service.
      kind text not null check (kind in ('name', 'ref', 'member', 'service')),
      path text not null
    );
    create index document_references_from on document_references (from_id);
    create index document_references_target on document_references (project_id, version, to_collection, to_name);

    create table policies (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      name text not null,
      description text,
      -- The document as it was written, raw keys replaced by their digests.
      text text not null,
      -- Files that the document names: [{path, content_base64}], of secrets [{path, sealed_base64, bytes, updated_at}].
      files jsonb not null default '[]',
      digest text not null,
      revision bigint not null default 1,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      updated_by text not null,
      unique (project_id, name)
    );

    create table policy_revisions (
      policy_id uuid not null references policies on delete cascade,
      revision bigint not null,
      description text,
      text text not null,
      files jsonb not null,
      digest text not null,
      created_at timestamptz not null,
      created_by text not null,
      primary key (policy_id, revision)
    );
  `.execute(db);
}
