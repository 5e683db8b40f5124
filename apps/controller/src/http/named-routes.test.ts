import type { RouteContract } from '@flotilla/contract';
import * as contract from '@flotilla/contract';
import { expect, it } from 'vitest';

/** What the specification of the API and the facts of what it leaves open name for people, projects, the record and jobs. */
const NAMED = `
POST /auth/login
POST /auth/demo/:email
POST /refresh
POST /logout
GET /api/v3/profile
PUT /api/v3/profile/email
PUT /api/v3/profile/password
GET /api/v3/profile/otp/status
POST /api/v3/profile/otp/enable
POST /api/v3/profile/otp/verify
POST /api/v3/profile/otp/disable
POST /api/v3/profile/otp/regenerate-backup-codes
GET /api/v3/setting/otp-config
PUT /api/v3/setting/otp-config
POST /api/v3/setting/otp/reset-user/:user_id
GET /api/v3/setting/ldap-config
POST /api/v3/setting/ldap-config
PUT /api/v3/setting/ldap-config
DELETE /api/v3/setting/ldap-config
POST /api/v3/setting/ldap-config/test
POST /api/v3/setting/ldap-config/test-auth
GET /api/v3/setting/user_list
GET /api/v3/setting/user/:user_id
GET /api/v3/setting/users/:user_id
PUT /api/v3/setting/user/:user_id
DELETE /api/v3/setting/user/:user_id
GET /api/v3/setting/group_list
GET /api/v3/setting/group/:group_id
PUT /api/v3/setting/group/:group_id
DELETE /api/v3/setting/group/:group_id
GET /api/v3/setting/project_list
GET /api/v3/setting/project/:project_id
PUT /api/v3/setting/project/:project_id
DELETE /api/v3/setting/project/:project_id
GET /api/v3/setting/permissions/:kind/:type/:id
GET /api/v3/setting/tokens
POST /api/v3/setting/tokens
DELETE /api/v3/setting/tokens/:token_id
GET /api/v3/setting/discovery-token
DELETE /api/v3/setting/discovery-token
POST /api/v3/setting/discovery-token/generate
GET /api/v3/setting/openrouter-token
POST /api/v3/setting/openrouter-token
PUT /api/v3/setting/openrouter-token
DELETE /api/v3/setting/openrouter-token
GET /api/v3/setting/storage-stats
GET /api/v3/setting/clouds
GET /api/v3/setting/clouds/:cloud_name
POST /api/v3/setting/clouds/:cloud_name
PUT /api/v3/setting/clouds/:cloud_name
DELETE /api/v3/setting/clouds/:cloud_name
GET /api/v3/setting/gslb
PUT /api/v3/setting/gslb
POST /api/v3/setting/gslb
DELETE /api/v3/setting/gslb
GET /api/v3/setting/gslb/options
GET /api/v3/setting/syslog-config
POST /api/v3/setting/syslog-config
PUT /api/v3/setting/syslog-config
DELETE /api/v3/setting/syslog-config
POST /api/v3/setting/syslog-config/test
GET /api/v3/setting/api_discovery
PUT /api/v3/setting/api_discovery
GET /api/v3/setting/threat-intel
GET /api/v3/setting/threat-intel/:name
POST /api/v3/setting/threat-intel/upload
PUT /api/v3/setting/threat-intel
DELETE /api/v3/setting/threat-intel/:name
GET /api/v3/setting/geoip
POST /api/v3/setting/geoip/upload
POST /api/v3/setting/geoip/download
DELETE /api/v3/setting/geoip/:kind
GET /api/v3/setting/license
POST /api/v3/setting/license/activate
POST /api/v3/setting/license/check
DELETE /api/v3/setting/license
GET /api/v3/registry/data
GET /api/v3/registry/instances
DELETE /api/v3/registry/controller/:id
DELETE /api/v3/registry/control-plane/:id
GET /api/v3/audit/logs
GET /api/v3/audit/stats
GET /api/v3/jobs
GET /api/v3/jobs/stats
GET /api/v3/jobs/stuck
GET /api/v3/jobs/workers
GET /api/v3/jobs/:id
POST /api/v3/jobs/:id/retry
DELETE /api/v3/jobs/:id
POST /api/v3/jobs/cleanup
POST /api/v3/setting/maintenance/backup/export
POST /api/v3/setting/maintenance/backup/metadata
POST /api/v3/setting/maintenance/backup/validate
POST /api/v3/setting/maintenance/backup/import
DELETE /api/v3/setting/maintenance/cleanup/versions/:version
`
  .trim()
  .split('\n');

