import { type Clock, type Lifecycle, systemClock } from '@flotilla/kit';
import type { Route } from '../../../platform/http/route.ts';
import type { Platform } from '../../../platform/platform.ts';
import { PublicAddress } from '../../../platform/settings/index.ts';
import { createChannelRoutes } from './channels/routes.ts';
import { Courier } from './deliver/courier.ts';
import { Sender } from './deliver/sender.ts';
import { countAttempts } from './metrics.ts';
import { AlertWatcher } from './watch/watcher.ts';

type AlertDeps = Pick<
  Platform,
  'config' | 'database' | 'keyring' | 'settings' | 'leadership' | 'logger' | 'metrics'
> & {
  readonly lifecycle: Pick<Lifecycle, 'add'>;
  /** When the certificate authority of the clients expires. */
  readonly authorityEndsAt: Date;
  readonly clock?: Clock;
};

/** Starts the evaluation of rules and the delivery of messages. Returns the routes that need them. */
export async function startAlerts(deps: AlertDeps): Promise<Route[]> {
  const {
    config,
    database,
    keyring,
    settings,
    leadership,
    logger,
    lifecycle,
    authorityEndsAt,
    clock = systemClock,
  } = deps;
  const { db } = database;
  const address = await PublicAddress.open(settings, config.publicUrl);
  lifecycle.add(() => address.close());
  const sender = new Sender();
  lifecycle.add(() => sender.close());
  await sender.start(settings);
  const attempts = countAttempts(deps.metrics);
  const courier = new Courier({
    db,
    keyring,
    sender,
    linkTo: (project) => address.value && `${address.value.replace(/\/+$/, '')}/p/${project}/alerts`,
    onAttempt: (kind, outcome) => attempts.inc({ kind, outcome }),
    logger,
    clock,
  });
  lifecycle.add(() => courier.close());
  const watcher = new AlertWatcher({ db, leadership, logger, clock, authorityEndsAt });
  lifecycle.add(() => watcher.close());
  return createChannelRoutes({
    keyring,
    requireAddress: (target) => sender.requireAddress(target),
    sendTest: (channel, by) => courier.test(channel, by),
  });
}
