import type { Database } from '@flotilla/db';
import { createId, type Lifecycle, type Logger } from '@flotilla/kit';
import { ControllerPresence, createControllerRoutes, Leadership } from './features/controllers/index.ts';
import type { Route } from './http/route.ts';

export interface ControllersParts {
  readonly database: Pick<Database, 'db'>;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
}

/** This controller among the others of the installation, and who of them leads. */
export async function composeControllers({ database, logger, lifecycle }: ControllersParts, version: string) {
  const { db } = database;
  const controllerId = createId();
  const presence = new ControllerPresence({ db, controllerId, version, logger });
  await presence.start();
  lifecycle.add(() => presence.close());
  const leadership = new Leadership({ db, controllerId, logger });
  await leadership.start();
  lifecycle.add(() => leadership.close());
  const routes: Route[] = createControllerRoutes({ presence, leadership });
  return { presence, leadership, routes };
}
