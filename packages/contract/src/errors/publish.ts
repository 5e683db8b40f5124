import { createFail } from './define.ts';

/** Errors of publishing upstreams. Nothing was changed. */
export const PUBLISH_ERRORS = {
  'publish.invalid': { status: 400, message: 'This cannot be published: {reason}' },
  'publish.path_taken': {
    status: 409,
    message:
      '{host}{path} is already routed to {target} by route configuration {routes}. Publish another path, or edit that route.',
  },
  'publish.host_taken': {
    status: 409,
    message:
      'Route configuration {routes} serves {taken} by virtual host {virtual_host}, but not all of the hosts. Publish the hosts one by one, or edit that virtual host.',
  },
  'publish.listener_unsuitable': { status: 409, message: 'Listener {listener} cannot take a host: {reason}' },
  'publish.service_ambiguous': {
    status: 409,
    message: 'Several services have listener {listener}: {services}. Name one as "service".',
  },
  'publish.not_published': { status: 404, message: 'Nothing is published at {address}: {reason}' },
  'publish.edited': {
    status: 409,
    message: '{document} was edited after publishing: {reason}. Remove by hand what is not needed any more.',
  },
} as const;

export const failPublish = createFail(PUBLISH_ERRORS);
