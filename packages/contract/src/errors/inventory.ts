import { createFail } from './define.ts';

/** Errors of the inventory and of everything that reads the events behind it. */
export const INVENTORY_ERRORS = {
  'inventory.store_off': {
    status: 503,
    message: 'This answer needs the event store, which is not available: {reason}',
  },
  'inventory.store_failed': {
    status: 503,
    message: 'The event store did not answer: {reason} Try again in a moment.',
  },
  'inventory.merged': {
    status: 410,
    message: 'Operation {id} is part of operation {target} now, because the template of its path has changed.',
  },
  'inventory.no_baseline': {
    status: 404,
    message: 'There is no snapshot that is old enough to compare with. Choose a later time, or take a snapshot first.',
  },
  'inventory.too_large': {
    status: 422,
    message: 'The inventory has more than {max} operations that match. Choose a host.',
  },
} as const;

export const failInventory = createFail(INVENTORY_ERRORS);
