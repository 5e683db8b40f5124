import { apiTokenRoutes, fleetRoutes, groupRoutes, policyRoutes, userRoutes } from '@flotilla/contract';
import { createLookup, type Lookup } from '../nouns/lookup.ts';
import type { Scope } from '../records.ts';
import { listClients, requireClientId } from '../records.ts';

export const groups = createLookup(groupRoutes.list, { one: 'group', id: ({ id }) => id, name: ({ name }) => name });

export const users = createLookup(userRoutes.list, {
  one: 'user',
  id: ({ id }) => id,
  name: ({ username }) => username,
});

export const tokens = createLookup(apiTokenRoutes.list, {
  one: 'API token',
  id: ({ id }) => id,
  name: ({ name }) => name,
  hint: ({ prefix }) => `${prefix}…`,
});

/** Uses the fleet route, which every role may call. */
export const services = createLookup(fleetRoutes.services, {
  one: 'service',
  id: ({ id }) => id,
  name: ({ name }) => name,
});

/** Uses the fleet route, which every role may call. */
export const fleetClients = createLookup(fleetRoutes.clients, {
  one: 'client',
  id: ({ client_id: id }) => id,
  name: ({ name }) => name,
});

export const policies = createLookup(policyRoutes.list, { one: 'policy', name: ({ name }) => name });

export const clients: Lookup = {
  find: async (reach, text) => ({ id: await requireClientId(reach as Scope, text), name: text }),
  source: {
    kind: 'names',
    needsProject: true,
    list: async (reach) => (await listClients(reach as Scope)).map(({ name }) => name),
  },
};
