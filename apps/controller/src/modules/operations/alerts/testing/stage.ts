import type { AlertRuleValues } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { createControllerDatabase } from '../../../../testing/database.ts';
import { insertRule } from '../rules/store.ts';
import { TrafficJudge } from '../watch/verdicts/traffic-judge.ts';
import { evaluateRules } from '../watch/watcher.ts';

const START = Date.UTC(2026, 0, 15, 12);

/** A project in a database without a controller, and a clock that only the test moves. */
export class AlertStage {
  readonly database: TestDatabase;
  now = new Date(START);
  /** The leader that watches began long ago. */
  watchingSince = new Date(START - 86_400_000);
  /** Whether the series of traffic can be read. */
  isTrafficRead = true;
  authorityEndsAt = new Date('2040-01-01T00:00:00.000Z');

  readonly #judge: TrafficJudge;

  private constructor(database: TestDatabase) {
    this.database = database;
    this.#judge = new TrafficJudge(database.db);
  }

  static async open(): Promise<AlertStage> {
    return new AlertStage(await createControllerDatabase());
  }

  get db() {
    return this.database.db;
  }

  close(): Promise<void> {
    return this.database.close();
  }

  /** `hasDefaults`: the project gets the default rules in the next round. */
  async addProject(name: string, { hasDefaults = false } = {}): Promise<string> {
    const id = createId();
    const at = this.now;
    await this.db
      .insertInto('projects')
      .values({ id, name, description: null, created_at: at, updated_at: at })
      .execute();
    if (!hasDefaults) await this.db.insertInto('alert_projects').values({ project_id: id, seeded_at: at }).execute();
    return id;
  }

  /** Clients that were connected and lost their connection now. Returns nothing: their names are `<name>-<n>`. */
  async addOfflineClients(project: string, count: number, name = 'edge'): Promise<void> {
    await sql`
      insert into clients (id, project_id, name, hostname, os, arch, kernel, agent_version, provider, metadata, cores,
        memory_bytes, runtime_dir, data_dir, connect_time, disconnect_time, disconnect_reason, created_at, updated_at)
      select gen_random_uuid(), ${project}, ${name} || '-' || i, 'host', 'linux', 'amd64', '6', '1', 'other',
        jsonb_build_object('rack', 'r' || i % 2), 4, 1, '/r', '/d', ${this.now}, ${this.now}, 'connection lost',
        ${this.now}, ${this.now}
      from generate_series(1, ${count}::int) i`.execute(this.db);
  }

  /** Brings clients back: their controller is one that is alive. */
  async connectClients(project: string, name = '%'): Promise<void> {
    const id = createId();
    await sql`insert into controllers (id, started_at, seen_at)
      values (${id}, now(), now() + interval '1 day')`.execute(this.db);
    await sql`update clients set connected_to = ${id} where project_id = ${project} and name like ${name}`.execute(
      this.db,
    );
  }

  async disconnectClients(project: string, name = '%'): Promise<void> {
    await sql`update clients set connected_to = null, disconnect_time = ${this.now}
      where project_id = ${project} and name like ${name}`.execute(this.db);
  }

  async addChannel(project: string, name = 'hook'): Promise<string> {
    const id = createId();
    const at = this.now;
    await this.db
      .insertInto('alert_channels')
      .values({
        id,
        project_id: project,
        name,
        enabled: true,
        target: JSON.stringify({ kind: 'email', recipients: ['ops@example.com'] }),
        sealed: null,
        last_error: null,
        created_at: at,
        updated_at: at,
        updated_by: 'test',
      })
      .execute();
    return id;
  }

  async addRule(
    project: string,
    values: Partial<AlertRuleValues> & Pick<AlertRuleValues, 'condition'>,
  ): Promise<string> {
    const id = createId();
    const rule: AlertRuleValues = {
      name: `rule-${id}`,
      enabled: true,
      for_s: 0,
      severity: 'warning',
      channels: [],
      quiet_hours: null,
      repeat_s: null,
      selector: { names: [], labels: {} },
      ...values,
    };
    await this.db
      .transaction()
      .execute((tx) => insertRule(tx, { id, projectId: project, now: this.now, by: 'test' }, rule));
    return id;
  }

  /** Moves the clock and runs one round. Returns the number of queued messages. */
  async passes(seconds = 0): Promise<number> {
    this.now = new Date(this.now.getTime() + seconds * 1000);
    const { now, watchingSince, authorityEndsAt } = this;
    const verdicts = this.isTrafficRead ? await this.#judge.judgeAll(now) : undefined;
    return this.db.transaction().execute((tx) => evaluateRules(tx, { now, watchingSince, authorityEndsAt, verdicts }));
  }

  /** Runs a round every ten seconds. Returns the number of queued messages. */
  async rounds(seconds: number): Promise<number> {
    let queued = 0;
    for (let passed = 0; passed < seconds; passed += 10) queued += await this.passes(10);
    return queued;
  }

  async listAlerts(project: string) {
    return this.db
      .selectFrom('alerts')
      .select(['state', 'subject_kind', 'subject_name', 'severity', 'summary', 'fires', 'rule_name'])
      .where('project_id', '=', project)
      .orderBy('subject_name')
      .orderBy('since')
      .execute();
  }

  async listMessages(channel: string) {
    return this.db
      .selectFrom('alert_deliveries')
      .select(['id', 'firing', 'resolved', 'payload', 'status'])
      .where('channel_id', '=', channel)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }
}
