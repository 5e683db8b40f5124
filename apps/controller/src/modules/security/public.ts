export { findGeoFiles, readGeoPart } from './geoip/read-store.ts';
export { ShieldEventRecorder } from './shield-events/index.ts';
export { listFeedNetworks, listThreatFeeds } from './threat-intel/read-store.ts';
