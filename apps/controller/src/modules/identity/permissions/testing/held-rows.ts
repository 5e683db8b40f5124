import type { RouteContract } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import type { RestrictedWorld } from './listed-world.ts';

/** Tables of resources, of their data, and of permissions. */
export const HELD = [
  'documents',
  'document_revisions',
  'document_names',
  'document_references',
  'policies',
  'policy_revisions',
  'services',
  'service_revisions',
  'service_targets',
  'admin_ports',
  'node_states',
  'config_errors',
  'clients',
  'client_certificates',
  'commands',
  'shield_counts',
  'shield_reports',
  'shield_count_faults',
  'shield_events',
  'shield_event_drops',
  'permissions',
  'memberships',
  'invitations',
  'groups',
  'group_members',
  'projects',
];

/** All rows of these tables. */
export async function readHeld(w: RestrictedWorld): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const table of HELD) {
    const { rows } = await sql<{ rows: unknown }>`
      select jsonb_agg(to_jsonb(one) order by to_jsonb(one)::text) as rows from ${sql.table(table)} one`.execute(
      w.t.database.owner,
    );
    all[table] = rows[0]?.rows;
  }
  return all;
}

/**
 * Inserts rows of every kind for the hidden resources. Returns the id of a command of the hidden service for the
 * visible client.
 */
export async function addHeldRows(w: RestrictedWorld): Promise<string> {
  const { db } = w.t.database;
  const place = { project_id: w.t.project, service_id: w.hidden.service, client_id: w.hidden.client };
  const now = new Date();
  await db
    .insertInto('config_errors')
    .values({
      ...place,
      id: createId(),
      node_id: 'hidden-node',
      source: 'node',
      severity: 'error',
      resource_type: 'cluster',
      resource_name: 'one',
      message: 'wrong',
      raw_message: 'wrong',
      suggested_fix: null,
      status: 'active',
      first_seen: now,
      last_seen: now,
      occurrences: 1,
      resolved_by: null,
    })
    .execute();
  await sql`insert into client_certificates (serial, client_id, project_id, key_digest, issued_at, expires_at)
    values ('hidden', ${w.hidden.client}, ${w.t.project}, '\\x00', now(), now())`.execute(db);
  await sql`insert into node_states (client_id, service_id) values (${w.hidden.client}, ${w.hidden.service})`.execute(
    db,
  );
  const id = createId();
  await sql`insert into commands
    select (jsonb_populate_record(commands, jsonb_build_object('id', ${id}::uuid, 'client_id', ${w.shown.client}::uuid))).*
    from commands where id = ${w.hiddenCommand}`.execute(db);
  return id;
}

/** A body with which the route changes nothing of the resource at `url`; none for deletions. */
export async function bodyThatKeeps(
  w: RestrictedWorld,
  route: RouteContract,
  url: string,
): Promise<object | undefined> {
  if (route.method === 'DELETE') return undefined;
  if (route.tag === 'Configuration errors') return { ids: [createId()] };
  if (route.method === 'PATCH') return route.tag === 'Documents' ? { labels: {} } : {};
  const thing = (await w.admin.call('GET', url.replace('/restore', ''))).body;
  if (route.method === 'POST') return { revision: thing.revision };
  const { name, version, bootstrap, listeners, policies, clients } = thing;
  if (route.tag === 'Services') return { name, version, bootstrap, listeners, policies, clients };
  const { description, text, resource } = thing;
  return route.tag === 'Policies' ? { description, text } : { description, resource };
}
