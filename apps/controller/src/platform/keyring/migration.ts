import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
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
end
$$;

create function hold_sealing_key(key integer, place text) returns void language plpgsql as $$
begin
  perform from data_keys where id = key for key share;
  if not found then
    raise exception 'what is written to % is not sealed with a key of this database', place
      using errcode = 'integrity_constraint_violation';
  end if;
end
$$;

create function sealing_key(sealed bytea) returns integer language sql immutable strict parallel safe as $$
  select case
    when octet_length(sealed) < 29 then null
    when get_byte(sealed, 0) = 1 then 1
    when get_byte(sealed, 0) = 2 then
      (get_byte(sealed, 1) << 24) | (get_byte(sealed, 2) << 16) | (get_byte(sealed, 3) << 8) | get_byte(sealed, 4)
  end
$$;

create table installation (
  name text primary key,
  value jsonb not null,
  updated_at timestamptz not null
);

create table data_keys (
  id int primary key check (id > 0),
  created_at timestamptz not null,
  seals_from timestamptz not null
);

create table master_keys (
  id uuid primary key,
  derivation jsonb,
  created_at timestamptz not null,
  expires_at timestamptz,
  sealed_key bytea,
  hand_over_until timestamptz
);
create unique index master_keys_current on master_keys ((1)) where expires_at is null;
select guard_sealed_column('master_keys', 'sealed_key');

create table data_key_wraps (
  key_id int references data_keys on delete cascade,
  master_id uuid references master_keys on delete cascade,
  wrapped bytea not null,
  primary key (key_id, master_id)
);

create function hold_key_of_installation_secret() returns trigger language plpgsql as $$
begin
  perform hold_sealing_key(sealing_key(decode(new.value ->> 'sealed', 'base64')), 'installation.value');
  return new;
end
$$;

create function hold_keys_of_files() returns trigger language plpgsql as $$
begin
  perform hold_sealing_key(sealing_key(decode(file ->> 'sealed_base64', 'base64')), tg_table_name || '.files')
    from jsonb_array_elements(new.files) file where file ? 'sealed_base64';
  return new;
end
$$;

create trigger value_sealed before insert or update of value on installation
  for each row when (new.value ? 'sealed')
  execute function hold_key_of_installation_secret();
`);
