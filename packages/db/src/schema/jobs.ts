import type { ColumnType, Generated } from 'kysely';
import type { NullableTimestamp, Timestamp } from './foundation.ts';

type NullableJson = ColumnType<unknown, string | null | undefined, string | null>;

export type JobStatus =
  | 'pending'
  | 'running'
  | 'done'
  | 'done_with_errors'
  | 'failed'
  | 'cancelled'
  | 'dead'
  | 'no_work';

export interface JobsTable {
  id: string;
  /** Short and readable, unique within its project. */
  number: ColumnType<number, never, never>;
  project_id: string | null;
  type: string;
  /** What it is about, where that is one thing. */
  resource_type: string | null;
  resource_name: string | null;
  params: ColumnType<Record<string, unknown>, string, string>;
  params_sealed: Buffer | null;
  lock_key: string | null;
  is_small: Generated<boolean>;
  status: Generated<JobStatus>;
  priority: Generated<number>;
  run_at: Timestamp;
  /** Of the present step. */
  attempt: Generated<number>;
  attempts_max: number;
  step: Generated<number>;
  steps_total: number;
  progress: NullableJson;
  fence: number | null;
  leased_by: string | null;
  leased_until: NullableTimestamp;
  cancel_requested_at: NullableTimestamp;
  parent_id: string | null;
  children_total: Generated<number>;
  children_open: Generated<number>;
  children_failed: Generated<number>;
  retry_of: string | null;
  actor: ColumnType<Record<string, unknown>, string, string>;
  event_seq: Generated<number>;
  created_at: Timestamp;
  started_at: NullableTimestamp;
  ended_at: NullableTimestamp;
  error: NullableJson;
  results: NullableJson;
}

export interface JobStepsTable {
  job_id: string;
  step: number;
  name: string;
  status: 'running' | 'waiting' | 'failed' | 'done';
  attempt: number;
  /** Begun once more after its worker was lost. */
  repeated: Generated<boolean>;
  started_at: Timestamp;
  ended_at: NullableTimestamp;
  result: NullableJson;
}

export interface JobEventsTable {
  job_id: string;
  seq: number;
  at: Timestamp;
  kind: string;
  data: ColumnType<unknown, string, never>;
}

export interface JobSchedulesTable {
  id: string;
  project_id: string | null;
  name: string;
  type: string;
  params: ColumnType<Record<string, unknown>, string, string>;
  params_sealed: Buffer | null;
  cron: string;
  time_zone: string;
  enabled: boolean;
  /** Whose rights its jobs need. */
  actor: ColumnType<Record<string, unknown>, string, string>;
  next_run_at: NullableTimestamp;
  last_job_id: string | null;
  /** Times in a row that it could start none, and why: a code, words, a time. */
  failures: Generated<number>;
  error: NullableJson;
  created_at: Timestamp;
}

export interface ControllersTable {
  id: string;
  started_at: Timestamp;
  seen_at: Timestamp;
  /** Of two controllers the later one has the higher. */
  epoch: Generated<number>;
  hostname: Generated<string>;
  version: Generated<string>;
  roles: Generated<string[]>;
  /** Null until it listens. */
  rest_address: string | null;
  grpc_address: string | null;
  load: NullableJson;
}

export interface LeasesTable {
  name: string;
  /** A controller. */
  holder: string;
  fence: Generated<number>;
  acquired_at: Timestamp;
  until: Timestamp;
}

export interface JobTables {
  jobs: JobsTable;
  job_steps: JobStepsTable;
  job_events: JobEventsTable;
  job_schedules: JobSchedulesTable;
  controllers: ControllersTable;
  leases: LeasesTable;
}
