import { createFail } from './define.ts';

/** The texts are specified. */
export const HA_ERRORS = {
  'ha.unavailable': { status: 503, message: 'HA pairs are not available on this controller' },
  'ha.not_appliance': {
    status: 400,
    message: 'HA pairs need appliance clients; this client is not one',
  },
  'ha.no_address': {
    status: 400,
    message: 'the client has not reported its HA addresses (agent too old, or no usable IPv4 address)',
  },
  'ha.invalid': { status: 400, message: 'invalid request: {reason}' },
  'ha.not_found': { status: 404, message: 'HA pair not found' },
  'ha.client_not_found': { status: 404, message: 'client not found in the project' },
  'ha.exists': { status: 409, message: 'an HA pair with this name already exists in the project' },
  'ha.already_member': { status: 409, message: 'the client is already a member of an HA pair' },
  'ha.client_is_member': {
    status: 409,
    message: 'the client is a member of an HA pair; delete the pair first, or the client with force',
  },
  'ha.not_connected': { status: 409, message: 'the client is not connected' },
  'ha.both_loaded': { status: 409, message: 'both clients have services; pair an empty client with a loaded one' },
  'ha.joiner_loaded': {
    status: 409,
    message: 'a client joining a pair that already serves must have no services',
  },
  'ha.no_vacancy': { status: 409, message: 'the pair has no vacant slot' },
  'ha.has_services': {
    status: 409,
    message: 'the pair still has services deployed; undeploy them first or delete with force',
  },
  'ha.single_member': { status: 409, message: 'the pair has a single member; there is nobody to fail over to' },
  'ha.refused': { status: 409, message: 'failover refused by the active member' },
  'ha.maintenance_refused': { status: 409, message: 'maintenance refused by the member: {reason}' },
  'ha.other_in_maintenance': { status: 409, message: 'the other member is in maintenance' },
  'ha.rotating': { status: 409, message: 'a secret rotation is in progress' },
  'ha.member_offline': { status: 409, message: 'an HA pair member is offline' },
  'ha.member_no_answer': {
    status: 503,
    message: 'no answer from the member; whether its maintenance has changed is unknown',
  },
  'ha.no_answer': {
    status: 503,
    message: "no answer from the active member; the failover's outcome is unknown",
  },
} as const;

export const failHa = createFail(HA_ERRORS);
