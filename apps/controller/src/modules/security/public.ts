export { findGeoFiles, readGeoPart } from './geoip/project-files-view.ts';
export { ShieldEventRecorder } from './shield-events/index.ts';
export { listFeedNetworks, listThreatFeeds } from './threat-intel/project-feeds-view.ts';