interface Deviation {
  /** What does it here; null where nothing is to. */
  readonly instead: string | null;
  readonly why: string;
}

const plural = (instead: string): Deviation => ({ instead, why: 'one name for a list and what is in it' });
const put = (instead: string): Deviation => ({ instead, why: 'there is one such document: PUT makes and replaces it' });
const GSLB: Deviation = { instead: null, why: 'comes with load balancing between sites' };
const ai = (method: string): Deviation => ({
  instead: `${method} /api/v3/setting/documents/:key`,
  why: 'the key is a secret of the settings document `ai`, which names no maker',
});

const DEVIATIONS: Readonly<Record<string, Deviation>> = {
  'POST /auth/demo/:email': { instead: null, why: 'accounts for whoever asks have no place in an installation' },
  'POST /api/v3/setting/ldap-config': put('PUT /api/v3/setting/ldap-config'),
  'POST /api/v3/setting/ldap-config/test': {
    instead: 'POST /api/v3/setting/documents/:key/test',
    why: 'one route tries documents of all kinds, also before they are saved',
  },
  'GET /api/v3/setting/user_list': plural('GET /api/v3/setting/users'),
  'GET /api/v3/setting/user/:user_id': plural('GET /api/v3/setting/users/:user_id'),
  'PUT /api/v3/setting/user/:user_id': plural('PUT /api/v3/setting/users/:user_id'),
  'DELETE /api/v3/setting/user/:user_id': plural('DELETE /api/v3/setting/users/:user_id'),
  'GET /api/v3/setting/group_list': plural('GET /api/v3/setting/groups'),
  'GET /api/v3/setting/group/:group_id': plural('GET /api/v3/setting/groups/:group_id'),
  'PUT /api/v3/setting/group/:group_id': plural('PUT /api/v3/setting/groups/:group_id'),
  'DELETE /api/v3/setting/group/:group_id': plural('DELETE /api/v3/setting/groups/:group_id'),
  'GET /api/v3/setting/project_list': plural('GET /api/v3/setting/projects'),
  'GET /api/v3/setting/openrouter-token': ai('GET'),
  'POST /api/v3/setting/openrouter-token': ai('PUT'),
  'PUT /api/v3/setting/openrouter-token': ai('PUT'),
  'DELETE /api/v3/setting/openrouter-token': ai('DELETE'),
  'GET /api/v3/setting/gslb': GSLB,
  'PUT /api/v3/setting/gslb': GSLB,
  'POST /api/v3/setting/gslb': GSLB,
  'DELETE /api/v3/setting/gslb': GSLB,
  'GET /api/v3/setting/gslb/options': GSLB,
  'POST /api/v3/setting/syslog-config': put('PUT /api/v3/setting/syslog-config'),
  'POST /api/v3/jobs/cleanup': { instead: null, why: 'jobs are forgotten by themselves, 30 days after their end' },
  'POST /api/v3/setting/maintenance/backup/metadata': {
    instead: 'GET /api/v3/setting/maintenance/backups/:backup_id',
    why: 'a file is uploaded once; then it is a backup like those made here',
  },
};
/** It may get smaller. */
const DEVIATIONS_MAX = 24;

const routes: readonly RouteContract[] = Object.entries(contract).flatMap(([name, value]) =>
  name.endsWith('Routes') ? Object.values<RouteContract>(value as never) : [],
);
/** By method and path, whatever the parameters are called. */
const shapeOf = (route: string) => route.replaceAll(/:\w+/g, ':');
const served = new Set(routes.map(({ method, path }) => shapeOf(`${method} ${path}`)));

it('every route that the specification names is served, or is in the short list of those that are not, with a reason', () => {
  const missing = NAMED.filter((route) => !served.has(shapeOf(route)));
  expect(missing.toSorted()).toEqual(Object.keys(DEVIATIONS).toSorted());
  expect(missing.length).toBeLessThanOrEqual(DEVIATIONS_MAX);
});

it('what stands in for another route is served', () => {
  for (const [route, { instead, why }] of Object.entries(DEVIATIONS)) {
    expect(why, route).not.toBe('');
    if (instead !== null) expect(served, route).toContain(shapeOf(instead));
  }
});
