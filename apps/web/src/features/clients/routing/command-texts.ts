import type { CommandName } from '@flotilla/contract';

/** The names of the ROUTING commands in the history. */
export const ROUTING_NAMES = {
  'ROUTING BGP_GET_CONFIG': 'Read BGP configuration',
  'ROUTING BGP_DIFF_CONFIG': 'Compare BGP configuration',
  'ROUTING BGP_SET_CONFIG': 'Set BGP configuration',
  'ROUTING BGP_ADD_NEIGHBOR': 'Add BGP neighbour',
  'ROUTING BGP_UPDATE_NEIGHBOR': 'Change BGP neighbour',
  'ROUTING BGP_LIST_NEIGHBORS': 'List BGP neighbours',
  'ROUTING BGP_GET_NEIGHBOR': 'Read BGP neighbour',
  'ROUTING BGP_REMOVE_NEIGHBOR': 'Remove BGP neighbour',
  'ROUTING BGP_GET_POLICY_CONFIG': 'Read BGP policies',
  'ROUTING BGP_APPLY_PREFIX_LIST': 'Set prefix list entry',
  'ROUTING BGP_REMOVE_PREFIX_LIST': 'Remove prefix list',
  'ROUTING BGP_APPLY_COMMUNITY_LIST': 'Set community list entry',
  'ROUTING BGP_REMOVE_COMMUNITY_LIST': 'Remove community list',
  'ROUTING BGP_APPLY_ROUTE_MAP': 'Set route map entry',
  'ROUTING BGP_REMOVE_ROUTE_MAP': 'Remove route map',
  'ROUTING BGP_SHOW_ROUTES': 'Read BGP routes',
  'ROUTING BGP_GET_SUMMARY': 'Read BGP summary',
  'ROUTING BGP_CLEAR_ROUTES': 'Clear BGP sessions',
} as const satisfies Partial<Record<CommandName, string>>;
