import { defineFeature } from '../../../platform/features/index.ts';
import { certificateAuthorityContext } from './encryption-context.ts';
import { labelsMigration } from './labels-migration.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const enrolmentFeature = defineFeature({
  name: 'fleet/enrolment',
  after: ['platform/keyring', 'configuration/projects'],
  migrations: { '0013-enrolment': migration, '0048-enrolment-labels': labelsMigration },
  tables: {
    certificate_authority: {
      scope: { open: 'one authority serves all projects' },
      backup: { isSecret: true },
      encrypted: [
        { column: 'sealed_key', kind: 'bytes', primaryKey: ['singleton'], context: certificateAuthorityContext },
      ],
    },
    enrolment_tokens: { scope: 'policies', backup: true },
    client_certificates: { scope: 'policies', backup: true },
  },
});
