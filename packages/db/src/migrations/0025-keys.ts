import { type Kysely, sql } from 'kysely';

/**
 * Data keys by number, each wrapped by every master key that opens this database, and what keeps a data key here as long as
 * anything is sealed with it: whoever stores a sealed value locks its key, so that a key goes before the value comes (and
 * the value is refused) or after it (and the key is found in use). A value of format 1 is sealed with key 1.
 *
 * Tokens of services: for discovery, and of DNS zones. Their secrets lie where all tokens' do.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table data_keys (
      id integer primary key check (id > 0),
      created_at timestamptz not null,
      -- From then on values are sealed with it: by then every controller has read it.
      seals_from timestamptz not null
    );

    create table master_keys (
      id uuid primary key,
      -- How the key comes of a pass phrase; null: it is a key itself.
      derivation jsonb,
      created_at timestamptz not null,
      -- Null: the one that is meant to be used. Until then the one of before opens the database too.
      expires_at timestamptz,
      -- For other controllers that keep theirs in a file: the key, sealed with a data key, until hand_over_until.
      sealed_key bytea,
      hand_over_until timestamptz
    );
    create unique index master_keys_current on master_keys ((1)) where expires_at is null;

    create table data_key_wraps (
      key_id integer not null references data_keys on delete cascade,
      master_id uuid not null references master_keys on delete cascade,
      wrapped bytea not null,
      primary key (key_id, master_id)
    );

    insert into data_keys (id, created_at, seals_from)
      select 1, updated_at, updated_at from installation where name = 'data_key';
    insert into master_keys (id, derivation, created_at)
      select gen_random_uuid(), value -> 'derivation', updated_at from installation where name = 'data_key';
    insert into data_key_wraps (key_id, master_id, wrapped)
      select 1, master_keys.id, decode(value ->> 'sealed', 'base64') from installation, master_keys where name = 'data_key';
    delete from installation where name = 'data_key';

    create function sealing_key(sealed bytea) returns integer language sql immutable strict parallel safe as $$
      select case
        when octet_length(sealed) < 29 then null
        when get_byte(sealed, 0) = 1 then 1
        when get_byte(sealed, 0) = 2 then
          (get_byte(sealed, 1) << 24) | (get_byte(sealed, 2) << 16) | (get_byte(sealed, 3) << 8) | get_byte(sealed, 4)
      end
    $$;

    create function hold_sealing_key(key integer, place text) returns void language plpgsql as $$
    begin
      perform from data_keys where id = key for key share;
      if not found then
        raise exception 'what is written to % is not sealed with a key of this database', place
          using errcode = 'integrity_constraint_violation';
      end if;
    end $$;

    -- The function is made for the column: one that looked the column up would cost each write the planning of a query.
    create function guard_sealed_column(sealed_table regclass, sealed_column name) returns void language plpgsql as $$
    declare
      checker text := 'hold_key_of_' || sealed_table::text || '_' || sealed_column;
    begin
      execute format(
        'create function %I() returns trigger language plpgsql as $body$
         begin
           perform hold_sealing_key(sealing_key(new.%I), %L);
           return new;
         end $body$',
        checker, sealed_column, sealed_table::text || '.' || sealed_column);
      execute format(
        'create trigger %I before insert or update of %I on %s for each row when (new.%2$I is not null)
           execute function %4$I()',
        sealed_column || '_sealed', sealed_column, sealed_table, checker);
    end $$;

    do $$
    declare
      place record;
    begin
      for place in
        select attrelid::regclass as sealed_table, attname as sealed_column from pg_attribute
          join pg_class on pg_class.oid = attrelid
          where relnamespace = 'public'::regnamespace and relkind = 'r' and not attisdropped and atttypid = 'bytea'::regtype
            and (attname ~ '(^|_)sealed(_|$)'
              or (relname = 'idempotency_keys' and attname in ('body_digest', 'answer')))
      loop
        perform guard_sealed_column(place.sealed_table, place.sealed_column);
      end loop;
    end $$;

    -- Files of policies that are secrets, and secrets of the installation, lie sealed in JSON.
    create function hold_keys_of_files() returns trigger language plpgsql as $$
    begin
      perform hold_sealing_key(sealing_key(decode(file ->> 'sealed_base64', 'base64')), tg_table_name || '.files')
        from jsonb_array_elements(new.files) file where file ? 'sealed_base64';
      return new;
    end $$;
    create trigger files_sealed before insert or update of files on policies
      for each row when (new.files @? '$[*].sealed_base64') execute function hold_keys_of_files();
    create trigger files_sealed before insert or update of files on policy_revisions
      for each row when (new.files @? '$[*].sealed_base64') execute function hold_keys_of_files();

    create function hold_key_of_installation_secret() returns trigger language plpgsql as $$
    begin
      perform hold_sealing_key(sealing_key(decode(new.value ->> 'sealed', 'base64')), 'installation.value');
      return new;
    end $$;
    create trigger value_sealed before insert or update of value on installation
      for each row when (new.value ? 'sealed') execute function hold_key_of_installation_secret();

    create table service_tokens (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      kind text not null check (kind in ('discovery', 'zone')),
      -- Of the zone; empty for discovery, of which a project has one.
      name text not null default '',
      created_at timestamptz not null,
      created_by text not null,
      unique (project_id, kind, name)
    );
    select guard_project_table('service_tokens');
    create trigger service_tokens_secrets after delete on service_tokens
      for each row execute function forget_secrets();
    alter table token_secrets drop constraint token_secrets_token_kind_check,
      add constraint token_secrets_token_kind_check check (token_kind in ('api', 'enrolment', 'discovery', 'zone'));
  `.execute(db);
}
