import { Buffer } from 'node:buffer';
import { failCloudLookup } from '@flotilla/contract';
import type { AddressGuard } from '../../../../platform/outbound/index.ts';
import { type TokenAnswer, tokenAnswerSchema } from './answers.ts';
import { type Cloud, callCloud, readAnswer, refusedBy } from './cloud.ts';

/** A token of a cloud for one of its projects. */
export interface CloudSession {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Address of the Networking API, with its version and without a slash at the end. */
  readonly networking: string;
}

/** Gets a token for a project of the cloud (Identity API v3). */
export async function signInTo(cloud: Cloud, cloudProject: string, guard: AddressGuard): Promise<CloudSession> {
  const { token, body } = await requestToken(cloud, cloudProject, guard);
  requireProject(cloud, body, cloudProject);
  return { token, expiresAt: Date.parse(body.expires_at), networking: findNetworking(cloud, body) };
}

/** Checks that the credential is accepted. An application credential also tells whether the Networking API is there. */
export async function trySignIn(cloud: Cloud, guard: AddressGuard): Promise<string> {
  const { body } = await requestToken(cloud, undefined, guard);
  const isScoped = cloud.settings.auth_type === 'v3applicationcredential';
  return isScoped ? findNetworking(cloud, body) : cloud.settings.auth.auth_url;
}

/** `cloudProject`: the project that a user asks for; an application credential has its own. */
async function requestToken(cloud: Cloud, cloudProject: string | undefined, guard: AddressGuard) {
  const url = `${withVersion(cloud.settings.auth.auth_url, 'v3')}/auth/tokens`;
  const request = Buffer.from(JSON.stringify({ auth: toAuth(cloud, cloudProject) }));
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const answer = await callCloud(cloud, { method: 'POST', url, headers, body: request }, guard);
  if (answer.status !== 201) throw refusedBy(cloud, answer);
  const { token: body } = readAnswer(cloud, tokenAnswerSchema, answer);
  const token = answer.headers['x-subject-token'];
  if (typeof token !== 'string' || token === '') throw invalid(cloud, 'the header X-Subject-Token is missing');
  return { token, body };
}

function toAuth({ settings: { auth, auth_type: type } }: Cloud, cloudProject: string | undefined): object {
  if (type === 'v3applicationcredential') {
    const credential = { id: auth.application_credential_id, secret: auth.application_credential_secret };
    return { identity: { methods: ['application_credential'], application_credential: credential } };
  }
  const user = { name: auth.username, domain: { name: auth.user_domain_name }, password: auth.password };
  const identity = { methods: ['password'], password: { user } };
  return { identity, ...(cloudProject !== undefined && { scope: { project: { id: cloudProject } } }) };
}

/** An application credential belongs to one project, whatever the caller asks for. */
function requireProject({ name }: Cloud, { project }: TokenAnswer['token'], wanted: string): void {
  const plain = (id: string) => id.replaceAll('-', '').toLowerCase();
  if (project && plain(project.id) !== plain(wanted))
    throw failCloudLookup('cloud.other_project', { cloud: name, project: project.id, given: wanted });
}

function findNetworking(cloud: Cloud, { catalog }: TokenAnswer['token']): string {
  const { auth, region_name: region, interface: wanted } = cloud.settings;
  const endpoint = catalog
    .filter(({ type }) => type === 'network')
    .flatMap(({ endpoints }) => endpoints)
    .find((one) => one.interface === wanted && (one.region_id ?? one.region) === region);
  if (!endpoint) throw invalid(cloud, `its catalog has no ${wanted} endpoint of type network in region ${region}`);
  if (auth.auth_url.startsWith('https:') && !endpoint.url.startsWith('https:'))
    throw invalid(cloud, 'its endpoint of type network is not encrypted, and the token would be sent to it');
  return withVersion(endpoint.url, 'v2.0');
}

/** Adds the version of the API to the address, which may have it already. */
function withVersion(address: string, version: string): string {
  const base = address.replace(/\/+$/, '');
  return base.endsWith(`/${version}`) ? base : `${base}/${version}`;
}

function invalid({ name }: Cloud, reason: string): Error {
  return failCloudLookup('cloud.invalid_answer', { cloud: name, reason });
}
