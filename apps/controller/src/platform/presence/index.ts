export { Leadership, type Leading, type LeaseTiming } from './leadership.ts';
export { dropLease, renewLease, takeLease } from './lease-store.ts';
export { ControllerPresence } from './presence.ts';
export { isControllerLive } from './presence-store.ts';
