const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** A result may have megabytes, and the answer of the request contains those of all clients. */
const CLIENTS_MAX = 16;

const query = {
  type: 'ROUTING',
  kind: 'query',
  effect: 'read',
  needs: 'routing',
  service: 'none',
  waitMs: 15 * SECOND,
  deadlineMs: 30 * SECOND,
  clientsMax: CLIENTS_MAX,
} as const;
/** An agent that was restarted meanwhile first restores the earlier configuration, and then runs the change again. */
const change = {
  type: 'ROUTING',
  kind: 'desired',
  effect: 'administer',
  needs: 'routing',
  service: 'none',
  waitMs: MINUTE,
  deadlineMs: 5 * MINUTE,
} as const;

/** The routing part of the table of commands: see `COMMANDS`. */
export const ROUTING_COMMANDS = [
  { ...query, subType: 'BGP_GET_CONFIG' },
  { ...query, subType: 'BGP_DIFF_CONFIG', effect: 'administer' },
  { ...change, subType: 'BGP_SET_CONFIG' },
  { ...change, subType: 'BGP_ADD_NEIGHBOR' },
  { ...change, subType: 'BGP_UPDATE_NEIGHBOR' },
  { ...query, subType: 'BGP_LIST_NEIGHBORS' },
  { ...query, subType: 'BGP_GET_NEIGHBOR' },
  { ...change, subType: 'BGP_REMOVE_NEIGHBOR' },
  { ...query, subType: 'BGP_GET_POLICY_CONFIG' },
  { ...change, subType: 'BGP_APPLY_PREFIX_LIST' },
  { ...change, subType: 'BGP_REMOVE_PREFIX_LIST' },
  { ...change, subType: 'BGP_APPLY_COMMUNITY_LIST' },
  { ...change, subType: 'BGP_REMOVE_COMMUNITY_LIST' },
  { ...change, subType: 'BGP_APPLY_ROUTE_MAP' },
  { ...change, subType: 'BGP_REMOVE_ROUTE_MAP' },
  { ...query, subType: 'BGP_SHOW_ROUTES' },
  { ...query, subType: 'BGP_GET_SUMMARY' },
  { ...change, subType: 'BGP_CLEAR_ROUTES', kind: 'action', waitMs: 15 * SECOND, deadlineMs: 30 * SECOND },
] as const;
