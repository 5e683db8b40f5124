import { type RawBuilder, sql } from 'kysely';

interface Place {
  readonly project: string;
  readonly version: string | RawBuilder<unknown>;
  readonly collection: RawBuilder<unknown>;
  readonly name: RawBuilder<unknown>;
}

/** Columns `collection` and `name` of the documents that name the one at this place: one step of a recursive query. */
export function usersOf({ project, version, collection, name }: Place): RawBuilder<unknown> {
  return sql`(
    select r.from_collection as collection, r.from_name as name
    from document_references r
    where r.project_id = ${project} and r.version = ${version}
      and r.to_collection = ${collection} and r.to_name = ${name} and r.kind in ('name', 'ref')
    union all
    -- A virtual host is part of its route configuration.
    select 'routes', split_part(${name}, '/', 1) where ${collection} = 'virtual_hosts'
  )`;
}
