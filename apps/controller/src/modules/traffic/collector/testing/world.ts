import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';

export interface World {
  readonly project: string;
  readonly client: string;
  readonly service: string;
}

/** A project with a client that runs a service. */
export async function createWorld({ db }: Pick<TestDatabase, 'db'>, name: string): Promise<World> {
  const [project, client, service] = [createId(), createId(), createId()];
  const now = new Date();
  const stamps = { created_at: now, updated_at: now };
  await db
    .insertInto('projects')
    .values({ id: project, name, ...stamps })
    .execute();
  await db
    .insertInto('clients')
    .values({
      id: client,
      project_id: project,
      name,
      hostname: name,
      os: 'linux',
      arch: 'x64',
      kernel: '6',
      agent_version: '1',
      metadata: '{}',
      cores: 1,
      memory_bytes: 1,
      runtime_dir: '/run',
      data_dir: '/var',
      ...stamps,
    })
    .execute();
  await db
    .insertInto('services')
    .values({
      id: service,
      project_id: project,
      name,
      version: '1.36.4',
      bootstrap: 'main',
      listeners: [],
      policies: [],
      shield_threads: 1,
      shield_xff_trusted_hops: 0,
      updated_by: 'test',
      ...stamps,
    })
    .execute();
  const target = { service_id: service, client_id: client, position: 0, addresses: [], generation: 1 };
  await db
    .insertInto('service_targets')
    .values({ ...target, deployed: true })
    .execute();
  return { project, client, service };
}

/** A table that stands for the catalogue of operations: what each batch adds, once. */
export async function createCatalogue({ owner }: Pick<TestDatabase, 'owner'>): Promise<void> {
  await sql`create table test_catalogue (client uuid, service uuid, epoch text, sequence bigint, seen bigint not null,
    primary key (client, service, epoch, sequence))`.execute(owner);
  await sql`grant all on test_catalogue to public`.execute(owner);
}

/** Registers a controller, as one that starts does: only a controller may hold a lease. */
export async function createController({ owner }: Pick<TestDatabase, 'owner'>): Promise<string> {
  const id = createId();
  await sql`insert into controllers (id, started_at, seen_at) values (${id}, now(), now())`.execute(owner);
  return id;
}
