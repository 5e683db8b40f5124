import type { NullableTimestamp, Timestamp } from '@flotilla/db';

declare module '@flotilla/db' {
  interface Tables {
    command_rollout_targets: CommandRolloutTargetsTable;
  }
}

interface CommandRolloutTargetsTable {
  job_id: string;
  client_id: string;
  /** Counted from 0. */
  wave: number;
  command_ids: string[];
  /** Why nothing was sent, or not everything. */
  refusal: string | null;
  sent_at: Timestamp;
  /** When the wave has ended. */
  settled_at: NullableTimestamp;
}
