import {
  commandRolloutRoutes,
  enrolmentRoutes,
  fleetRoutes,
  haRoutes,
  inventoryRoutes,
  metricsRoutes,
  overviewRoutes,
  publishRoutes,
  serviceRoutes,
  xdsRoutes,
} from '@flotilla/contract';
import type { Places } from './furnish.ts';
import { labelOf, type Screen } from './screen.ts';
import { PROJECT } from './stage.ts';

export const COLLECTIONS = {
  listeners: 'Listeners',
  routes: 'Routes',
  virtual_hosts: 'Virtual hosts',
  clusters: 'Clusters',
  endpoints: 'Endpoints',
  secrets: 'Secrets',
  filters: 'Filters',
  extensions: 'Extensions',
  bootstrap: 'Bootstraps',
} as const;

/** The screens of running services and clients, and of their configuration. */
export function listFleetScreens(places: Places): readonly Screen[] {
  const base = `/p/${PROJECT}`;
  const service = `${base}/services/${places.service}`;
  const client = `${base}/clients/${places.client}`;
  const routes = `${base}/resources/routes/${places.version}/demo-routes`;
  const cluster = `${base}/resources/clusters/${places.version}/demo-upstream`;
  const serviceTab = (tab: string, label: string | RegExp = labelOf(tab)) => ({
    name: `service-${tab}`,
    path: `${service}?tab=${tab}`,
    heading: /^demo/,
    needs: tab === 'document' ? serviceRoutes.detail : fleetRoutes.service,
    tab: label,
  });
  const clientTab = (tab: string) => ({
    name: `client-${tab}`,
    path: `${client}?tab=${tab}`,
    heading: /./,
    needs: tab === 'statistics' ? metricsRoutes.clientSeries : fleetRoutes.client,
    tab: labelOf(tab),
  });
  return [
    { name: 'overview', path: `${base}/overview`, heading: 'Overview', needs: overviewRoutes.read },

    { name: 'clients', path: `${base}/clients`, heading: 'Clients', needs: fleetRoutes.clients },
    { name: 'versions', path: `${base}/versions`, heading: 'Versions', needs: fleetRoutes.clients },
    {
      name: 'clients-enrolment',
      path: `${base}/clients?tab=enrolment`,
      heading: 'Clients',
      needs: enrolmentRoutes.listTokens,
      tab: 'Enrolment tokens',
    },
    {
      name: 'client-rollout',
      path: `${base}/clients?rollout=new`,
      heading: 'Clients',
      needs: commandRolloutRoutes.start,
      dialog: 'Roll out a command',
    },
    {
      name: 'client-enrol',
      path: `${base}/clients?enrol=new`,
      heading: 'Clients',
      needs: enrolmentRoutes.createToken,
      dialog: /Enrol/,
    },
    clientTab('overview'),
    clientTab('statistics'),
    clientTab('commands'),
    clientTab('versions'),
    {
      name: 'client-command',
      path: `${client}?tab=commands&command=${places.command}`,
      heading: /./,
      needs: fleetRoutes.client,
      dialog: /./,
    },

    // The controller of the shared stage has no secret for pairs: both say what is missing.
    { name: 'ha-pairs', path: `${base}/ha-pairs`, heading: 'HA pairs', needs: haRoutes.list },
    { name: 'ha-pair-new', path: `${base}/ha-pairs/new`, heading: 'Create an HA pair', needs: haRoutes.create },

    // The demo's service has API discovery off: these screens say how to turn it on. inventory.test.ts shows them with requests.
    { name: 'traffic', path: `${base}/traffic`, heading: 'Traffic', needs: inventoryRoutes.list },
    { name: 'traffic-endpoints', path: `${base}/traffic/endpoints`, heading: 'Endpoints', needs: inventoryRoutes.list },
    { name: 'traffic-events', path: `${base}/traffic/events`, heading: 'Request events', needs: inventoryRoutes.list },
    { name: 'traffic-errors', path: `${base}/traffic/errors`, heading: 'API errors', needs: inventoryRoutes.list },
    {
      name: 'traffic-compare',
      path: `${base}/traffic/compare`,
      heading: 'Compare traffic',
      needs: inventoryRoutes.list,
    },
    { name: 'traffic-risk', path: `${base}/traffic/risk`, heading: 'API risk', needs: inventoryRoutes.list },
    {
      name: 'traffic-risk-changes',
      path: `${base}/traffic/risk?tab=changes`,
      heading: 'API risk',
      needs: inventoryRoutes.list,
      tab: 'Changes',
    },
    {
      name: 'traffic-consumers',
      path: `${base}/traffic/consumers`,
      heading: 'API consumers',
      needs: inventoryRoutes.list,
    },

    { name: 'services', path: `${base}/services`, heading: 'Services', needs: fleetRoutes.services },
    { name: 'publish', path: `${base}/publish`, heading: 'Publish an upstream', needs: publishRoutes.publish },
    { name: 'unpublish', path: `${base}/unpublish`, heading: 'Unpublish hosts', needs: publishRoutes.unpublish },
    { name: 'service-new', path: `${base}/services/new`, heading: 'New service', needs: serviceRoutes.create },
    { name: 'service-edit', path: `${service}/edit`, heading: /demo/, needs: serviceRoutes.patch },
    serviceTab('overview'),
    serviceTab('nodes', /^Nodes/),
    serviceTab('errors', /^Errors/),
    {
      name: 'service-error',
      path: `${service}?tab=errors&error=${places.error}`,
      heading: /^demo/,
      needs: fleetRoutes.service,
      dialog: /./,
    },
    serviceTab('document'),
    {
      name: 'service-revision',
      path: `${service}?tab=document&rev=1`,
      heading: /^demo/,
      needs: serviceRoutes.detail,
      tab: 'Document',
    },
    serviceTab('configuration'),
    serviceTab('graph'),
    { ...serviceTab('graph'), name: 'service-graph-list', path: `${service}?tab=graph&view=list` },
    serviceTab('envoy'),
    serviceTab('logs'),
    {
      name: 'service-undeploy',
      path: `${service}?do=undeploy`,
      heading: /^demo/,
      needs: serviceRoutes.patch,
      dialog: /./,
    },

    ...Object.entries(COLLECTIONS).map(([collection, heading]) => ({
      name: `list-${collection}`,
      path: `${base}/resources/${collection}`,
      heading,
      needs: xdsRoutes.list,
    })),
    {
      name: 'new-cluster-starters',
      path: `${base}/resources/clusters/new`,
      heading: 'New cluster',
      needs: xdsRoutes.create,
    },
    {
      name: 'new-cluster-answers',
      path: `${base}/resources/clusters/new?starter=cluster-tls`,
      heading: 'New cluster',
      needs: xdsRoutes.create,
    },
    {
      name: 'new-cluster',
      path: `${base}/resources/clusters/new?starter=empty`,
      heading: 'New cluster',
      needs: xdsRoutes.create,
    },
    {
      name: 'new-filter',
      path: `${base}/resources/filters/new?starter=empty`,
      heading: 'New filter',
      needs: xdsRoutes.create,
    },
    {
      name: 'copied-cluster',
      path: `${base}/resources/clusters/new?copy=demo-upstream&from=${places.version}&version=${places.version}`,
      heading: 'New cluster',
      needs: xdsRoutes.create,
    },
    { name: 'cluster-form', path: cluster, heading: /^demo-upstream/, needs: xdsRoutes.get, tab: 'Cluster' },
    { name: 'cluster-yaml', path: `${cluster}?view=yaml`, heading: /^demo-upstream/, needs: xdsRoutes.get },
    { name: 'cluster-json', path: `${cluster}?view=json`, heading: /^demo-upstream/, needs: xdsRoutes.get },
    {
      name: 'listener-form',
      path: `${base}/resources/listeners/${places.version}/demo-listener`,
      heading: /^demo-listener/,
      needs: xdsRoutes.get,
    },
    {
      name: 'document-uses',
      path: `${routes}?tab=uses`,
      heading: /^demo-routes/,
      needs: xdsRoutes.get,
      tab: 'References',
    },
    {
      name: 'document-history',
      path: `${routes}?tab=history`,
      heading: /^demo-routes/,
      needs: xdsRoutes.get,
      tab: 'History',
    },
    {
      name: 'document-progress',
      path: `${routes}?rollout=2`,
      heading: /^demo-routes/,
      needs: xdsRoutes.get,
    },
  ];
}
