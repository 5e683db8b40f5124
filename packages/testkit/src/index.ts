export * from './authenticator.ts';
export { bundlePrograms } from './bundle.ts';
export { createServerCertificate } from './certificates.ts';
export * from './database.ts';
export * from './envoy.ts';
export { type Answer as FleetAnswer, FleetOfOne, findFreePorts } from './fleet-of-one.ts';
export { type LdapServer, startLdapServer } from './ldap-server.ts';
export { type LoadOptions, type LoadResult, startLoad } from './load.ts';
export { readRssMb } from './process-memory.ts';
