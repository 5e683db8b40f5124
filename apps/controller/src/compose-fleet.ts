import type { Db, Tx } from '@flotilla/db';
import { createId, type Logger } from '@flotilla/kit';
import { ClientRegistry, ControllerPresence, createClientRoutes } from './features/clients/index.ts';
import { createConfigErrorRoutes, listActiveErrors } from './features/config-errors/index.ts';
import {
  createServiceRoutes,
  listServicesOfClient,
  listTargeting,
  type ServiceReferences,
  ServiceRegistry,
} from './features/services/index.ts';
import type { Route } from './http/route.ts';

/** What the fleet features need of others. */
export interface FleetDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly references: ServiceReferences;
  readonly revokeCertificates: (tx: Tx, clientId: string, now: Date) => Promise<void>;
}

export interface Fleet {
  readonly routes: readonly Route[];
  readonly controllerId: string;
  readonly clients: ClientRegistry;
  readonly services: ServiceRegistry;
  close(): Promise<void>;
}

/** Clients, services, commands and configuration errors. */
export async function composeFleet(deps: FleetDeps): Promise<Fleet> {
  const { db, logger } = deps;
  const controllerId = createId();
  const presence = new ControllerPresence({ db, controllerId, logger });
  await presence.start();
  const clients = new ClientRegistry({ db, controllerId });
  const services = new ServiceRegistry({ references: deps.references });
  const routes = [
    ...createServiceRoutes({ services, listActiveErrors }),
    ...createClientRoutes({
      clients,
      listServicesOfClient,
      removalFor: (ctx) => ({
        revokeCertificates: deps.revokeCertificates,
        listTargeting,
        removeFromService: (tx, serviceId, clientId) => services.removeTarget(tx, ctx, serviceId, clientId),
        abandonCommands: async () => undefined,
      }),
    }),
    ...createConfigErrorRoutes(),
  ];
  return { routes, controllerId, clients, services, close: () => presence.stop() };
}
