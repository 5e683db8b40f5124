import { createFail } from './define.ts';

export const FLEET_ERRORS = {
  'service.invalid': { status: 400, message: 'The service is not valid: {reason}' },
  'service.deployed': {
    status: 409,
    message:
      'Service {name} is deployed, so it cannot be renamed or deleted. Undeploy it from the clients in "clients" first.',
  },
  'service.client_deployed': {
    status: 409,
    message: 'Service {name} is deployed to a client that this change leaves out. Undeploy it there first.',
  },
  'service.ports_exhausted': {
    status: 409,
    message: 'Client {name} has no free admin port between 33100 and 39999. Undeploy something there first.',
  },
  'service.ambiguous': { status: 400, message: 'Name the service in command.name (or its id in command.service_id).' },
  'port.in_use': {
    status: 409,
    message:
      'Port {port} of listener {listener} is already in use on client {client}, by {user}. Choose another port or address.',
  },
  'client.targeted': {
    status: 409,
    message: 'Services still target client {name}. Undeploy them first, or delete with force=true.',
  },
  'client.not_found': { status: 404, message: 'There is no client {id} here.' },
  'client.offline': { status: 503, message: 'Client {name} is not connected, so it cannot answer.' },
  'client.incapable': {
    status: 409,
    message: 'Client {name} cannot run {command}: it lacks the capability {capability}. {install}',
  },
  'client.labels_full': {
    status: 409,
    message: 'Client {name} would have {count} labels; it may have at most {max}. Remove some first.',
  },
  'client.removed': { status: 409, message: 'The client was removed before the command ended.' },
  'command.unsupported': {
    status: 400,
    message: 'The command type {type} is not supported by this controller. Supported: {supported}.',
  },
  'command.sub_type': {
    status: 400,
    message: 'The command type {type} takes the sub_type {supported}, not "{given}".',
  },
  'command.invalid': { status: 400, message: 'The command is not valid: {reason}' },
  'command.forbidden': { status: 403, message: 'The command {command} needs the role {roles}; yours is {role}.' },
  'command.superseded': { status: 409, message: 'A newer command for the same service took its place.' },
  'command.not_deployed': { status: 409, message: 'Service {service} is not deployed to this client.' },
  'upgrade.other_version': {
    status: 409,
    message:
      'Client {name} should run Envoy {wanted} for service {service}, so it is not upgraded from {from} to {to}. It runs {running}.',
  },
  'command.deadline': {
    status: 503,
    message:
      'The client did not answer in time, so the result of the command is unknown. Check the state of the service.',
  },
  'command.agent': { status: 503, message: 'The client could not run the command: {reason}' },
} as const;

export const failFleet = createFail(FLEET_ERRORS);
