export { Leadership, type Leading } from './leadership.ts';
export { ControllerPresence } from './presence.ts';
export { isControllerLive } from './presence-store.ts';
