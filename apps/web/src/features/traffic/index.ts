export { NameTraffic, OverviewTraffic, ServiceTraffic } from './lazy.tsx';
export { listTrafficColumns } from './traffic-columns.tsx';
export { useTrafficByService, useTrafficLabels } from './use-traffic.ts';
