import { maintenanceWindowRoutes } from '@flotilla/contract';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { change, idAs, list, send } from '../nouns/verb.ts';
import { NAME, NEW_NAME } from './inputs.ts';

const WINDOW = {
  flags: '<window>',
  help: 'name or id',
  to: 'window_id',
  lookup: createLookup(maintenanceWindowRoutes.list, {
    one: 'maintenance window',
    id: ({ id }) => id,
    name: ({ name }) => name,
  }),
} as const;
const STARTS = { flags: '--starts <time>', help: 'such as 2030-01-01T22:00:00Z', to: 'starts_at' } as const;
const ENDS = { flags: '--ends <time>', help: 'such as 2030-01-02T04:00:00Z', to: 'ends_at' } as const;

export const MAINTENANCE_WINDOWS: Noun = {
  help: 'planned work on the proxies of the project',
  place: 'project',
  verbs: {
    list: list(maintenanceWindowRoutes.list, { columns: { name: 'name', starts: 'starts_at', ends: 'ends_at' } }),
    create: send(maintenanceWindowRoutes.create, {
      inputs: [NAME, { ...STARTS, isRequired: true }, { ...ENDS, isRequired: true }],
      text: ({ name }) => `Maintenance window ${name} created.`,
    }),
    change: change(maintenanceWindowRoutes.patch, {
      inputs: [WINDOW, NEW_NAME, STARTS, ENDS],
      text: ({ name }) => `Maintenance window ${name} changed.`,
    }),
    delete: send(maintenanceWindowRoutes.delete, {
      inputs: [WINDOW],
      json: idAs('deleted', 'window'),
      text: (_, { name }) => `Maintenance window ${name('window')} deleted.`,
    }),
  },
};
