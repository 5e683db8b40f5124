export const BGP_CONFIG = { autonomous_system: 64_500, router_id: '192.0.2.1' };
export const BGP_NEIGHBOR = { peer_ip: '192.0.2.2', remote_as: 64_501 };
const entry = { name: 'X', sequence: 5 };
/** A body that the controller accepts, by sub_type. Those that are missing need none. */
export const ROUTING_BODIES: Readonly<Record<string, Record<string, unknown>>> = {
  BGP_DIFF_CONFIG: { config: BGP_CONFIG },
  BGP_SET_CONFIG: { config: BGP_CONFIG },
  BGP_ADD_NEIGHBOR: { neighbor: BGP_NEIGHBOR },
  BGP_UPDATE_NEIGHBOR: { neighbor: BGP_NEIGHBOR },
  BGP_REMOVE_NEIGHBOR: { peer_ip: '192.0.2.2' },
  BGP_APPLY_PREFIX_LIST: { prefix_list: { ...entry, action: 'permit', prefix: '203.0.113.0/24' } },
  BGP_REMOVE_PREFIX_LIST: { prefix_list: entry },
  BGP_APPLY_COMMUNITY_LIST: {
    community_list: { ...entry, action: 'permit', type: 'standard', community_values: ['1:1'] },
  },
  BGP_REMOVE_COMMUNITY_LIST: { community_list: entry },
  BGP_APPLY_ROUTE_MAP: { route_map: { ...entry, action: 'permit' } },
  BGP_REMOVE_ROUTE_MAP: { route_map: entry },
  BGP_CLEAR_ROUTES: { clear: { neighbor: '*' } },
  BGP_GET_NEIGHBOR: { peer_ip: '192.0.2.2' },
};
