import { defineFeature } from '../features/index.ts';
import { installationContext, masterKeyContext } from './encryption-contexts.ts';
import { migration } from './migration.ts';
import './tables.ts';

export const keyringFeature = defineFeature({
  name: 'platform/keyring',
  migrations: { '0003-keyring': migration },
  tables: {
    installation: {
      scope: { open: 'its values belong to the installation itself' },
      backup: { isSecret: true },
      encrypted: [
        {
          column: 'value',
          kind: 'secret',
          primaryKey: ['name'],
          context: (row) => installationContext(String(row.name)),
        },
      ],
    },
    data_keys: {
      scope: { open: 'they encrypt for all projects' },
      backup: { none: 'a restored installation encrypts with its own keys' },
    },
    master_keys: {
      scope: { open: 'they wrap the keys of all projects' },
      backup: { none: 'a restored installation has its own master key' },
      encrypted: [
        { column: 'sealed_key', kind: 'bytes', primaryKey: ['id'], context: (row) => masterKeyContext(String(row.id)) },
      ],
    },
    data_key_wraps: {
      scope: { open: 'they are the wrapped keys of all projects' },
      backup: { none: 'a restored installation encrypts with its own keys' },
    },
  },
});
