import type { NullableJson, NullableTimestamp, Timestamp } from '@flotilla/db';
import type { ColumnType, Generated } from 'kysely';

declare module '@flotilla/db' {
  interface Tables {
    jobs: JobsTable;
    job_steps: JobStepsTable;
    job_events: JobEventsTable;
    job_schedules: JobSchedulesTable;
  }
}

export type JobStatus =
  | 'pending'
  | 'running'
  | 'done'
  | 'done_with_errors'
  | 'failed'
  | 'cancelled'
  | 'dead'
  | 'no_work';

interface JobsTable {
  id: string;
  /** Unique within the project. */
  number: ColumnType<number, never, never>;
  project_id: string | null;
  type: string;
  /** The resource that the job works on, if it is a single one. */
  resource_type: string | null;
  resource_name: string | null;
  params: ColumnType<Record<string, unknown>, string, string>;
  params_sealed: Buffer | null;
  lock_key: string | null;
  is_small: Generated<boolean>;
  status: Generated<JobStatus>;
  priority: Generated<number>;
  run_at: Timestamp;
  /** Attempt of the current step. */
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

interface JobStepsTable {
  job_id: string;
  step: number;
  name: string;
  status: 'running' | 'waiting' | 'failed' | 'done';
  attempt: number;
  /** Started again after its worker was lost. */
  repeated: Generated<boolean>;
  started_at: Timestamp;
  ended_at: NullableTimestamp;
  result: NullableJson;
}

interface JobEventsTable {
  job_id: string;
  seq: number;
  at: Timestamp;
  kind: string;
  data: ColumnType<unknown, string, never>;
}

interface JobSchedulesTable {
  id: string;
  project_id: string | null;
  name: string;
  type: string;
  params: ColumnType<Record<string, unknown>, string, string>;
  params_sealed: Buffer | null;
  cron: string;
  time_zone: string;
  enabled: boolean;
  /** The account whose rights its jobs have. */
  actor: ColumnType<Record<string, unknown>, string, string>;
  next_run_at: NullableTimestamp;
  last_job_id: string | null;
  /** Consecutive failures to start a job; `error` has the code, the message and the time. */
  failures: Generated<number>;
  error: NullableJson;
  created_at: Timestamp;
}
