import { defineFeature } from '../features/index.ts';
import { jobParamsContext } from './encryption-context.ts';
import { migration } from './migration.ts';
import { forgetOldJobs } from './prune-store.ts';
import './tables.ts';

export const jobsFeature = defineFeature({
  name: 'platform/jobs',
  after: ['platform/keyring', 'configuration/projects'],
  migrations: { '0032-jobs': migration },
  tables: {
    jobs: {
      scope: 'policies',
      backup: {
        none: 'they are work of controllers that are running; other rows and the audit log hold what they did',
      },
      encrypted: [
        {
          column: 'params_sealed',
          kind: 'bytes',
          primaryKey: ['id'],
          context: (row) => jobParamsContext(String(row.id)),
        },
      ],
    },
    job_steps: { scope: 'policies', backup: { none: 'they belong to jobs' } },
    job_events: { scope: 'policies', backup: { none: 'they belong to jobs' } },
    job_schedules: {
      scope: 'policies',
      backup: {
        withoutSecrets: { params_sealed: null, enabled: false },
        restored: { last_job_id: null },
      },
      encrypted: [
        {
          column: 'params_sealed',
          kind: 'bytes',
          primaryKey: ['id'],
          context: (row) => jobParamsContext(String(row.id)),
        },
      ],
    },
  },
  tidy: { jobs: forgetOldJobs },
});
